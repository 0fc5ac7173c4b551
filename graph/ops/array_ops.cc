#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"BatchToSpaceND", "input:T, block_shape:Tblock_shape, crops:Tcrops", "output:T",
     "T:type; Tblock_shape:type in [int32,int64] = int32; Tcrops:type in [int32,int64] = int32", ""},
    {"Bitcast", "input:T", "output:type",
     "T:type in [bfloat16,half,float,double,int64,int32,uint8,uint16,uint32,uint64,int8,int16,"
     "complex64,complex128,qint8,quint8,qint16,quint16,qint32]; type:type in [bfloat16,half,"
     "float,double,int64,int32,uint8,uint16,uint32,uint64,int8,int16,complex64,complex128,"
     "qint8,quint8,qint16,quint16,qint32]",
     ""},
    {"BroadcastArgs", "s0:T, s1:T", "r0:T", "T:type in [int32,int64] = int32", ""},
    {"BroadcastGradientArgs", "s0:T, s1:T", "r0:T, r1:T", "T:type in [int32,int64] = int32", ""},
    {"BroadcastTo", "input:T, shape:Tidx", "output:T", "T:type; Tidx:type in [int32,int64] = int32", ""},
    {"Concat", "concat_dim:int32, values:N * T", "output:T", "N:int >= 2; T:type", ""},
    {"ConcatOffset", "concat_dim:int32, shape:N * shape_type", "offset:N * shape_type",
     "N:int >= 2; shape_type:type in [int32,int64] = int32", ""},
    {"ConcatV2", "values:N * T, axis:Tidx", "output:T",
     "N:int >= 2; T:type; Tidx:type in [int32,int64] = int32", ""},
    {"ConjugateTranspose", "x:T, perm:Tperm", "y:T", "T:type; Tperm:type in [int32,int64] = int32", ""},
    {"Const", "", "output:dtype", "value:tensor; dtype:type", ""},
    {"DeepCopy", "x:T", "y:T", "T:type", "stateful"},
    {"DepthToSpace", "input:T", "output:T",
     "T:type; block_size:int >= 2; data_format:string in [b'NHWC',b'NCHW',b'NCHW_VECT_C'] = "
     "'NHWC'",
     ""},
    {"Diag", "diagonal:T", "output:T",
     "T:type in [bfloat16,half,float,double,int32,int64,complex64,complex128]", ""},
    {"DiagPart", "input:T", "diagonal:T",
     "T:type in [bfloat16,half,float,double,int32,int64,complex64,complex128]", ""},
    {"EditDistance",
     "hypothesis_indices:int64, hypothesis_values:T, hypothesis_shape:int64, "
     "truth_indices:int64, truth_values:T, truth_shape:int64",
     "output:float", "normalize:bool = True; T:type", ""},
    {"EnsureShape", "input:T", "output:T", "shape:shape; T:type", ""},
    {"ExpandDims", "input:T, dim:Tdim", "output:T", "T:type; Tdim:type in [int32,int64] = int32", ""},
    {"ExtractImagePatches", "images:T", "patches:T",
     "ksizes:list(int) >= 4; strides:list(int) >= 4; rates:list(int) >= 4; T:type in "
     "[bfloat16,half,float,double,int8,int16,int32,int64,uint8,uint16,uint32,uint64,complex64,"
     "complex128,bool]; padding:string in [b'SAME',b'VALID']",
     ""},
    {"FakeQuantWithMinMaxArgs", "inputs:float", "outputs:float",
     "min:float = -6.0; max:float = 6.0; num_bits:int = 8; narrow_range:bool = False", ""},
    {"FakeQuantWithMinMaxVars", "inputs:float, min:float, max:float", "outputs:float",
     "num_bits:int = 8; narrow_range:bool = False", ""},
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
    {"Identity", "input:T", "output:T", "T:type", ""},
    {"IdentityN", "input:list(T)", "output:list(T)", "T:list(type) >= 1", ""},
    {"ImmutableConst", "", "tensor:dtype", "dtype:type; shape:shape; memory_region_name:string", ""},
    {"InvertPermutation", "x:T", "y:T", "T:type in [int32,int64] = int32", ""},
    {"ListDiff", "x:T, y:T", "out:T, idx:out_idx", "T:type; out_idx:type in [int32,int64] = int32", ""},
    {"MatrixBandPart", "input:T, num_lower:Tindex, num_upper:Tindex", "band:T",
     "T:type; Tindex:type in [int32,int64] = int64", ""},
    {"MatrixDiag", "diagonal:T", "output:T", "T:type", ""},
    {"MatrixDiagPart", "input:T", "diagonal:T", "T:type", ""},
    {"MatrixSetDiag", "input:T, diagonal:T", "output:T", "T:type", ""},
    {"MirrorPad", "input:T, paddings:Tpaddings", "output:T",
     "T:type; Tpaddings:type in [int32,int64] = int32; mode:string in [b'REFLECT',b'SYMMETRIC']", ""},
    {"MirrorPadGrad", "input:T, paddings:Tpaddings", "output:T",
     "T:type; Tpaddings:type in [int32,int64] = int32; mode:string in [b'REFLECT',b'SYMMETRIC']", ""},
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
    {"Placeholder", "", "output:dtype", "dtype:type; shape:shape = unknown_rank", ""},
    {"PlaceholderV2", "", "output:dtype", "dtype:type; shape:shape", "deprecated_since_23"},
    {"PlaceholderWithDefault", "input:dtype", "output:dtype", "dtype:type; shape:shape", ""},
    {"PreventGradient", "input:T", "output:T", "T:type; message:string = ''", ""},
    {"QuantizeAndDequantizeV2", "input:T, input_min:T, input_max:T", "output:T",
     "signed_input:bool = True; num_bits:int = 8; range_given:bool = False; T:type in "
     "[bfloat16,half,float,double]; round_mode:string in [b'HALF_TO_EVEN',b'HALF_UP'] = "
     "'HALF_TO_EVEN'; narrow_range:bool = False; axis:int = -1",
     ""},
    {"Rank", "input:T", "output:int32", "T:type", ""},
    {"RefIdentity", "input:Ref(T)", "output:Ref(T)", "T:type", "uninitialized_ok"},
    {"Reshape", "tensor:T, shape:Tshape", "output:T", "T:type; Tshape:type in [int32,int64] = int32", ""},
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
    {"ScatterNd", "indices:Tindices, updates:T, shape:Tindices", "output:T",
     "T:type; Tindices:type in [int16,int32,int64]; bad_indices_policy:string = ''", ""},
    {"Select", "condition:bool, t:T, e:T", "output:T", "T:type", ""},
    {"SelectV2", "condition:bool, t:T, e:T", "output:T", "T:type", ""},
    {"Shape", "input:T", "output:out_type", "T:type; out_type:type in [int32,int64] = int32", ""},
    {"ShapeN", "input:N * T", "output:N * out_type",
     "N:int >= 1; T:type; out_type:type in [int32,int64] = int32", ""},
    {"Size", "input:T", "output:out_type", "T:type; out_type:type in [int32,int64] = int32", ""},
    {"Slice", "input:T, begin:Index, size:Index", "output:T", "T:type; Index:type in [int32,int64]", ""},
    {"Snapshot", "input:T", "output:T", "T:type", ""},
    {"SpaceToBatchND", "input:T, block_shape:Tblock_shape, paddings:Tpaddings", "output:T",
     "T:type; Tblock_shape:type in [int32,int64] = int32; Tpaddings:type in [int32,int64] = "
     "int32",
     ""},
    {"SpaceToDepth", "input:T", "output:T",
     "T:type; block_size:int >= 2; data_format:string in [b'NHWC',b'NCHW',b'NCHW_VECT_C'] = "
     "'NHWC'",
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
    {"TensorScatterUpdate", "tensor:T, indices:Tindices, updates:T", "output:T",
     "T:type; Tindices:type in [int16,int32,int64,uint16]; bad_indices_policy:string = ''", ""},
    {"Tile", "input:T, multiples:Tmultiples", "output:T", "T:type; Tmultiples:type in [int32,int64] = int32",
     ""},
    {"Transpose", "x:T, perm:Tperm", "y:T", "T:type; Tperm:type in [int32,int64] = int32", ""},
    {"Unique", "x:T", "y:T, idx:out_idx", "T:type; out_idx:type in [int32,int64] = int32", ""},
    {"UniqueV2", "x:T, axis:Taxis", "y:T, idx:out_idx",
     "T:type; Taxis:type in [int32,int64] = int64; out_idx:type in [int32,int64] = int32", ""},
    {"UniqueWithCounts", "x:T", "y:T, idx:out_idx, count:out_idx",
     "T:type; out_idx:type in [int32,int64] = int32", ""},
    {"Unpack", "value:T", "output:num * T", "num:int >= 0; T:type; axis:int = 0", ""},
    {"Where", "input:T", "index:int64",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,bool] = bool",
     ""},
    {"ZerosLike", "x:T", "y:T", "T:type", ""},
};

}  // namespace

absl::Status register_array_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
