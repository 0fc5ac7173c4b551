#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"All", "input:bool, reduction_indices:Tidx", "output:bool",
     "keep_dims:bool = False; Tidx:type in [int32,int64] = int32", ""},
    {"Any", "input:bool, reduction_indices:Tidx", "output:bool",
     "keep_dims:bool = False; Tidx:type in [int32,int64] = int32", ""},
    {"ArgMax", "input:T, dimension:Tidx", "output:output_type",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,"
     "qint8,quint8,qint32,qint16,quint16,bool]; Tidx:type in [int16,int32,int64] = int32; "
     "output_type:type in [int16,uint16,int32,int64] = int64",
     ""},
    {"ArgMin", "input:T, dimension:Tidx", "output:output_type",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,"
     "qint8,quint8,qint32,qint16,quint16,bool]; Tidx:type in [int32,int64] = int32; "
     "output_type:type in [int32,int64] = int64",
     ""},
    {"Bincount", "arr:int32, size:int32, weights:T", "bins:T", "T:type in [int32,int64,float,double]", ""},
    {"Cumprod", "x:T, axis:Tidx", "out:T",
     "exclusive:bool = False; reverse:bool = False; T:type in [float,double,int32,uint8,int16,"
     "int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,"
     "uint32,uint64]; Tidx:type in [int32,int64] = int32",
     ""},
    {"Cumsum", "x:T, axis:Tidx", "out:T",
     "exclusive:bool = False; reverse:bool = False; T:type in [float,double,int32,uint8,int16,"
     "int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,"
     "uint32,uint64]; Tidx:type in [int32,int64] = int32",
     ""},
    {"CumulativeLogsumexp", "x:T, axis:Tidx", "out:T",
     "exclusive:bool = False; reverse:bool = False; T:type in [bfloat16,half,float,double]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"DenseBincount", "input:Tidx, size:Tidx, weights:T", "output:T",
     "Tidx:type in [int32,int64]; T:type in [int32,int64,float,double]; binary_output:bool = "
     "False",
     ""},
    {"EuclideanNorm", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"HistogramFixedWidth", "values:T, value_range:T, nbins:int32", "out:dtype",
     "T:type in [int32,int64,float,double]; dtype:type in [int32,int64] = int32", ""},
    {"Max", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64,qint8,quint8,qint32,qint16,quint16]; Tidx:type in [int32,"
     "int64] = int32",
     ""},
    {"Mean", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"Min", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64,qint8,quint8,qint32,qint16,quint16]; Tidx:type in [int32,"
     "int64] = int32",
     ""},
    {"Prod", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"Sum", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
};

}  // namespace

absl::Status register_reduce_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
