#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AssertCardinalityDataset", "input_dataset:variant, cardinality:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"AssertNextDataset", "input_dataset:variant, transformations:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"AssertPrevDataset", "input_dataset:variant, transformations:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"AutoShardDataset", "input_dataset:variant, num_workers:int64, index:int64", "handle:variant",
     "auto_shard_policy:int = 0; output_types:list(type) >= 1; output_shapes:list(shape) >= "
     "1; num_replicas:int = 0",
     ""},
    {"BatchDataset", "input_dataset:variant, batch_size:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"BatchDatasetV2", "input_dataset:variant, batch_size:int64, drop_remainder:bool", "handle:variant",
     "parallel_copy:bool = False; output_types:list(type) >= 1; output_shapes:list(shape) >= "
     "1; metadata:string = ''",
     ""},
    {"BytesProducedStatsDataset", "input_dataset:variant, tag:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"CacheDataset", "input_dataset:variant, filename:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"CacheDatasetV2", "input_dataset:variant, filename:string, cache:resource", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", "stateful"},
    {"ChooseFastestBranchDataset",
     "input_dataset:variant, ratio_numerator:int64, ratio_denominator:int64, "
     "other_arguments:list(Targuments)",
     "handle:variant",
     "Targuments:list(type) >= 0; num_elements_per_branch:int >= 1; branches:list(func) >= 1; "
     "other_arguments_lengths:list(int) >= 1; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"ChooseFastestDataset", "input_datasets:N * variant", "handle:variant",
     "N:int >= 2; num_experiments:int; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"ConcatenateDataset", "input_dataset:variant, another_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"DenseToSparseBatchDataset", "input_dataset:variant, batch_size:int64, row_shape:int64",
     "handle:variant", "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"DirectedInterleaveDataset", "selector_input_dataset:variant, data_input_datasets:N * variant",
     "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; N:int >= 1; "
     "stop_on_empty_dataset:bool = False",
     ""},
    {"ExperimentalAssertNextDataset", "input_dataset:variant, transformations:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalAutoShardDataset", "input_dataset:variant, num_workers:int64, index:int64",
     "handle:variant",
     "auto_shard_policy:int = 0; output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalBytesProducedStatsDataset", "input_dataset:variant, tag:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalChooseFastestDataset", "input_datasets:N * variant", "handle:variant",
     "N:int >= 2; num_experiments:int; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"ExperimentalDenseToSparseBatchDataset", "input_dataset:variant, batch_size:int64, row_shape:int64",
     "handle:variant", "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalDirectedInterleaveDataset",
     "selector_input_dataset:variant, data_input_datasets:N * variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; N:int >= 1", ""},
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
    {"ExperimentalIgnoreErrorsDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; log_warning:bool = False", ""},
    {"ExperimentalLatencyStatsDataset", "input_dataset:variant, tag:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
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
    {"ExperimentalMaxIntraOpParallelismDataset", "input_dataset:variant, max_intra_op_parallelism:int64",
     "handle:variant", "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalNonSerializableDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalParallelInterleaveDataset",
     "input_dataset:variant, other_arguments:list(Targuments), cycle_length:int64, "
     "block_length:int64, sloppy:bool, buffer_output_elements:int64, "
     "prefetch_input_elements:int64",
     "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"ExperimentalParseExampleDataset",
     "input_dataset:variant, num_parallel_calls:int64, dense_defaults:list(Tdense)", "handle:variant",
     "sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; sparse_types:list(type) in "
     "[float,int64,string] >= 0; Tdense:list(type) in [float,int64,string] >= 0; "
     "dense_shapes:list(shape) >= 0; output_types:list(type) >= 1; output_shapes:list(shape) "
     ">= 1; sloppy:bool = False",
     ""},
    {"ExperimentalPrivateThreadPoolDataset", "input_dataset:variant, num_threads:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalRebatchDataset", "input_dataset:variant, num_replicas:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; use_fallback:bool = True", ""},
    {"ExperimentalScanDataset",
     "input_dataset:variant, initial_state:list(Tstate), other_arguments:list(Targuments)", "handle:variant",
     "f:func; Tstate:list(type) >= 1; Targuments:list(type) >= 0; output_types:list(type) >= "
     "1; output_shapes:list(shape) >= 1; preserve_cardinality:bool = False",
     ""},
    {"ExperimentalSetStatsAggregatorDataset",
     "input_dataset:variant, stats_aggregator:resource, tag:string, counter_prefix:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ExperimentalSleepDataset", "input_dataset:variant, sleep_microseconds:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalSlidingWindowDataset",
     "input_dataset:variant, window_size:int64, window_shift:int64, window_stride:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalTakeWhileDataset", "input_dataset:variant, other_arguments:list(Targuments)",
     "handle:variant",
     "predicate:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1",
     ""},
    {"ExperimentalThreadPoolDataset", "input_dataset:variant, thread_pool:resource", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ExperimentalUnbatchDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalUniqueDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"FilterByLastComponentDataset", "input_dataset:variant", "output:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"FilterDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "predicate:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"FinalizeDataset", "input_dataset:variant", "handle:variant",
     "has_captured_ref:bool = False; output_types:list(type) >= 1; output_shapes:list(shape) "
     ">= 1",
     ""},
    {"FlatMapDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "f:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"GlobalShuffleDataset", "input_dataset:variant, seed:int64, seed2:int64, seed_generator:resource",
     "handle:variant",
     "reshuffle_each_iteration:bool = True; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     "stateful"},
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
    {"IgnoreErrorsDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; log_warning:bool = False", ""},
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
    {"LatencyStatsDataset", "input_dataset:variant, tag:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
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
    {"MaxIntraOpParallelismDataset", "input_dataset:variant, max_intra_op_parallelism:int64",
     "handle:variant", "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ModelDataset", "input_dataset:variant", "handle:variant",
     "algorithm:int = 0; cpu_budget:int = 0; ram_budget:int = 0; output_types:list(type) >= "
     "1; output_shapes:list(shape) >= 1",
     ""},
    {"NonSerializableDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"OptimizeDataset", "input_dataset:variant, optimizations:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; "
     "optimization_configs:list(string) = []",
     ""},
    {"OptimizeDatasetV2",
     "input_dataset:variant, optimizations_enabled:string, optimizations_disabled:string, "
     "optimizations_default:string",
     "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; "
     "optimization_configs:list(string) = []",
     ""},
    {"OptionsDataset", "input_dataset:variant", "handle:variant",
     "serialized_options:string; output_types:list(type) >= 1; output_shapes:list(shape) >= "
     "1; metadata:string = ''",
     ""},
    {"PaddedBatchDataset",
     "input_dataset:variant, batch_size:int64, padded_shapes:N * int64, "
     "padding_values:list(Toutput_types)",
     "handle:variant",
     "Toutput_types:list(type) >= 1; output_shapes:list(shape) >= 1; N:int >= 1; "
     "metadata:string = ''",
     ""},
    {"PaddedBatchDatasetV2",
     "input_dataset:variant, batch_size:int64, padded_shapes:N * int64, "
     "padding_values:list(Toutput_types), drop_remainder:bool",
     "handle:variant",
     "parallel_copy:bool = False; Toutput_types:list(type) >= 1; output_shapes:list(shape) >= "
     "1; N:int >= 1; metadata:string = ''",
     ""},
    {"ParallelBatchDataset",
     "input_dataset:variant, batch_size:int64, num_parallel_calls:int64, drop_remainder:bool",
     "handle:variant",
     "parallel_copy:bool = False; output_types:list(type) >= 1; output_shapes:list(shape) >= "
     "1; deterministic:string = 'default'; metadata:string = ''",
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
    {"ParseExampleDataset", "input_dataset:variant, num_parallel_calls:int64, dense_defaults:list(Tdense)",
     "handle:variant",
     "sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; sparse_types:list(type) in "
     "[float,int64,string] >= 0; Tdense:list(type) in [float,int64,string] >= 0; "
     "dense_shapes:list(shape) >= 0; output_types:list(type) >= 1; output_shapes:list(shape) "
     ">= 1; sloppy:bool = False; ragged_keys:list(string) >= 0 = []; "
     "ragged_value_types:list(type) in [float,int64,string] >= 0 = []; "
     "ragged_split_types:list(type) in [int32,int64] >= 0 = []",
     ""},
    {"ParseExampleDatasetV2", "input_dataset:variant, num_parallel_calls:int64, dense_defaults:list(Tdense)",
     "handle:variant",
     "sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; sparse_types:list(type) in "
     "[float,int64,string] >= 0; Tdense:list(type) in [float,int64,string] >= 0; "
     "dense_shapes:list(shape) >= 0; output_types:list(type) >= 1; output_shapes:list(shape) "
     ">= 1; deterministic:string = 'default'; ragged_keys:list(string) >= 0 = []; "
     "ragged_value_types:list(type) in [float,int64,string] >= 0 = []; "
     "ragged_split_types:list(type) in [int32,int64] >= 0 = []",
     ""},
    {"PrefetchDataset", "input_dataset:variant, buffer_size:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; slack_period:int = 0; "
     "legacy_autotune:bool = True; buffer_size_min:int = 0; metadata:string = ''",
     ""},
    {"PrivateThreadPoolDataset", "input_dataset:variant, num_threads:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"RebatchDataset", "input_dataset:variant, num_replicas:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; use_fallback:bool = True", ""},
    {"RebatchDatasetV2", "input_dataset:variant, batch_sizes:int64, drop_remainder:bool", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"RepeatDataset", "input_dataset:variant, count:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"RewriteDataset", "input_dataset:variant, rewrite_name:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"SamplingDataset", "input_dataset:variant, rate:float, seed:int64, seed2:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
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
    {"SetStatsAggregatorDataset",
     "input_dataset:variant, stats_aggregator:resource, tag:string, counter_prefix:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ShardDataset", "input_dataset:variant, num_shards:int64, index:int64", "handle:variant",
     "require_non_empty:bool = False; output_types:list(type) >= 1; output_shapes:list(shape) "
     ">= 1; metadata:string = ''",
     ""},
    {"ShuffleAndRepeatDataset",
     "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64, count:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; "
     "reshuffle_each_iteration:bool = True; metadata:string = ''",
     ""},
    {"ShuffleAndRepeatDatasetV2",
     "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64, count:int64, "
     "seed_generator:resource",
     "handle:variant",
     "reshuffle_each_iteration:bool = True; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     "stateful"},
    {"ShuffleDataset", "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64", "handle:variant",
     "reshuffle_each_iteration:bool = True; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"ShuffleDatasetV2", "input_dataset:variant, buffer_size:int64, seed_generator:resource",
     "handle:variant", "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''",
     "stateful"},
    {"ShuffleDatasetV3",
     "input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64, seed_generator:resource",
     "handle:variant",
     "reshuffle_each_iteration:bool = True; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     "stateful"},
    {"SkipDataset", "input_dataset:variant, count:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"SlidingWindowDataset",
     "input_dataset:variant, window_size:int64, window_shift:int64, window_stride:int64", "handle:variant",
     "drop_remainder:bool = True; output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"SnapshotDataset", "input_dataset:variant, path:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; compression:string = ''; "
     "reader_path_prefix:string = ''; writer_path_prefix:string = ''; shard_size_bytes:int = "
     "10737418240; pending_snapshot_expiry_seconds:int = 86400; num_reader_threads:int = 1; "
     "reader_buffer_size:int = 1; num_writer_threads:int = 1; writer_buffer_size:int = 1; "
     "shuffle_on_read:bool = False; seed:int = 0; seed2:int = 0; mode:string = 'auto'; "
     "snapshot_name:string = ''",
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
    {"SnapshotNestedDatasetReader", "inputs:N * variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; N:int >= 1", ""},
    {"TakeDataset", "input_dataset:variant, count:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"TakeWhileDataset", "input_dataset:variant, other_arguments:list(Targuments)", "handle:variant",
     "predicate:func; Targuments:list(type) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"ThreadPoolDataset", "input_dataset:variant, thread_pool:resource", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"UnbatchDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"UniqueDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
    {"WeightedFlatMapDataset", "input_datasets:N * variant, weights:M * double", "handle:variant",
     "N:int >= 2; M:int >= 2; output_types:list(type) >= 1; output_shapes:list(shape) >= 1; "
     "metadata:string = ''",
     ""},
    {"WindowDataset", "input_dataset:variant, size:int64, shift:int64, stride:int64, drop_remainder:bool",
     "handle:variant", "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''",
     ""},
    {"ZipDataset", "input_datasets:N * variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; N:int >= 1; "
     "metadata:string = ''",
     ""},
};

}  // namespace

absl::Status register_dataset_transformation_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
