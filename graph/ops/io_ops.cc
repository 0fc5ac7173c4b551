#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"CalibrationStatisticsSaver", "args:list(Tin)", "",
     "Tin:list(type) >= 0; ids:list(string) >= 1; calibration_methods:list(int) >= 1; "
     "output_file_path:string",
     "stateful"},
    {"CloseSummaryWriter", "writer:resource", "", "", "stateful"},
    {"CreateSummaryDbWriter",
     "writer:resource, db_uri:string, experiment_name:string, run_name:string, user_name:string", "", "",
     "stateful"},
    {"CreateSummaryFileWriter",
     "writer:resource, logdir:string, max_queue:int32, flush_millis:int32, "
     "filename_suffix:string",
     "", "", "stateful"},
    {"DebugNumericSummary", "input:T", "output:double",
     "T:type; device_name:string = ''; tensor_name:string = ''; debug_urls:list(string) = []; "
     "lower_bound:float = -inf; upper_bound:float = inf; mute_if_healthy:bool = False; "
     "gated_grpc:bool = False",
     "uninitialized_ok"},
    {"DebugNumericSummaryV2", "input:T", "output:output_dtype",
     "output_dtype:type in [float,double] = float; T:type; tensor_debug_mode:int = -1; "
     "tensor_id:int = -1",
     ""},
    {"DistributedSave", "dataset:variant, directory:string, address:string", "", "metadata:string = ''",
     "stateful"},
    {"ExperimentalStatsAggregatorSummary", "iterator:resource", "summary:string", "", "stateful"},
    {"FileSystemSetConfiguration", "scheme:string, key:string, value:string", "", "", "stateful"},
    {"FixedLengthRecordReader", "", "reader_handle:Ref(string)",
     "header_bytes:int = 0; record_bytes:int; footer_bytes:int = 0; hop_bytes:int = 0; "
     "container:string = ''; shared_name:string = ''",
     "stateful deprecated_since_26"},
    {"FixedLengthRecordReaderV2", "", "reader_handle:resource",
     "header_bytes:int = 0; record_bytes:int; footer_bytes:int = 0; hop_bytes:int = 0; "
     "container:string = ''; shared_name:string = ''; encoding:string = ''",
     "stateful"},
    {"FlushSummaryWriter", "writer:resource", "", "", "stateful"},
    {"IdentityReader", "", "reader_handle:Ref(string)", "container:string = ''; shared_name:string = ''",
     "stateful deprecated_since_26"},
    {"LMDBReader", "", "reader_handle:Ref(string)", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"ReaderNumRecordsProduced", "reader_handle:Ref(string)", "records_produced:int64", "", ""},
    {"ReaderNumWorkUnitsCompleted", "reader_handle:Ref(string)", "units_completed:int64", "", ""},
    {"ReaderNumWorkUnitsCompletedV2", "reader_handle:resource", "units_completed:int64", "", "stateful"},
    {"ReaderRead", "reader_handle:Ref(string), queue_handle:Ref(string)", "key:string, value:string", "", ""},
    {"ReaderReadUpTo", "reader_handle:Ref(string), queue_handle:Ref(string), num_records:int64",
     "keys:string, values:string", "", ""},
    {"ReaderReset", "reader_handle:Ref(string)", "", "", ""},
    {"ReaderResetV2", "reader_handle:resource", "", "", "stateful"},
    {"ReaderRestoreState", "reader_handle:Ref(string), state:string", "", "", ""},
    {"ReaderRestoreStateV2", "reader_handle:resource, state:string", "", "", "stateful"},
    {"ReaderSerializeState", "reader_handle:Ref(string)", "state:string", "", ""},
    {"ReaderSerializeStateV2", "reader_handle:resource", "state:string", "", "stateful"},
    {"StatsAggregatorSetSummaryWriter", "stats_aggregator:resource, summary:resource", "", "", "stateful"},
    {"StatsAggregatorSummary", "iterator:resource", "summary:string", "", "stateful"},
    {"SummaryWriter", "", "writer:resource", "shared_name:string = ''; container:string = ''", "stateful"},
    {"TFRecordReader", "", "reader_handle:Ref(string)",
     "container:string = ''; shared_name:string = ''; compression_type:string = ''",
     "stateful deprecated_since_26"},
    {"TensorSummary", "tensor:T", "summary:string",
     "T:type; description:string = ''; labels:list(string) = []; display_name:string = ''", ""},
    {"TextLineReader", "", "reader_handle:Ref(string)",
     "skip_header_lines:int = 0; container:string = ''; shared_name:string = ''",
     "stateful deprecated_since_26"},
    {"WholeFileReader", "", "reader_handle:Ref(string)", "container:string = ''; shared_name:string = ''",
     "stateful"},
    {"WriteGraphSummary", "writer:resource, step:int64, tensor:string", "", "", "stateful"},
    {"WriteHistogramSummary", "writer:resource, step:int64, tag:string, values:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,"
     "bool] = float",
     "stateful"},
    {"WriteRawProtoSummary", "writer:resource, step:int64, tensor:string", "", "", "stateful"},
    {"WriteScalarSummary", "writer:resource, step:int64, tag:string, value:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64]", "stateful"},
    {"WriteSummary", "writer:resource, step:int64, tensor:T, tag:string, summary_metadata:string", "",
     "T:type", "stateful"},
};

}  // namespace

absl::Status register_io_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
