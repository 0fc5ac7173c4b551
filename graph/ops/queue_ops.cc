#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AccumulatorApplyGradient", "handle:Ref(string), local_step:int64, gradient:dtype", "", "dtype:numbers",
     ""},
    {"AccumulatorNumAccumulated", "handle:Ref(string)", "num_accumulated:int32", "", ""},
    {"AccumulatorSetGlobalStep", "handle:Ref(string), new_global_step:int64", "", "", ""},
    {"AccumulatorTakeGradient", "handle:Ref(string), num_required:int32", "average:dtype", "dtype:numbers",
     ""},
    {"Barrier", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"BarrierClose", "handle:Ref(string)", "", "cancel_pending_enqueues:bool = False", ""},
    {"BarrierIncompleteSize", "handle:Ref(string)", "size:int32", "", ""},
    {"BarrierInsertMany", "handle:Ref(string), keys:string, values:T", "", "T:type; component_index:int", ""},
    {"BarrierReadySize", "handle:Ref(string)", "size:int32", "", ""},
    {"BarrierTakeMany", "handle:Ref(string), num_elements:int32",
     "indices:int64, keys:string, values:list(component_types)",
     "component_types:list(type) >= 1; allow_small_batch:bool = False; "
     "wait_for_incomplete:bool = False; timeout_ms:int = -1",
     ""},
    {"ConditionalAccumulator", "", "handle:Ref(string)",
     "dtype:numbers; shape:shape; container:string = ''; shared_name:string = ''; "
     "reduction_type:string in [b'MEAN',b'SUM'] = 'MEAN'",
     "stateful"},
    {"FIFOQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"FIFOQueueV2", "", "handle:resource",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"FakeQueue", "resource:resource", "handle:Ref(string)", "", "stateful"},
    {"FixedLengthRecordReader", "", "reader_handle:Ref(string)",
     "header_bytes:int = 0; record_bytes:int; footer_bytes:int = 0; hop_bytes:int = 0; "
     "container:string = ''; shared_name:string = ''",
     "stateful deprecated_since_26"},
    {"FixedLengthRecordReaderV2", "", "reader_handle:resource",
     "header_bytes:int = 0; record_bytes:int; footer_bytes:int = 0; hop_bytes:int = 0; "
     "container:string = ''; shared_name:string = ''; encoding:string = ''",
     "stateful"},
    {"IdentityReader", "", "reader_handle:Ref(string)", "container:string = ''; shared_name:string = ''",
     "stateful deprecated_since_26"},
    {"IdentityReaderV2", "", "reader_handle:resource", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"LMDBReader", "", "reader_handle:Ref(string)", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MapClear", "", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"MapIncompleteSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"MapPeek", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MapSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"MapStage", "key:int64, indices:int32, values:list(fake_dtypes)", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); "
     "fake_dtypes:list(type) >= 1; container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MapUnstage", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"MapUnstageNoKey", "indices:int32", "key:int64, values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapClear", "", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapIncompleteSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapPeek", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapStage", "key:int64, indices:int32, values:list(fake_dtypes)", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); "
     "fake_dtypes:list(type) >= 1; container:string = ''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapUnstage", "key:int64, indices:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"OrderedMapUnstageNoKey", "indices:int32", "key:int64, values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PaddingFIFOQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PaddingFIFOQueueV2", "", "handle:resource",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PriorityQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 0 = []; shapes:list(shape) >= 0; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"PriorityQueueV2", "", "handle:resource",
     "component_types:list(type) >= 0 = []; shapes:list(shape) >= 0; capacity:int = -1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"QueueClose", "handle:Ref(string)", "", "cancel_pending_enqueues:bool = False", ""},
    {"QueueCloseV2", "handle:resource", "", "cancel_pending_enqueues:bool = False", "stateful"},
    {"QueueDequeue", "handle:Ref(string)", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueDequeueMany", "handle:Ref(string), n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueDequeueManyV2", "handle:resource, n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueDequeueUpTo", "handle:Ref(string), n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueDequeueUpToV2", "handle:resource, n:int32", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueDequeueV2", "handle:resource", "components:list(component_types)",
     "component_types:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueEnqueue", "handle:Ref(string), components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueEnqueueMany", "handle:Ref(string), components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", ""},
    {"QueueEnqueueManyV2", "handle:resource, components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueEnqueueV2", "handle:resource, components:list(Tcomponents)", "",
     "Tcomponents:list(type) >= 1; timeout_ms:int = -1", "stateful"},
    {"QueueIsClosed", "handle:Ref(string)", "is_closed:bool", "", ""},
    {"QueueIsClosedV2", "handle:resource", "is_closed:bool", "", "stateful"},
    {"QueueSize", "handle:Ref(string)", "size:int32", "", ""},
    {"QueueSizeV2", "handle:resource", "size:int32", "", "stateful"},
    {"RandomShuffleQueue", "", "handle:Ref(string)",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "min_after_dequeue:int = 0; seed:int = 0; seed2:int = 0; container:string = ''; "
     "shared_name:string = ''",
     "stateful"},
    {"RandomShuffleQueueV2", "", "handle:resource",
     "component_types:list(type) >= 1; shapes:list(shape) >= 0 = []; capacity:int = -1; "
     "min_after_dequeue:int = 0; seed:int = 0; seed2:int = 0; container:string = ''; "
     "shared_name:string = ''",
     "stateful"},
    {"ReaderNumRecordsProduced", "reader_handle:Ref(string)", "records_produced:int64", "", ""},
    {"ReaderNumRecordsProducedV2", "reader_handle:resource", "records_produced:int64", "", "stateful"},
    {"ReaderNumWorkUnitsCompleted", "reader_handle:Ref(string)", "units_completed:int64", "", ""},
    {"ReaderNumWorkUnitsCompletedV2", "reader_handle:resource", "units_completed:int64", "", "stateful"},
    {"ReaderRead", "reader_handle:Ref(string), queue_handle:Ref(string)", "key:string, value:string", "", ""},
    {"ReaderReadUpTo", "reader_handle:Ref(string), queue_handle:Ref(string), num_records:int64",
     "keys:string, values:string", "", ""},
    {"ReaderReadUpToV2", "reader_handle:resource, queue_handle:resource, num_records:int64",
     "keys:string, values:string", "", "stateful"},
    {"ReaderReadV2", "reader_handle:resource, queue_handle:resource", "key:string, value:string", "",
     "stateful"},
    {"ReaderReset", "reader_handle:Ref(string)", "", "", ""},
    {"ReaderResetV2", "reader_handle:resource", "", "", "stateful"},
    {"ReaderRestoreState", "reader_handle:Ref(string), state:string", "", "", ""},
    {"ReaderRestoreStateV2", "reader_handle:resource, state:string", "", "", "stateful"},
    {"ReaderSerializeState", "reader_handle:Ref(string)", "state:string", "", ""},
    {"ReaderSerializeStateV2", "reader_handle:resource", "state:string", "", "stateful"},
    {"RecordInput", "", "records:string",
     "file_pattern:string; file_random_seed:int = 301; file_shuffle_shift_ratio:float = 0.0; "
     "file_buffer_size:int = 10000; file_parallelism:int = 16; batch_size:int = 32; "
     "compression_type:string = ''",
     "stateful"},
    {"ResourceAccumulatorApplyGradient", "handle:resource, local_step:int64, gradient:dtype", "",
     "dtype:numbers", "stateful"},
    {"ResourceAccumulatorNumAccumulated", "handle:resource", "num_accumulated:int32", "", "stateful"},
    {"ResourceAccumulatorSetGlobalStep", "handle:resource, new_global_step:int64", "", "", "stateful"},
    {"ResourceAccumulatorTakeGradient", "handle:resource, num_required:int32", "average:dtype",
     "dtype:numbers", "stateful"},
    {"ResourceConditionalAccumulator", "", "handle:resource",
     "dtype:numbers; shape:shape; container:string = ''; shared_name:string = ''; "
     "reduction_type:string in [b'MEAN',b'SUM'] = 'MEAN'",
     "stateful"},
    {"SparseAccumulatorApplyGradient",
     "handle:Ref(string), local_step:int64, gradient_indices:int64, gradient_values:dtype, "
     "gradient_shape:int64",
     "", "dtype:numbers; has_known_shape:bool", ""},
    {"SparseAccumulatorTakeGradient", "handle:Ref(string), num_required:int32",
     "indices:int64, values:dtype, shape:int64", "dtype:numbers", ""},
    {"SparseConditionalAccumulator", "", "handle:Ref(string)",
     "dtype:numbers; shape:shape; container:string = ''; shared_name:string = ''; "
     "reduction_type:string in [b'MEAN',b'SUM'] = 'MEAN'",
     "stateful"},
    {"Stage", "values:list(dtypes)", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"StageClear", "", "",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"StagePeek", "index:int32", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"StageSize", "", "size:int32",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type); container:string = "
     "''; shared_name:string = ''",
     "stateful"},
    {"TFRecordReader", "", "reader_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; compression_type:string = ''",
     "stateful deprecated_since_26"},
    {"TFRecordReaderV2", "", "reader_handle:resource",
     "container:string = ''; shared_name:string = ''; compression_type:string = ''", "stateful"},
    {"TextLineReader", "", "reader_handle:Ref(string)",
     "skip_header_lines:int = 0; container:string = ''; shared_name:string = ''",
     "stateful deprecated_since_26"},
    {"TextLineReaderV2", "", "reader_handle:resource",
     "skip_header_lines:int = 0; container:string = ''; shared_name:string = ''", "stateful"},
    {"Unstage", "", "values:list(dtypes)",
     "capacity:int >= 0 = 0; memory_limit:int >= 0 = 0; dtypes:list(type) >= 1; "
     "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"WholeFileReader", "", "reader_handle:Ref(string)", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"WholeFileReaderV2", "", "reader_handle:resource", "container:string = ''; shared_name:string = ''",
     "stateful"},
};

}  // namespace

absl::Status register_queue_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
