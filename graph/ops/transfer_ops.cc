#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"CollectiveBcastRecv", "", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; group_size:int; group_key:int; "
     "instance_key:int; shape:shape; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveBcastSend", "input:T", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; group_size:int; group_key:int; "
     "instance_key:int; shape:shape; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveGather", "input:T", "data:T",
     "T:type in [float,half,double,int32,int64]; group_size:int; group_key:int; "
     "instance_key:int; shape:shape; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveReduce", "input:T", "data:T",
     "T:type in [bfloat16,float,half,double,int32,int64]; group_size:int; group_key:int; "
     "instance_key:int; merge_op:string in [b'Min',b'Max',b'Mul',b'Add']; final_op:string in "
     "[b'Id',b'Div']; subdiv_offsets:list(int); wait_for:list(int) = []; "
     "communication_hint:string = 'auto'; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"NcclAllReduce", "input:T", "data:T",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:type in [half,float,double,int32,"
     "int64]; num_devices:int; shared_name:string",
     "stateful"},
    {"Recv", "", "tensor:tensor_type",
     "tensor_type:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful distributed"},
    {"Send", "tensor:T", "",
     "T:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful"},
    {"_HostRecv", "", "tensor:tensor_type",
     "tensor_type:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful distributed"},
    {"_HostSend", "tensor:T", "",
     "T:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful"},
    {"_Recv", "", "tensor:tensor_type",
     "tensor_type:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful distributed"},
    {"_Send", "tensor:T", "",
     "T:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful"},
};

}  // namespace

absl::Status register_transfer_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
