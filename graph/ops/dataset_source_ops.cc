#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"CSVDataset",
     "filenames:string, compression_type:string, buffer_size:int64, header:bool, field_delim:string, "
     "use_quote_delim:bool, na_value:string, select_cols:int64, record_defaults:list(output_types)",
     "handle:variant", "output_types:list(csv_field) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"CSVDatasetV2",
     "filenames:string, compression_type:string, buffer_size:int64, header:bool, field_delim:string, "
     "use_quote_delim:bool, na_value:string, select_cols:int64, record_defaults:list(output_types), "
     "exclude_cols:int64",
     "handle:variant", "output_types:list(csv_field) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"DataServiceDataset",
     "dataset_id:int64, processing_mode:string, address:string, protocol:string, "
     "job_name:string, max_outstanding_requests:int64, iteration_counter:resource",
     "handle:variant",
     "task_refresh_interval_hint_ms:int = -1; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; data_transfer_protocol:string = ''; "
     "target_workers:string = 'AUTO'; cross_trainer_cache_options:string = ''",
     "stateful"},
    {"DataServiceDatasetV2",
     "dataset_id:int64, processing_mode:string, address:string, protocol:string, "
     "job_name:string, consumer_index:int64, num_consumers:int64, "
     "max_outstanding_requests:int64, iteration_counter:resource",
     "handle:variant",
     "task_refresh_interval_hint_ms:int = -1; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; data_transfer_protocol:string = ''; "
     "target_workers:string = 'AUTO'; cross_trainer_cache_options:string = ''",
     "stateful"},
    {"DataServiceDatasetV3",
     "dataset_id:int64, processing_mode:string, address:string, protocol:string, "
     "job_name:string, consumer_index:int64, num_consumers:int64, "
     "max_outstanding_requests:int64, iteration_counter:resource",
     "handle:variant",
     "task_refresh_interval_hint_ms:int = -1; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; data_transfer_protocol:string = ''; "
     "target_workers:string = 'AUTO'; uncompress:bool = False; uncompress_fn:func; "
     "cross_trainer_cache_options:string = ''",
     "stateful"},
    {"DataServiceDatasetV4",
     "dataset_id:string, processing_mode:string, address:string, protocol:string, "
     "job_name:string, consumer_index:int64, num_consumers:int64, "
     "max_outstanding_requests:int64, iteration_counter:resource",
     "handle:variant",
     "task_refresh_interval_hint_ms:int = -1; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; data_transfer_protocol:string = ''; "
     "target_workers:string = 'AUTO'; uncompress:bool = False; uncompress_fn:func; "
     "cross_trainer_cache_options:string = ''",
     "stateful"},
    {"DatasetFromGraph", "graph_def:string", "handle:variant", "", ""},
    {"ExperimentalCSVDataset",
     "filenames:string, compression_type:string, buffer_size:int64, header:bool, field_delim:string, "
     "use_quote_delim:bool, na_value:string, select_cols:int64, record_defaults:list(output_types)",
     "handle:variant", "output_types:list(csv_field) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ExperimentalLMDBDataset", "filenames:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ExperimentalMatchingFilesDataset", "patterns:string", "handle:variant", "", "stateful"},
    {"ExperimentalRandomDataset", "seed:int64, seed2:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ExperimentalSqlDataset", "driver_name:string, data_source_name:string, query:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"FixedLengthRecordDataset",
     "filenames:string, header_bytes:int64, record_bytes:int64, footer_bytes:int64, "
     "buffer_size:int64",
     "handle:variant", "metadata:string = ''", "stateful"},
    {"FixedLengthRecordDatasetV2",
     "filenames:string, header_bytes:int64, record_bytes:int64, footer_bytes:int64, "
     "buffer_size:int64, compression_type:string",
     "handle:variant", "metadata:string = ''", "stateful"},
    {"GeneratorDataset",
     "init_func_other_args:list(Tinit_func_args), next_func_other_args:list(Tnext_func_args), "
     "finalize_func_other_args:list(Tfinalize_func_args)",
     "handle:variant",
     "init_func:func; next_func:func; finalize_func:func; Tinit_func_args:list(type) >= 0; "
     "Tnext_func_args:list(type) >= 0; Tfinalize_func_args:list(type) >= 0; "
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''",
     "stateful"},
    {"LMDBDataset", "filenames:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"ListDataset", "tensors:list(Tinput_types)", "handle:variant",
     "Tinput_types:list(type) >= 1; output_types:list(type) >= 1; output_shapes:list(shape) "
     ">= 1; metadata:string = ''",
     "stateful"},
    {"ListSnapshotChunksDataset", "snapshot_path:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"LoadDataset", "path:string, reader_func_other_args:list(Treader_func_args)", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; compression:string = ''; "
     "reader_func:func; Treader_func_args:list(type) >= 0",
     "stateful"},
    {"MatchingFilesDataset", "patterns:string", "handle:variant", "", "stateful"},
    {"RandomDataset", "seed:int64, seed2:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", "stateful"},
    {"RandomDatasetV2", "seed:int64, seed2:int64, seed_generator:resource", "handle:variant",
     "rerandomize_each_iteration:bool = False; output_types:list(type) >= 1; "
     "output_shapes:list(shape) >= 1; metadata:string = ''",
     "stateful"},
    {"RangeDataset", "start:int64, stop:int64, step:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''; "
     "replicate_on_split:bool = False",
     "stateful"},
    {"SnapshotChunkDataset", "chunk_file:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; compression:string = ''", ""},
    {"SnapshotDatasetReader", "shard_dir:string, start_index:int64", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1; compression:string = ''; "
     "version:int",
     ""},
    {"SparseTensorSliceDataset", "indices:int64, values:Tvalues, dense_shape:int64", "handle:variant",
     "Tvalues:type", "stateful"},
    {"SqlDataset", "driver_name:string, data_source_name:string, query:string", "handle:variant",
     "output_types:list(type) >= 1; output_shapes:list(shape) >= 1", "stateful"},
    {"TFRecordDataset", "filenames:string, compression_type:string, buffer_size:int64", "handle:variant",
     "metadata:string = ''", "stateful"},
    {"TFRecordDatasetV2", "filenames:string, compression_type:string, buffer_size:int64, byte_offsets:int64",
     "handle:variant", "metadata:string = ''", "stateful"},
    {"TensorDataset", "components:list(Toutput_types)", "handle:variant",
     "Toutput_types:list(type) >= 1; output_shapes:list(shape) >= 1; metadata:string = ''", "stateful"},
    {"TensorSliceDataset", "components:list(Toutput_types)", "handle:variant",
     "Toutput_types:list(type) >= 1; output_shapes:list(shape) >= 1; is_files:bool = False; "
     "metadata:string = ''; replicate_on_split:bool = False",
     "stateful"},
    {"TextLineDataset", "filenames:string, compression_type:string, buffer_size:int64", "handle:variant",
     "metadata:string = ''", "stateful"},
    {"UnwrapDatasetVariant", "input_handle:variant", "output_handle:variant", "", ""},
    {"WrapDatasetVariant", "input_handle:variant", "output_handle:variant", "", ""},
};

}  // namespace

absl::Status register_dataset_source_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
