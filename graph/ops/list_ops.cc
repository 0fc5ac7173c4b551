#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"EmptyTensorMap", "", "handle:variant", "", ""},
    {"TensorListConcat", "input_handle:variant", "tensor:element_dtype, lengths:int64",
     "element_dtype:type; element_shape:shape = unknown_rank", ""},
    {"TensorListConcatLists", "input_a:variant, input_b:variant", "output:variant", "element_dtype:type", ""},
    {"TensorListPushBackBatch", "input_handles:variant, tensor:element_dtype", "output_handles:variant",
     "element_dtype:type", ""},
    {"TensorListScatter", "tensor:element_dtype, indices:int32, element_shape:shape_type",
     "output_handle:variant", "element_dtype:type; shape_type:type in [int32,int64]", ""},
    {"TensorListScatterIntoExistingList", "input_handle:variant, tensor:element_dtype, indices:int32",
     "output_handle:variant", "element_dtype:type", ""},
    {"TensorMapErase", "input_handle:variant, key:key_dtype", "output_handle:variant",
     "key_dtype:type; value_dtype:type", ""},
    {"TensorMapHasKey", "input_handle:variant, key:key_dtype", "has_key:bool", "key_dtype:type", ""},
    {"TensorMapInsert", "input_handle:variant, key:key_dtype, value:value_dtype", "output_handle:variant",
     "key_dtype:type; value_dtype:type", ""},
    {"TensorMapLookup", "input_handle:variant, key:key_dtype", "value:value_dtype",
     "key_dtype:type; value_dtype:type", ""},
    {"TensorMapSize", "input_handle:variant", "size:int32", "", ""},
    {"TensorMapStackKeys", "input_handle:variant", "keys:key_dtype", "key_dtype:type", ""},
};

}  // namespace

absl::Status register_list_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
