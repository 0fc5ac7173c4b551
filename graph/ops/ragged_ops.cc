#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"RaggedCross",
     "ragged_values:list(ragged_values_types), ragged_row_splits:list(ragged_splits_types), "
     "sparse_indices:Nsparse * int64, sparse_values:list(sparse_values_types), sparse_shape:Nsparse * int64, "
     "dense_inputs:list(dense_types)",
     "output_values:out_values_type, output_row_splits:out_row_splits_type",
     "Nsparse:int >= 0; input_order:string; hashed_output:bool; num_buckets:int >= 0; hash_key:int; "
     "ragged_values_types:list(type) in [int64,string] >= 0; ragged_splits_types:list(index) >= 0; "
     "sparse_values_types:list(type) in [int64,string] >= 0; "
     "dense_types:list(type) in [int64,string] >= 0; out_values_type:type in [int64,string]; "
     "out_row_splits_type:index",
     ""},
    {"RaggedGather",
     "params_nested_splits:PARAMS_RAGGED_RANK * Tsplits, params_dense_values:Tvalues, indices:Tindices",
     "output_nested_splits:OUTPUT_RAGGED_RANK * Tsplits, output_dense_values:Tvalues",
     "Tvalues:type; Tindices:index; Tsplits:index = int64; PARAMS_RAGGED_RANK:int >= 1; "
     "OUTPUT_RAGGED_RANK:int >= 0",
     ""},
    {"RaggedRange", "starts:T, limits:T, deltas:T", "rt_nested_splits:Tsplits, rt_dense_values:T",
     "T:type in [bfloat16,float,double,int32,int64] = int32; Tsplits:index = int64", ""},
    {"RaggedTensorFromVariant", "encoded_ragged:variant",
     "output_nested_splits:output_ragged_rank * Tsplits, output_dense_values:Tvalues",
     "input_ragged_rank:int >= -1; output_ragged_rank:int >= 0; Tvalues:type; Tsplits:index = int64", ""},
    {"RaggedTensorToSparse", "rt_nested_splits:RAGGED_RANK * Tsplits, rt_dense_values:T",
     "sparse_indices:int64, sparse_values:T, sparse_dense_shape:int64",
     "RAGGED_RANK:int >= 1; T:type; Tsplits:index = int64", ""},
    {"RaggedTensorToTensor",
     "shape:Tshape, values:T, default_value:T, "
     "row_partition_tensors:num_row_partition_tensors * Tindex",
     "result:T",
     "T:type; Tindex:type in [int64,int32]; Tshape:type in [int64,int32]; "
     "num_row_partition_tensors:int >= 1; row_partition_types:list(string)",
     ""},
    {"RaggedTensorToVariant", "rt_nested_splits:RAGGED_RANK * Tsplits, rt_dense_values:Tvalues",
     "encoded_ragged:variant",
     "RAGGED_RANK:int >= 0; Tvalues:type; Tsplits:index = int64; batched_input:bool", ""},
    {"RaggedTensorToVariantGradient",
     "encoded_ragged_grad:variant, row_splits:Tsplits, dense_values_shape:int32", "dense_values_grad:Tvalues",
     "Tvalues:type; Tsplits:index = int64", ""},
    {"_TensorToHashBucketFast", "input:T", "output:int64",
     "T:type in [int8,uint8,int16,uint16,int32,uint32,int64,uint64]; num_buckets:int >= 1", ""},
};

}  // namespace

absl::Status register_ragged_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
