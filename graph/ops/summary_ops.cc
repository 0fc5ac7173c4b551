#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"AudioSummary", "tag:string, tensor:float", "summary:string",
     "sample_rate:float; max_outputs:int >= 1 = 3", "deprecated_since_15"},
    {"AudioSummaryV2", "tag:string, tensor:float, sample_rate:float", "summary:string",
     "max_outputs:int >= 1 = 3", ""},
    {"CloseSummaryWriter", "writer:resource", "", "", "stateful"},
    {"CreateSummaryDbWriter",
     "writer:resource, db_uri:string, experiment_name:string, run_name:string, user_name:string", "", "",
     "stateful"},
    {"CreateSummaryFileWriter",
     "writer:resource, logdir:string, max_queue:int32, flush_millis:int32, "
     "filename_suffix:string",
     "", "", "stateful"},
    {"FlushSummaryWriter", "writer:resource", "", "", "stateful"},
    {"HistogramSummary", "tag:string, values:T", "summary:string", "T:reals = float", ""},
    {"ImageSummary", "tag:string, tensor:T", "summary:string",
     "max_images:int >= 1 = 3; T:type in [uint8,float,half,double] = float; bad_color:tensor = "
     "uint8[4]{255,0,0,255}",
     ""},
    {"ImportEvent", "writer:resource, event:string", "", "", "stateful"},
    {"MergeSummary", "inputs:N * string", "summary:string", "N:int >= 1", ""},
    {"ScalarSummary", "tags:string, values:T", "summary:string", "T:reals", ""},
    {"SummaryWriter", "", "writer:resource", "shared_name:string = ''; container:string = ''", "stateful"},
    {"TensorSummary", "tensor:T", "summary:string",
     "T:type; description:string = ''; labels:list(string) = []; display_name:string = ''", ""},
    {"TensorSummaryV2", "tag:string, tensor:T, serialized_summary_metadata:string", "summary:string",
     "T:type", ""},
    {"WriteAudioSummary", "writer:resource, step:int64, tag:string, tensor:float, sample_rate:float", "",
     "max_outputs:int >= 1 = 3", "stateful"},
    {"WriteGraphSummary", "writer:resource, step:int64, tensor:string", "", "", "stateful"},
    {"WriteHistogramSummary", "writer:resource, step:int64, tag:string, values:T", "",
     "T:type in [float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64,"
     "bool] = float",
     "stateful"},
    {"WriteImageSummary", "writer:resource, step:int64, tag:string, tensor:T, bad_color:uint8", "",
     "max_images:int >= 1 = 3; T:type in [uint8,double,float,half] = float", "stateful"},
    {"WriteRawProtoSummary", "writer:resource, step:int64, tensor:string", "", "", "stateful"},
    {"WriteScalarSummary", "writer:resource, step:int64, tag:string, value:T", "", "T:reals", "stateful"},
    {"WriteSummary", "writer:resource, step:int64, tensor:T, tag:string, summary_metadata:string", "",
     "T:type", "stateful"},
};

}  // namespace

absl::Status register_summary_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
