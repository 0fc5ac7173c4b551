#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"GenerateVocabRemapping", "new_vocab_file:string, old_vocab_file:string",
     "remapping:int64, num_present:int32",
     "new_vocab_offset:int >= 0; num_new_vocab:int >= 0; old_vocab_size:int >= -1 = -1", ""},
    {"LoadAndRemapMatrix",
     "ckpt_path:string, old_tensor_name:string, row_remapping:int64, col_remapping:int64, "
     "initializing_values:float",
     "output_matrix:float", "num_rows:int >= 0; num_cols:int >= 1; max_rows_in_memory:int = -1", "stateful"},
    {"MatchingFiles", "pattern:string", "filenames:string", "", ""},
    {"MergeV2Checkpoints", "checkpoint_prefixes:string, destination_prefix:string", "",
     "delete_old_dirs:bool = True; allow_missing_files:bool = False", "stateful"},
    {"ReadFile", "filename:string", "contents:string", "", ""},
    {"Restore", "file_pattern:string, tensor_name:string", "tensor:dt", "dt:type; preferred_shard:int = -1",
     "stateful"},
    {"RestoreSlice", "file_pattern:string, tensor_name:string, shape_and_slice:string", "tensor:dt",
     "dt:type; preferred_shard:int = -1", "stateful"},
    {"RestoreV2", "prefix:string, tensor_names:string, shape_and_slices:string", "tensors:list(dtypes)",
     "dtypes:list(type) >= 1", "stateful"},
    {"Save", "filename:string, tensor_names:string, data:list(T)", "", "T:list(type) >= 1", "stateful"},
    {"SaveSlices", "filename:string, tensor_names:string, shapes_and_slices:string, data:list(T)", "",
     "T:list(type) >= 1", "stateful"},
    {"SaveV2", "prefix:string, tensor_names:string, shape_and_slices:string, tensors:list(dtypes)", "",
     "dtypes:list(type) >= 1", "stateful"},
    {"ShardedFilename", "basename:string, shard:int32, num_shards:int32", "filename:string", "", ""},
    {"ShardedFilespec", "basename:string, num_shards:int32", "filename:string", "", ""},
    {"WriteFile", "filename:string, contents:string", "", "", "stateful"},
};

}  // namespace

absl::Status register_checkpoint_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
