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
    {"ExperimentalIgnoreErrorsDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; log_warning:bool = False", ""},
    {"ExperimentalLatencyStatsDataset", "input_dataset:variant, tag:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalMaxIntraOpParallelismDataset", "input_dataset:variant, max_intra_op_parallelism:int64",
     "handle:variant", "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalNonSerializableDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalParseExampleDataset",
     "input_dataset:variant, num_parallel_calls:int64, dense_defaults:list(Tdense)", "handle:variant",
     "sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; sparse_types:list(feature) >= 0; "
     "Tdense:list(feature) >= 0; dense_shapes:list(shape) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; sloppy:bool = False",
     ""},
    {"ExperimentalPrivateThreadPoolDataset", "input_dataset:variant, num_threads:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalRebatchDataset", "input_dataset:variant, num_replicas:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; use_fallback:bool = True", ""},
    {"ExperimentalSetStatsAggregatorDataset",
     "input_dataset:variant, stats_aggregator:resource, tag:string, counter_prefix:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ExperimentalSleepDataset", "input_dataset:variant, sleep_microseconds:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalSlidingWindowDataset",
     "input_dataset:variant, window_size:int64, window_shift:int64, window_stride:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalThreadPoolDataset", "input_dataset:variant, thread_pool:resource", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ExperimentalUnbatchDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"ExperimentalUniqueDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"FilterByLastComponentDataset", "input_dataset:variant", "output:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
    {"FinalizeDataset", "input_dataset:variant", "handle:variant",
     "has_captured_ref:bool = False; output_types:list(type) >= 1; output_shapes:list(shape) "
     ">= 1",
     ""},
    {"GlobalShuffleDataset", "input_dataset:variant, seed:int64, seed2:int64, seed_generator:resource",
     "handle:variant",
     "reshuffle_each_iteration:bool = True; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     "stateful"},
    {"IgnoreErrorsDataset", "input_dataset:variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; log_warning:bool = False", ""},
    {"LatencyStatsDataset", "input_dataset:variant, tag:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", ""},
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
    {"ParseExampleDataset", "input_dataset:variant, num_parallel_calls:int64, dense_defaults:list(Tdense)",
     "handle:variant",
     "sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; sparse_types:list(feature) >= 0; "
     "Tdense:list(feature) >= 0; dense_shapes:list(shape) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; sloppy:bool = False; ragged_keys:list(string) >= 0 = []; "
     "ragged_value_types:list(feature) >= 0 = []; ragged_split_types:list(index) >= 0 = []",
     ""},
    {"ParseExampleDatasetV2", "input_dataset:variant, num_parallel_calls:int64, dense_defaults:list(Tdense)",
     "handle:variant",
     "sparse_keys:list(string) >= 0; dense_keys:list(string) >= 0; sparse_types:list(feature) >= 0; "
     "Tdense:list(feature) >= 0; dense_shapes:list(shape) >= 0; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; deterministic:string = 'default'; "
     "ragged_keys:list(string) >= 0 = []; ragged_value_types:list(feature) >= 0 = []; "
     "ragged_split_types:list(index) >= 0 = []",
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
    {"SnapshotNestedDatasetReader", "inputs:N * variant", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; N:int >= 1", ""},
    {"TakeDataset", "input_dataset:variant, count:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", ""},
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
