#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"ExperimentalGroupByReducerDataset",
     "input_dataset:variant, key_func_other_arguments:list(Tkey_func_other_arguments), "
     "init_func_other_arguments:list(Tinit_func_other_arguments), "
     "reduce_func_other_arguments:list(Treduce_func_other_arguments), "
     "finalize_func_other_arguments:list(Tfinalize_func_other_arguments)",
     "handle:variant",
     "key_func:func; init_func:func; reduce_func:func; finalize_func:func; "
     "Tkey_func_other_arguments:list(type) >= 0; Tinit_func_other_arguments:list(type) >= 0; "
     "Treduce_func_other_arguments:list(type) >= 0; Tfinalize_func_other_arguments:list(type) "
     ">= 0; output_types:list(type) >= 1; output_shapes:list(shape) >= 1",
     "stateful"},
    {"ExperimentalGroupByWindowDataset",
     "input_dataset:variant, key_func_other_arguments:list(Tkey_func_other_arguments), "
     "reduce_func_other_arguments:list(Treduce_func_other_arguments), "
     "window_size_func_other_arguments:list(Twindow_size_func_other_arguments)",
     "handle:variant",
     "key_func:func; reduce_func:func; window_size_func:func; "
     "Tkey_func_other_arguments:list(type) >= 0; Treduce_func_other_arguments:list(type) >= "
     "0; Twindow_size_func_other_arguments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"ExperimentalMapAndBatchDataset",
     "input_dataset:variant, other_arguments:list(Targuments), batch_size:int64, "
     "num_parallel_calls:int64, drop_remainder:bool",
     "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; preserve_cardinality:bool = False",
     ""},
    {"ExperimentalMapDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; use_inter_op_parallelism:bool = True; "
     "preserve_cardinality:bool = False; force_synchronous:bool = False",
     ""},
    {"ExperimentalParallelInterleaveDataset",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64, sloppy:bool, buffer_output_elements:int64, "
     "prefetch_input_elements:int64",
     "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"ExperimentalScanDataset",
     "input_dataset:variant, initial_state:list(Tstate), other_arguments:list(Targuments)", "handle:variant",
     "f:func; Tstate:list(type) >= 1; Targuments:list(type) >= 0; output_types:list(type) >= "
     "1; output_shapes:list(shape) >= 1; preserve_cardinality:bool = False",
     ""},
    {"ExperimentalTakeWhileDataset", "input_dataset:variant, other_arguments:list(Targuments)",
     "handle:variant",
     "predicate:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"FilterDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "predicate:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"FlatMapDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"GroupByReducerDataset",
     "input_dataset:variant, key_func_other_arguments:list(Tkey_func_other_arguments), "
     "init_func_other_arguments:list(Tinit_func_other_arguments), "
     "reduce_func_other_arguments:list(Treduce_func_other_arguments), "
     "finalize_func_other_arguments:list(Tfinalize_func_other_arguments)",
     "handle:variant",
     "key_func:func; init_func:func; reduce_func:func; finalize_func:func; "
     "Tkey_func_other_arguments:list(type) >= 0; Tinit_func_other_arguments:list(type) >= 0; "
     "Treduce_func_other_arguments:list(type) >= 0; Tfinalize_func_other_arguments:list(type) "
     ">= 0; output_types:list(type) >= 1; output_shapes:list(shape) >= 1",
     "stateful"},
    {"GroupByWindowDataset",
     "input_dataset:variant, key_func_other_arguments:list(Tkey_func_other_arguments), "
     "reduce_func_other_arguments:list(Treduce_func_other_arguments), "
     "window_size_func_other_arguments:list(Twindow_size_func_other_arguments)",
     "handle:variant",
     "key_func:func; reduce_func:func; window_size_func:func; "
     "Tkey_func_other_arguments:list(type) >= 0; Treduce_func_other_arguments:list(type) >= "
     "0; Twindow_size_func_other_arguments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"IndexFlatMapDataset",
     "input_dataset:variant, map_func_other_args:list(Tmap_func_args), "
     "index_map_func_other_args:list(Tindex_map_func_args), output_cardinality:int64",
     "handle:variant",
     "map_func:func; index_map_func:func; Tmap_func_args:list(type) >= 0; "
     "Tindex_map_func_args:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"InterleaveDataset",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64",
     "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"LegacyParallelInterleaveDatasetV2",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64, buffer_output_elements:int64, prefetch_input_elements:int64",
     "handle:variant",
     "f:func; deterministic:string = 'default'; Targuments:list(type) >= 0; "
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"MapAndBatchDataset",
     "input_dataset:variant, other_arguments:list(Targuments), batch_size:int64, "
     "num_parallel_calls:int64, drop_remainder:bool",
     "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; preserve_cardinality:bool = False; metadata:string = ''",
     ""},
    {"MapDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; use_inter_op_parallelism:bool = True; "
     "preserve_cardinality:bool = False; force_synchronous:bool = False; metadata:string = ''",
     ""},
    {"ParallelFilterDataset",
     "input_dataset:variant, other_arguments:list(Targuments), num_parallel_calls:int64", "handle:variant",
     "predicate:func; deterministic:string = 'default'; Targuments:list(type) >= 0; "
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"ParallelInterleaveDataset",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64, sloppy:bool, buffer_output_elements:int64, "
     "prefetch_input_elements:int64",
     "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"ParallelInterleaveDatasetV2",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64, num_parallel_calls:int64",
     "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; sloppy:bool = False; metadata:string = ''",
     ""},
    {"ParallelInterleaveDatasetV3",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64, num_parallel_calls:int64",
     "handle:variant",
     "f:func; deterministic:string = 'default'; Targuments:list(type) >= 0; "
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"ParallelInterleaveDatasetV4",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64, buffer_output_elements:int64, prefetch_input_elements:int64, "
     "num_parallel_calls:int64",
     "handle:variant",
     "f:func; deterministic:string = 'default'; Targuments:list(type) >= 0; "
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"ParallelMapDataset",
     "input_dataset:variant, other_arguments:list(Targuments), num_parallel_calls:int32", "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; use_inter_op_parallelism:bool = True; sloppy:bool = "
     "False; preserve_cardinality:bool = False; metadata:string = ''",
     ""},
    {"ParallelMapDatasetV2",
     "input_dataset:variant, other_arguments:list(Targuments), num_parallel_calls:int64", "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; use_inter_op_parallelism:bool = True; "
     "deterministic:string = 'default'; preserve_cardinality:bool = False; "
     "use_unbounded_threadpool:bool = False; metadata:string = ''",
     ""},
    {"SaveDatasetV2", "input_dataset:variant, path:string, shard_func_other_args:list(Tshard_func_args)",
     "handle:variant",
     "compression:string = ''; shard_func:func; use_shard_func:bool = True; "
     "Tshard_func_args:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     "stateful"},
    {"ScanDataset", "input_dataset:variant, initial_state:list(Tstate), other_arguments:list(Targuments)",
     "handle:variant",
     "f:func; Tstate:list(type) >= 1; Targuments:list(type) >= 0; output_types:list(type) >= "
     "1; output_shapes:list(shape) >= 1; preserve_cardinality:bool = False; "
     "use_default_device:bool = True; metadata:string = ''",
     ""},
    {"SnapshotDatasetV2",
     "input_dataset:variant, path:string, reader_func_other_args:list(Treader_func_args), "
     "shard_func_other_args:list(Tshard_func_args)",
     "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; compression:string = ''; "
     "reader_prefix:string = ''; writer_prefix:string = ''; hash_valid:bool = False; hash:int "
     "= 0; reader_func:func; shard_func:func; Treader_func_args:list(type) >= 0; "
     "Tshard_func_args:list(type) >= 0; metadata:string = ''",
     ""},
    {"TakeWhileDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "predicate:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
};

}  // namespace

absl::Status register_dataset_function_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
