#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AccumulateNV2", "inputs:N * T", "sum:T",
     "N:int >= 1; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,"
     "qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; shape:shape",
     "commutative aggregate"},
    {"Add", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,int8,int16,int32,int64,complex64,complex128,"
     "string]",
     ""},
    {"AddN", "inputs:N * T", "sum:T",
     "N:int >= 1; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,"
     "qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,variant]",
     "commutative aggregate"},
    {"AddV2", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,uint16,uint32,uint64,int8,int16,int32,int64,"
     "complex64,complex128]",
     "commutative aggregate"},
    {"All", "input:bool, reduction_indices:Tidx", "output:bool",
     "keep_dims:bool = False; Tidx:type in [int32,int64] = int32", ""},
    {"Angle", "input:T", "output:Tout",
     "T:type in [complex64,complex128] = complex64; Tout:type in [float,double] = float", ""},
    {"Any", "input:bool, reduction_indices:Tidx", "output:bool",
     "keep_dims:bool = False; Tidx:type in [int32,int64] = int32", ""},
    {"ApproximateEqual", "x:T, y:T", "z:bool",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; tolerance:float = "
     "9.999999747378752e-06",
     "commutative"},
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
    {"Atan2", "y:T, x:T", "z:T", "T:type in [bfloat16,half,float,double]", ""},
    {"BatchMatMul", "x:T, y:T", "output:T",
     "T:type in [bfloat16,half,float,double,int32,int64,complex64,complex128]; adj_x:bool = "
     "False; adj_y:bool = False; grad_x:bool = False; grad_y:bool = False",
     ""},
    {"BatchMatMulV2", "x:T, y:T", "output:T",
     "T:type in [bfloat16,half,float,double,int16,int32,int64,uint8,uint16,uint32,uint64,"
     "complex64,complex128]; adj_x:bool = False; adj_y:bool = False; grad_x:bool = False; "
     "grad_y:bool = False",
     ""},
    {"Betainc", "a:T, b:T, x:T", "z:T", "T:type in [float,double]", ""},
    {"Bincount", "arr:int32, size:int32, weights:T", "bins:T", "T:type in [int32,int64,float,double]", ""},
    {"BitwiseAnd", "x:T, y:T", "z:T", "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64]",
     "commutative"},
    {"BitwiseOr", "x:T, y:T", "z:T", "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64]",
     "commutative"},
    {"BitwiseXor", "x:T, y:T", "z:T", "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64]",
     "commutative"},
    {"Cast", "x:SrcT", "y:DstT", "SrcT:type; DstT:type; Truncate:bool = False", ""},
    {"Cholesky", "input:T", "output:T", "T:type in [double,float,half,complex64,complex128]", ""},
    {"ClipByValue", "t:T, clip_value_min:T, clip_value_max:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]",
     ""},
    {"CompareAndBitpack", "input:T, threshold:T", "output:uint8",
     "T:type in [bool,half,float,double,int8,int16,int32,int64]", ""},
    {"Complex", "real:T, imag:T", "out:Tout",
     "T:type in [float,double] = float; Tout:type in [complex64,complex128] = complex64", ""},
    {"ComplexAbs", "x:T", "y:Tout",
     "T:type in [complex64,complex128] = complex64; Tout:type in [float,double] = float", ""},
    {"Conj", "input:T", "output:T", "T:type in [complex64,complex128,variant] = complex64", ""},
    {"Cross", "a:T, b:T", "product:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
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
    {"Div", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,"
     "complex64,complex128]",
     ""},
    {"DivNoNan", "x:T, y:T", "z:T", "T:type in [half,float,bfloat16,double,complex64,complex128]", ""},
    {"Equal", "x:T, y:T", "z:bool", "T:type; incompatible_shape_error:bool = True", "commutative"},
    {"EuclideanNorm", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"FFT", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"FloorDiv", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,"
     "complex64,complex128]",
     ""},
    {"FloorMod", "x:T, y:T", "z:T",
     "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64,bfloat16,half,float,double]", ""},
    {"Greater", "x:T, y:T", "z:bool",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"GreaterEqual", "x:T, y:T", "z:bool",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"IFFT", "input:Tcomplex", "output:Tcomplex", "Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"IRFFT", "input:Tcomplex, fft_length:int32", "output:Treal",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"Igamma", "a:T, x:T", "z:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Igammac", "a:T, x:T", "z:T", "T:type in [bfloat16,half,float,double]", ""},
    {"Imag", "input:T", "output:Tout",
     "T:type in [complex64,complex128] = complex64; Tout:type in [float,double] = float", ""},
    {"InTopK", "predictions:float, targets:T", "precision:bool", "k:int; T:type in [int32,int64] = int32",
     ""},
    {"InTopKV2", "predictions:float, targets:T, k:T", "precision:bool", "T:type in [int32,int64] = int32",
     ""},
    {"LeftShift", "x:T, y:T", "z:T", "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64]", ""},
    {"Less", "x:T, y:T", "z:bool",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"LessEqual", "x:T, y:T", "z:bool",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"LinSpace", "start:T, stop:T, num:Tidx", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32", ""},
    {"LogicalAnd", "x:bool, y:bool", "z:bool", "", "commutative"},
    {"LogicalOr", "x:bool, y:bool", "z:bool", "", "commutative"},
    {"MatMul", "a:T, b:T", "product:T",
     "transpose_a:bool = False; transpose_b:bool = False; T:type in [bfloat16,half,float,"
     "double,int32,int64,uint8,uint16,uint32,uint64,complex64,complex128]; grad_a:bool = "
     "False; grad_b:bool = False",
     ""},
    {"MatrixDeterminant", "input:T", "output:T", "T:type in [half,float,double,complex64,complex128]", ""},
    {"MatrixInverse", "input:T", "output:T",
     "adjoint:bool = False; T:type in [double,float,half,complex64,complex128]", ""},
    {"MatrixSolve", "matrix:T, rhs:T", "output:T",
     "adjoint:bool = False; T:type in [double,float,half,complex64,complex128]", ""},
    {"MatrixTriangularSolve", "matrix:T, rhs:T", "output:T",
     "lower:bool = True; adjoint:bool = False; T:type in [bfloat16,double,float,half,"
     "complex64,complex128]",
     ""},
    {"Max", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64,qint8,quint8,qint32,qint16,quint16]; Tidx:type in [int32,"
     "int64] = int32",
     ""},
    {"Maximum", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,int8,uint8,int16,uint16,int32,uint32,int64,uint64]", ""},
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
    {"Minimum", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,int8,uint8,int16,uint16,int32,uint32,int64,uint64]", ""},
    {"Mod", "x:T, y:T", "z:T", "T:type in [int32,int64,half,half,bfloat16,float,double]", ""},
    {"Mul", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,"
     "complex64,complex128]",
     "commutative"},
    {"MulNoNan", "x:T, y:T", "z:T", "T:type in [bfloat16,half,float,double,complex64,complex128]", ""},
    {"NotEqual", "x:T, y:T", "z:bool", "T:type; incompatible_shape_error:bool = True", "commutative"},
    {"NthElement", "input:T, n:int32", "values:T",
     "reverse:bool = False; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64]",
     ""},
    {"Polygamma", "a:T, x:T", "z:T", "T:type in [float,double]", ""},
    {"Pow", "x:T, y:T", "z:T",
     "T:type in [bfloat16,float,half,double,int8,int16,int32,int64,complex64,complex128]", ""},
    {"Prod", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"RFFT", "input:Treal, fft_length:int32", "output:Tcomplex",
     "Treal:type in [float,double] = float; Tcomplex:type in [complex64,complex128] = complex64", ""},
    {"Range", "start:Tidx, limit:Tidx, delta:Tidx", "output:Tidx",
     "Tidx:type in [bfloat16,half,float,double,int8,int16,int32,int64,uint16,uint32,uint64] = "
     "int32",
     ""},
    {"Real", "input:T", "output:Tout",
     "T:type in [complex64,complex128] = complex64; Tout:type in [float,double] = float", ""},
    {"RealDiv", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,"
     "complex64,complex128]",
     ""},
    {"RightShift", "x:T, y:T", "z:T", "T:type in [int8,int16,int32,int64,uint8,uint16,uint32,uint64]", ""},
    {"SegmentMax", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]",
     ""},
    {"SegmentMean", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     ""},
    {"SegmentMin", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]",
     ""},
    {"SegmentProd", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     ""},
    {"SegmentSum", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     ""},
    {"SparseMatMul", "a:Ta, b:Tb", "product:float",
     "transpose_a:bool = False; transpose_b:bool = False; a_is_sparse:bool = False; "
     "b_is_sparse:bool = False; Ta:type in [float,bfloat16] = float; Tb:type in [float,"
     "bfloat16] = float",
     ""},
    {"SparseSegmentMean", "data:T, indices:Tidx, segment_ids:Tsegmentids", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32; sparse_gradient:bool = False",
     ""},
    {"SparseSegmentMeanGrad", "grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentSqrtN", "data:T, indices:Tidx, segment_ids:Tsegmentids", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32; sparse_gradient:bool = False",
     ""},
    {"SparseSegmentSqrtNGrad", "grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentSum", "data:T, indices:Tidx, segment_ids:Tsegmentids", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tidx:type in [int32,int64] = int32; Tsegmentids:type in [int32,int64] = int32; "
     "sparse_gradient:bool = False",
     ""},
    {"SquaredDifference", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,int32,int64,complex64,complex128]", "commutative"},
    {"Sub", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,int8,uint16,int16,int32,int64,complex64,"
     "complex128,uint32,uint64]",
     ""},
    {"Sum", "input:T, reduction_indices:Tidx", "output:T",
     "keep_dims:bool = False; T:type in [float,double,int32,uint8,int16,int8,complex64,int64,"
     "qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; "
     "Tidx:type in [int32,int64] = int32",
     ""},
    {"TopK", "input:T", "values:T, indices:int32",
     "k:int >= 0; sorted:bool = True; T:type in [float,double,int32,uint8,int16,int8,int64,"
     "bfloat16,uint16,half,uint32,uint64]",
     "deprecated_since_7"},
    {"TopKV2", "input:T, k:Tk", "values:T, indices:index_type",
     "sorted:bool = True; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64]; Tk:type in [int16,int32,int64] = int32; index_type:type in "
     "[int16,int32,int64] = int32",
     ""},
    {"TruncateDiv", "x:T, y:T", "z:T",
     "T:type in [bfloat16,half,float,double,uint8,int8,uint16,int16,int32,uint32,uint64,int64,"
     "complex64,complex128]",
     ""},
    {"TruncateMod", "x:T, y:T", "z:T", "T:type in [int32,int64,bfloat16,half,float,double]", ""},
    {"UnsortedSegmentMax", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"UnsortedSegmentMin", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"UnsortedSegmentProd", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"UnsortedSegmentSum", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int16,"
     "int32,int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"Xdivy", "x:T, y:T", "z:T", "T:type in [half,bfloat16,float,double,complex64,complex128]", ""},
    {"Xlogy", "x:T, y:T", "z:T", "T:type in [half,bfloat16,float,double,complex64,complex128]", ""},
    {"Zeta", "x:T, q:T", "z:T", "T:type in [float,double]", ""},
    {"_HostCast", "x:SrcT", "y:DstT", "SrcT:type; DstT:type; Truncate:bool = False", ""},
};

}  // namespace

absl::Status register_math_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
