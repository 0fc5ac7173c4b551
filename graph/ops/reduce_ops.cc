#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"All", "input:bool, reduction_indices:Tidx", "output:bool", "keep_dims:bool = False; Tidx:index = int32",
     ""},
    {"Any", "input:bool, reduction_indices:Tidx", "output:bool", "keep_dims:bool = False; Tidx:index = int32",
     ""},
    {"ArgMax", "input:T, dimension:Tidx", "output:output_type",
     "T:type in"
     " [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32"
     ",qint16,quint16,bool]; Tidx:index_or_int16 = int32; "
     "output_type:type in [int16,uint16,int32,int64] = int64",
     ""},
    {"ArgMin", "input:T, dimension:Tidx", "output:output_type",
     "T:type in"
     " [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32"
     ",qint16,quint16,bool]; Tidx:index = int32; output_type:index = int64",
     ""},
    {"Bincount", "arr:int32, size:int32, weights:T", "bins:T", "T:binned", ""},
    {"Cumprod", "x:T, axis:Tidx", "out:T",
     "exclusive:bool = False; reverse:bool = False; T:numbers; Tidx:index = int32", ""},
    {"Cumsum", "x:T, axis:Tidx", "out:T",
     "exclusive:bool = False; reverse:bool = False; T:numbers; Tidx:index = int32", ""},
    {"CumulativeLogsumexp", "x:T, axis:Tidx", "out:T",
     "exclusive:bool = False; reverse:bool = False; T:floats; Tidx:index = int32", ""},
    {"DenseBincount", "input:Tidx, size:Tidx, weights:T", "output:T",
     "Tidx:index; T:binned; binary_output:bool = False", ""},
    {"EuclideanNorm", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:numbers; Tidx:index = int32", ""},
    {"HistogramFixedWidth", "values:T, value_range:T, nbins:int32", "out:dtype",
     "T:binned; dtype:index = int32", ""},
    {"Max", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in"
     " [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32"
     ",qint16,quint16]; Tidx:index = int32",
     ""},
    {"Mean", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:numbers; Tidx:index = int32", ""},
    {"Min", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in"
     " [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,qint8,quint8,qint32"
     ",qint16,quint16]; Tidx:index = int32",
     ""},
    {"Prod", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:numbers; Tidx:index = int32", ""},
    {"Sum", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:numbers; Tidx:index = int32", ""},
};

}  // namespace

absl::Status register_reduce_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
