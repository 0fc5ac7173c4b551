#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"ApproxTopK", "input:T", "values:T, indices:int32",
     "k:int >= 0; reduction_dimension:int = -1; recall_target:float = 0.949999988079071; "
     "is_max_k:bool = True; reduction_input_size_override:int = -1; aggregate_to_topk:bool = "
     "True; T:type in [half,bfloat16,float]",
     ""},
    {"BatchMatrixBandPart", "input:T, num_lower:int64, num_upper:int64", "band:T", "T:type",
     "deprecated_since_14"},
    {"BatchMatrixDiag", "diagonal:T", "output:T", "T:type", "deprecated_since_14"},
    {"BatchMatrixDiagPart", "input:T", "diagonal:T", "T:type", "deprecated_since_14"},
    {"BatchMatrixSetDiag", "input:T, diagonal:T", "output:T", "T:type", "deprecated_since_14"},
    {"BatchToSpace", "input:T, crops:Tidx", "output:T",
     "T:type; block_size:int >= 2; Tidx:type in [int32,int64] = int32", ""},
    {"BatchToSpaceND", "input:T, block_shape:Tblock_shape, crops:Tcrops", "output:T",
     "T:type; Tblock_shape:type in [int32,int64] = int32; Tcrops:type in [int32,int64] = int32", ""},
    {"BroadcastArgs", "s0:T, s1:T", "r0:T", "T:type in [int32,int64] = int32", ""},
    {"BroadcastGradientArgs", "s0:T, s1:T", "r0:T, r1:T", "T:type in [int32,int64] = int32", ""},
    {"BroadcastTo", "input:T, shape:Tidx", "output:T", "T:type; Tidx:type in [int32,int64] = int32", ""},
    {"Bucketize", "input:T", "output:int32", "T:type in [int32,int64,float,double]; boundaries:list(float)",
     ""},
    {"Concat", "concat_dim:int32, values:N * T", "output:T", "N:int >= 2; T:type", ""},
    {"ConcatOffset", "concat_dim:int32, shape:N * shape_type", "offset:N * shape_type",
     "N:int >= 2; shape_type:type in [int32,int64] = int32", ""},
    {"ConcatV2", "values:N * T, axis:Tidx", "output:T",
     "N:int >= 2; T:type; Tidx:type in [int32,int64] = int32", ""},
    {"ConjugateTranspose", "x:T, perm:Tperm", "y:T", "T:type; Tperm:type in [int32,int64] = int32", ""},
    {"Copy", "input:T", "output:T", "T:type; tensor_name:string = ''; debug_ops_spec:list(string) = []",
     "uninitialized_ok"},
    {"CopyHost", "input:T", "output:T", "T:type; tensor_name:string = ''; debug_ops_spec:list(string) = []",
     "uninitialized_ok"},
    {"Cross", "a:T, b:T", "product:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", ""},
    {"DataFormatDimMap", "x:T", "y:T",
     "T:type in [int32,int64] = int32; src_format:string = 'NHWC'; dst_format:string = 'NCHW'", ""},
    {"DataFormatVecPermute", "x:T", "y:T",
     "T:type in [int32,int64] = int32; src_format:string = 'NHWC'; dst_format:string = 'NCHW'", ""},
    {"DeepCopy", "x:T", "y:T", "T:type", "stateful"},
    {"DepthToSpace", "input:T", "output:T",
     "T:type; block_size:int >= 2; data_format:string in [b'NHWC',b'NCHW',b'NCHW_VECT_C'] = "
     "'NHWC'",
     ""},
    {"Diag", "diagonal:T", "output:T",
     "T:type in [bfloat16,half,float,double,int32,int64,complex64,complex128]", ""},
    {"DiagPart", "input:T", "diagonal:T",
     "T:type in [bfloat16,half,float,double,int32,int64,complex64,complex128]", ""},
    {"DynamicPartition", "data:T, partitions:int32", "outputs:num_partitions * T",
     "num_partitions:int >= 1; T:type", ""},
    {"DynamicStitch", "indices:N * int32, data:N * T", "merged:T", "N:int >= 1; T:type", ""},
    {"EditDistance",
     "hypothesis_indices:int64, hypothesis_values:T, hypothesis_shape:int64, "
     "truth_indices:int64, truth_values:T, truth_shape:int64",
     "output:float", "normalize:bool = True; T:type", ""},
    {"Empty", "shape:int32", "output:dtype", "dtype:type; init:bool = False", "stateful"},
    {"EnsureShape", "input:T", "output:T", "shape:shape; T:type", ""},
    {"ExpandDims", "input:T, dim:Tdim", "output:T", "T:type; Tdim:type in [int32,int64] = int32", ""},
    {"ExtractImagePatches", "images:T", "patches:T",
     "ksizes:list(int) >= 4; strides:list(int) >= 4; rates:list(int) >= 4; T:type in "
     "[bfloat16,half,float,double,int8,int16,int32,int64,uint8,uint16,uint32,uint64,complex64,"
     "complex128,bool]; padding:string in [b'SAME',b'VALID']",
     ""},
    {"ExtractVolumePatches", "input:T", "patches:T",
     "ksizes:list(int) >= 5; strides:list(int) >= 5; T:type in [float,double,int32,uint8,"
     "int16,int8,int64,bfloat16,uint16,half,uint32,uint64]; padding:string in [b'SAME',"
     "b'VALID']",
     ""},
    {"Fill", "dims:index_type, value:T", "output:T", "T:type; index_type:type in [int32,int64] = int32", ""},
    {"Gather", "params:Tparams, indices:Tindices", "output:Tparams",
     "validate_indices:bool = True; Tparams:type; Tindices:type in [int32,int64]", ""},
    {"GatherNd", "params:Tparams, indices:Tindices", "output:Tparams",
     "Tparams:type; Tindices:type in [int16,int32,int64]; bad_indices_policy:string = ''", ""},
    {"GatherV2", "params:Tparams, indices:Tindices, axis:Taxis", "output:Tparams",
     "batch_dims:int = 0; Tparams:type; Tindices:type in [int16,int32,int64]; Taxis:type in "
     "[int32,int64]",
     ""},
    {"GuaranteeConst", "input:T", "output:T", "T:type", "stateful"},
    {"ImmutableConst", "", "tensor:dtype", "dtype:type; shape:shape; memory_region_name:string", ""},
    {"InTopK", "predictions:float, targets:T", "precision:bool", "k:int; T:type in [int32,int64] = int32",
     ""},
    {"InTopKV2", "predictions:float, targets:T, k:T", "precision:bool", "T:type in [int32,int64] = int32",
     ""},
    {"InplaceAdd", "x:T, i:int32, v:T", "y:T", "T:type", ""},
    {"InplaceSub", "x:T, i:int32, v:T", "y:T", "T:type", ""},
    {"InplaceUpdate", "x:T, i:int32, v:T", "y:T", "T:type", ""},
    {"InvertPermutation", "x:T", "y:T", "T:type in [int32,int64] = int32", ""},
    {"KthOrderStatistic", "input:float", "output:float", "k:int", ""},
    {"LinSpace", "start:T, stop:T, num:Tidx", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32", ""},
    {"ListDiff", "x:T, y:T", "out:T, idx:out_idx", "T:type; out_idx:type in [int32,int64] = int32", ""},
    {"LowerBound", "sorted_inputs:T, values:T", "output:out_type",
     "T:type; out_type:type in [int32,int64] = int32", ""},
    {"MakeUnique", "input:float", "output:float", "", ""},
    {"MatrixBandPart", "input:T, num_lower:Tindex, num_upper:Tindex", "band:T",
     "T:type; Tindex:type in [int32,int64] = int64", ""},
    {"MatrixDiag", "diagonal:T", "output:T", "T:type", ""},
    {"MatrixDiagPart", "input:T", "diagonal:T", "T:type", ""},
    {"MatrixDiagPartV2", "input:T, k:int32, padding_value:T", "diagonal:T", "T:type", ""},
    {"MatrixDiagPartV3", "input:T, k:int32, padding_value:T", "diagonal:T",
     "T:type; align:string in [b'LEFT_RIGHT',b'RIGHT_LEFT',b'LEFT_LEFT',b'RIGHT_RIGHT'] = "
     "'RIGHT_LEFT'",
     ""},
    {"MatrixDiagV2", "diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T", "output:T",
     "T:type", ""},
    {"MatrixDiagV3", "diagonal:T, k:int32, num_rows:int32, num_cols:int32, padding_value:T", "output:T",
     "T:type; align:string in [b'LEFT_RIGHT',b'RIGHT_LEFT',b'LEFT_LEFT',b'RIGHT_RIGHT'] = "
     "'RIGHT_LEFT'",
     ""},
    {"MatrixSetDiag", "input:T, diagonal:T", "output:T", "T:type", ""},
    {"MatrixSetDiagV2", "input:T, diagonal:T, k:int32", "output:T", "T:type", ""},
    {"MatrixSetDiagV3", "input:T, diagonal:T, k:int32", "output:T",
     "T:type; align:string in [b'LEFT_RIGHT',b'RIGHT_LEFT',b'LEFT_LEFT',b'RIGHT_RIGHT'] = "
     "'RIGHT_LEFT'",
     ""},
    {"MirrorPad", "input:T, paddings:Tpaddings", "output:T",
     "T:type; Tpaddings:type in [int32,int64] = int32; mode:string in [b'REFLECT',b'SYMMETRIC']", ""},
    {"MirrorPadGrad", "input:T, paddings:Tpaddings", "output:T",
     "T:type; Tpaddings:type in [int32,int64] = int32; mode:string in [b'REFLECT',b'SYMMETRIC']", ""},
    {"NthElement", "input:T, n:int32", "values:T",
     "reverse:bool = False; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64]",
     ""},
    {"OneHot", "indices:TI, depth:int32, on_value:T, off_value:T", "output:T",
     "axis:int = -1; T:type; TI:type in [uint8,int8,int32,int64] = int64", ""},
    {"OnesLike", "x:T", "y:T",
     "T:type in [bfloat16,half,float,double,int8,uint8,int16,uint16,int32,uint32,int64,uint64,"
     "complex64,complex128,bool]",
     ""},
    {"Pack", "values:N * T", "output:T", "N:int >= 1; T:type; axis:int = 0", ""},
    {"Pad", "input:T, paddings:Tpaddings", "output:T", "T:type; Tpaddings:type in [int32,int64] = int32", ""},
    {"PadV2", "input:T, paddings:Tpaddings, constant_values:T", "output:T",
     "T:type; Tpaddings:type in [int32,int64] = int32", ""},
    {"ParallelConcat", "values:N * T", "output:T", "N:int >= 1; T:type; shape:shape", ""},
    {"ParallelDynamicStitch", "indices:N * int32, data:N * T", "merged:T", "N:int >= 1; T:type", ""},
    {"PlaceholderWithDefault", "input:dtype", "output:dtype", "dtype:type; shape:shape", ""},
    {"PreventGradient", "input:T", "output:T", "T:type; message:string = ''", ""},
    {"Range", "start:Tidx, limit:Tidx, delta:Tidx", "output:Tidx",
     "Tidx:type in [bfloat16,half,float,double,int8,int16,int32,int64,uint16,uint32,uint64] = "
     "int32",
     ""},
    {"Rank", "input:T", "output:int32", "T:type", ""},
    {"Reshape", "tensor:T, shape:Tshape", "output:T", "T:type; Tshape:type in [int32,int64] = int32", ""},
    {"ResourceGather", "resource:resource, indices:Tindices", "output:dtype",
     "batch_dims:int = 0; validate_indices:bool = True; dtype:type; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceGatherNd", "resource:resource, indices:Tindices", "output:dtype",
     "dtype:type; Tindices:type in [int32,int64]", "stateful"},
    {"ResourceScatterAdd", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterDiv", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterMax", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterMin", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterMul", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterNdAdd", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterNdMax", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterNdMin", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterNdSub", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterNdUpdate", "ref:resource, indices:Tindices, updates:T", "",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     "stateful"},
    {"ResourceScatterSub", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     "stateful"},
    {"ResourceScatterUpdate", "resource:resource, indices:Tindices, updates:dtype", "",
     "dtype:type; Tindices:type in [int32,int64]", "stateful"},
    {"ResourceStridedSliceAssign", "ref:resource, begin:Index, end:Index, strides:Index, value:T", "",
     "T:type; Index:type in [int32,int64]; begin_mask:int = 0; end_mask:int = 0; "
     "ellipsis_mask:int = 0; new_axis_mask:int = 0; shrink_axis_mask:int = 0",
     "stateful"},
    {"Reverse", "tensor:T, dims:bool", "output:T",
     "T:type in [uint8,int8,uint16,int16,uint32,int32,uint64,int64,bool,bfloat16,half,float,"
     "double,complex64,complex128,string]",
     ""},
    {"ReverseSequence", "input:T, seq_lengths:Tlen", "output:T",
     "seq_dim:int; batch_dim:int = 0; T:type; Tlen:type in [int32,int64] = int64", ""},
    {"ReverseV2", "tensor:T, axis:Tidx", "output:T",
     "Tidx:type in [int32,int64] = int32; T:type in [uint8,int8,uint16,int16,int32,uint32,"
     "int64,uint64,bool,bfloat16,half,float,double,complex64,complex128,string]",
     ""},
    {"Roll", "input:T, shift:Tshift, axis:Taxis", "output:T",
     "T:type; Tshift:type in [int32,int64]; Taxis:type in [int32,int64]", ""},
    {"ScatterAdd", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterDiv", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterMax", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [half,bfloat16,float,double,int32,int64]; Tindices:type in [int32,int64]; "
     "use_locking:bool = False",
     ""},
    {"ScatterMin", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [half,bfloat16,float,double,int32,int64]; Tindices:type in [int32,int64]; "
     "use_locking:bool = False",
     ""},
    {"ScatterMul", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterNd", "indices:Tindices, updates:T, shape:Tindices", "output:T",
     "T:type; Tindices:type in [int16,int32,int64]; bad_indices_policy:string = ''", ""},
    {"ScatterNdAdd", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdMax", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdMin", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdNonAliasingAdd", "input:T, indices:Tindices, updates:T", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,bool]; Tindices:type in "
     "[int32,int64]; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdSub", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False; bad_indices_policy:string = ''",
     ""},
    {"ScatterNdUpdate", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True; "
     "bad_indices_policy:string = ''",
     ""},
    {"ScatterSub", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; use_locking:bool = False",
     ""},
    {"ScatterUpdate", "ref:Ref(T), indices:Tindices, updates:T", "output_ref:Ref(T)",
     "T:type; Tindices:type in [int32,int64]; use_locking:bool = True", ""},
    {"SegmentMax", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]",
     ""},
    {"SegmentMaxV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]; Tnumsegments:type in [int32,int64] = int32",
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
    {"SegmentMinV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tindices:type in [int32,int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"SegmentProd", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     ""},
    {"SegmentProdV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"SegmentSum", "data:T, segment_ids:Tindices", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]",
     ""},
    {"SegmentSumV2", "data:T, segment_ids:Tindices, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64]; Tindices:type in [int32,"
     "int64]; Tnumsegments:type in [int32,int64] = int32",
     ""},
    {"Shape", "input:T", "output:out_type", "T:type; out_type:type in [int32,int64] = int32", ""},
    {"ShapeN", "input:N * T", "output:N * out_type",
     "N:int >= 1; T:type; out_type:type in [int32,int64] = int32", ""},
    {"Size", "input:T", "output:out_type", "T:type; out_type:type in [int32,int64] = int32", ""},
    {"Slice", "input:T, begin:Index, size:Index", "output:T", "T:type; Index:type in [int32,int64]", ""},
    {"Snapshot", "input:T", "output:T", "T:type", ""},
    {"SpaceToBatch", "input:T, paddings:Tpaddings", "output:T",
     "T:type; Tpaddings:type in [int32,int64] = int32; block_size:int >= 2", ""},
    {"SpaceToBatchND", "input:T, block_shape:Tblock_shape, paddings:Tpaddings", "output:T",
     "T:type; Tblock_shape:type in [int32,int64] = int32; Tpaddings:type in [int32,int64] = "
     "int32",
     ""},
    {"SpaceToDepth", "input:T", "output:T",
     "T:type; block_size:int >= 2; data_format:string in [b'NHWC',b'NCHW',b'NCHW_VECT_C'] = "
     "'NHWC'",
     ""},
    {"SparseSegmentMean", "data:T, indices:Tidx, segment_ids:Tsegmentids", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32; sparse_gradient:bool = False",
     ""},
    {"SparseSegmentMeanGrad", "grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentMeanGradV2", "grad:T, indices:Tidx, segment_ids:Tsegmentids, dense_output_dim0:int32",
     "output:T, sorted_unique_indices:Tidx",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentMeanWithNumSegments",
     "data:T, indices:Tidx, segment_ids:Tsegmentids, num_segments:Tnumsegments", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tnumsegments:type in [int32,int64] = int32; Tsegmentids:type in [int32,int64] = int32; "
     "sparse_gradient:bool = False",
     ""},
    {"SparseSegmentSqrtN", "data:T, indices:Tidx, segment_ids:Tsegmentids", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32; sparse_gradient:bool = False",
     ""},
    {"SparseSegmentSqrtNGrad", "grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentSqrtNGradV2", "grad:T, indices:Tidx, segment_ids:Tsegmentids, dense_output_dim0:int32",
     "output:T, sorted_unique_indices:Tidx",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentSqrtNWithNumSegments",
     "data:T, indices:Tidx, segment_ids:Tsegmentids, num_segments:Tnumsegments", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tnumsegments:type in [int32,int64] = int32; Tsegmentids:type in [int32,int64] = int32; "
     "sparse_gradient:bool = False",
     ""},
    {"SparseSegmentSum", "data:T, indices:Tidx, segment_ids:Tsegmentids", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tidx:type in [int32,int64] = int32; Tsegmentids:type in [int32,int64] = int32; "
     "sparse_gradient:bool = False",
     ""},
    {"SparseSegmentSumGrad", "grad:T, indices:Tidx, segment_ids:Tsegmentids, output_dim0:int32", "output:T",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentSumGradV2", "grad:T, indices:Tidx, segment_ids:Tsegmentids, dense_output_dim0:int32",
     "output:T, sorted_unique_indices:Tidx",
     "T:type in [bfloat16,half,float,double]; Tidx:type in [int32,int64] = int32; "
     "Tsegmentids:type in [int32,int64] = int32",
     ""},
    {"SparseSegmentSumWithNumSegments",
     "data:T, indices:Tidx, segment_ids:Tsegmentids, num_segments:Tnumsegments", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,"
     "uint64]; Tidx:type in [int32,int64] = int32; Tnumsegments:type in [int32,int64] = "
     "int32; Tsegmentids:type in [int32,int64] = int32; sparse_gradient:bool = False",
     ""},
    {"Split", "split_dim:int32, value:T", "output:num_split * T", "num_split:int >= 1; T:type", ""},
    {"SplitV", "value:T, size_splits:Tlen, split_dim:int32", "output:num_split * T",
     "num_split:int >= 1; T:type; Tlen:type in [int8,int32,int64] = int64", ""},
    {"Squeeze", "input:T", "output:T", "T:type; squeeze_dims:list(int) >= 0 = []", ""},
    {"StopGradient", "input:T", "output:T", "T:type", ""},
    {"StridedSlice", "input:T, begin:Index, end:Index, strides:Index", "output:T",
     "T:type; Index:type in [int16,int32,int64]; begin_mask:int = 0; end_mask:int = 0; "
     "ellipsis_mask:int = 0; new_axis_mask:int = 0; shrink_axis_mask:int = 0",
     ""},
    {"StridedSliceAssign", "ref:Ref(T), begin:Index, end:Index, strides:Index, value:T", "output_ref:Ref(T)",
     "T:type; Index:type in [int32,int64]; begin_mask:int = 0; end_mask:int = 0; "
     "ellipsis_mask:int = 0; new_axis_mask:int = 0; shrink_axis_mask:int = 0",
     ""},
    {"StridedSliceGrad", "shape:Index, begin:Index, end:Index, strides:Index, dy:T", "output:T",
     "T:type; Index:type in [int32,int64]; begin_mask:int = 0; end_mask:int = 0; "
     "ellipsis_mask:int = 0; new_axis_mask:int = 0; shrink_axis_mask:int = 0",
     ""},
    {"TensorScatterAdd", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int32,int64]; bad_indices_policy:string = ''", ""},
    {"TensorScatterMax", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int32,int64]; bad_indices_policy:string = ''", ""},
    {"TensorScatterMin", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int32,int64]; bad_indices_policy:string = ''", ""},
    {"TensorScatterSub", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int32,int64]; bad_indices_policy:string = ''", ""},
    {"TensorScatterUpdate", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int16,int32,int64,uint16]; bad_indices_policy:string = ''", ""},
    {"TensorStridedSliceUpdate", "input:T, begin:Index, end:Index, strides:Index, value:T", "output:T",
     "T:type; Index:type in [int32,int64]; begin_mask:int = 0; end_mask:int = 0; "
     "ellipsis_mask:int = 0; new_axis_mask:int = 0; shrink_axis_mask:int = 0",
     ""},
    {"Tile", "input:T, multiples:Tmultiples", "output:T", "T:type; Tmultiples:type in [int32,int64] = int32",
     ""},
    {"TileGrad", "input:T, multiples:int32", "output:T", "T:type", "deprecated_since_3"},
    {"TopK", "input:T", "values:T, indices:int32",
     "k:int >= 0; sorted:bool = True; T:type in [float,double,int32,uint8,int16,int8,int64,"
     "bfloat16,uint16,half,uint32,uint64]",
     "deprecated_since_7"},
    {"TopKUnique", "input:float", "topk:float, topk_indices:int32", "k:int", ""},
    {"TopKV2", "input:T, k:Tk", "values:T, indices:index_type",
     "sorted:bool = True; T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,"
     "uint16,half,uint32,uint64]; Tk:type in [int16,int32,int64] = int32; index_type:type in "
     "[int16,int32,int64] = int32",
     ""},
    {"TopKWithUnique", "input:float", "topk:float, topk_indices:int32", "k:int", ""},
    {"Transpose", "x:T, perm:Tperm", "y:T", "T:type; Tperm:type in [int32,int64] = int32", ""},
    {"Unique", "x:T", "y:T, idx:out_idx", "T:type; out_idx:type in [int32,int64] = int32", ""},
    {"UniqueV2", "x:T, axis:Taxis", "y:T, idx:out_idx",
     "T:type; Taxis:type in [int32,int64] = int64; out_idx:type in [int32,int64] = int32", ""},
    {"UniqueWithCounts", "x:T", "y:T, idx:out_idx, count:out_idx",
     "T:type; out_idx:type in [int32,int64] = int32", ""},
    {"UniqueWithCountsV2", "x:T, axis:Taxis", "y:T, idx:out_idx, count:out_idx",
     "T:type; Taxis:type in [int32,int64] = int64; out_idx:type in [int32,int64] = int32", ""},
    {"Unpack", "value:T", "output:num * T", "num:int >= 0; T:type; axis:int = 0", ""},
    {"UnravelIndex", "indices:Tidx, dims:Tidx", "output:Tidx", "Tidx:type in [int32,int64] = int32", ""},
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
    {"UpperBound", "sorted_inputs:T, values:T", "output:out_type",
     "T:type; out_type:type in [int32,int64] = int32", ""},
    {"Where", "input:T", "index:int64",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,bool] = bool",
     ""},
    {"ZerosLike", "x:T", "y:T", "T:type", ""},
    {"_ParallelConcatStart", "", "output:dtype", "shape:shape; dtype:type", "stateful"},
    {"_ParallelConcatUpdate", "value:T, update:T", "output:T", "T:type; loc:int", ""},
};

}  // namespace

absl::Status register_array_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
