#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"Abort", "", "", "error_msg:string = ''; exit_without_error:bool = False", ""},
    {"AllToAll", "input:T, group_assignment:int32", "output:T",
     "T:type in [float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
     "bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64,bool]; "
     "concat_dimension:int; split_dimension:int; split_count:int",
     "stateful"},
    {"Assert", "condition:bool, data:list(T)", "", "T:list(type) >= 1; summarize:int = 3", "stateful"},
    {"Batch", "in_tensors:list(T)", "batched_tensors:list(T), batch_index:int64, id:int64",
     "num_batch_threads:int; max_batch_size:int; max_enqueued_batches:int = 10; "
     "batch_timeout_micros:int; allowed_batch_sizes:list(int) = []; grad_timeout_micros:int; "
     "container:string = ''; shared_name:string = ''; batching_queue:string = ''; "
     "T:list(type) >= 1",
     "distributed"},
    {"BatchFunction", "in_tensors:list(Tin), captured_tensors:list(Tcaptured)", "out_tensors:list(Tout)",
     "f:func; num_batch_threads:int; max_batch_size:int; batch_timeout_micros:int; "
     "max_enqueued_batches:int = 10; allowed_batch_sizes:list(int) = []; container:string = "
     "''; shared_name:string = ''; batching_queue:string = ''; "
     "low_priority_max_batch_size:int = 0; low_priority_batch_timeout_micros:int = 0; "
     "low_priority_allowed_batch_sizes:list(int) = []; low_priority_max_enqueued_batches:int "
     "= 0; mixed_priority_policy:string in [b'low_priority_padding_with_max_batch_size',"
     "b'low_priority_padding_with_next_allowed_batch_size',b'priority_isolation',"
     "b'priority_merge'] = 'low_priority_padding_with_max_batch_size'; "
     "batch_padding_policy:string in [b'PAD_UP',b'BATCH_DOWN',"
     "b'MINIMIZE_TPU_COST_PER_REQUEST'] = 'PAD_UP'; Tin:list(type) >= 1; Tcaptured:list(type) "
     ">= 0; Tout:list(type) >= 1; enable_large_batch_splitting:bool = False",
     "distributed"},
    {"Case", "branch_index:int32, input:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 0; Tout:list(type) >= 0; branches:list(func) >= 1; "
     "output_shapes:list(shape) = []",
     "stateful"},
    {"CollectiveAllToAllV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, ordering_token:Nordering_token * "
     "resource",
     "data:T",
     "T:collective; communication_hint:string = 'auto'; timeout_seconds:float = 0.0; "
     "is_stateless:bool = False; Nordering_token:int >= 0 = 0",
     "stateful distributed"},
    {"CollectiveAllToAllV3", "input:T, communicator:resource, group_assignment:int32", "data:T",
     "T:collective; timeout_seconds:float = 0.0", "stateful distributed"},
    {"CollectiveAssignGroupV2", "group_assignment:int32, device_index:int32, base_key:int32",
     "group_size:int32, group_key:int32", "", "stateful distributed"},
    {"CollectiveBcastRecv", "", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; group_size:int; group_key:int; "
     "instance_key:int; shape:shape; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveBcastRecvV2", "group_size:int32, group_key:int32, instance_key:int32, shape:Tshape", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; Tshape:index = int32; "
     "communication_hint:string = 'auto'; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveBcastSend", "input:T", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; group_size:int; group_key:int; "
     "instance_key:int; shape:shape; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveBcastSendV2", "input:T, group_size:int32, group_key:int32, instance_key:int32", "data:T",
     "T:type in [bool,float,half,double,int32,int64]; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveGather", "input:T", "data:T",
     "T:type in [float,half,double,int32,int64]; group_size:int; group_key:int; "
     "instance_key:int; shape:shape; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveGatherV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, "
     "ordering_token:Nordering_token * resource",
     "data:T",
     "T:type in [float,half,double,int32,int64]; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0; is_stateless:bool = False; Nordering_token:int >= 0 = 0",
     "stateful distributed"},
    {"CollectiveInitializeCommunicator", "group_key:int32, rank:int32, group_size:int32",
     "communicator:resource", "communication_hint:string = 'auto'; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectivePermute", "input:T, source_target_pairs:int32", "output:T", "T:numbers", "stateful"},
    {"CollectiveReduce", "input:T", "data:T",
     "T:collective; group_size:int; group_key:int; instance_key:int; "
     "merge_op:string in [b'Min',b'Max',b'Mul',b'Add']; final_op:string in [b'Id',b'Div']; "
     "subdiv_offsets:list(int); wait_for:list(int) = []; communication_hint:string = 'auto'; "
     "timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"CollectiveReduceScatterV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, ordering_token:Nordering_token * "
     "resource",
     "data:T",
     "T:collective; merge_op:string in [b'Min',b'Max',b'Mul',b'Add']; final_op:string in [b'Id',b'Div']; "
     "communication_hint:string = 'auto'; timeout_seconds:float = 0.0; is_stateless:bool = False; "
     "Nordering_token:int >= 0 = 0; max_subdivs_per_device:int = -1",
     "stateful distributed"},
    {"CollectiveReduceV2",
     "input:T, group_size:int32, group_key:int32, instance_key:int32, ordering_token:Nordering_token * "
     "resource",
     "data:T",
     "T:collective; merge_op:string in [b'Min',b'Max',b'Mul',b'Add']; final_op:string in [b'Id',b'Div']; "
     "communication_hint:string = 'auto'; timeout_seconds:float = 0.0; is_stateless:bool = False; "
     "Nordering_token:int >= 0 = 0; max_subdivs_per_device:int = -1",
     "stateful distributed"},
    {"CollectiveReduceV3", "input:T, communicator:resource, group_assignment:int32", "data:T",
     "T:collective; reduction:string in [b'Min',b'Max',b'Mul',b'Add']; timeout_seconds:float = 0.0",
     "stateful distributed"},
    {"Const", "", "output:dtype", "value:tensor; dtype:type", ""},
    {"ConsumeMutexLock", "mutex_lock:variant", "", "", "stateful"},
    {"ControlTrigger", "", "", "", ""},
    {"CrossReplicaSum", "input:T, group_assignment:int32", "output:T",
     "T:type in [half,bfloat16,float,double,int32,uint32]", "stateful"},
    {"DebugGradientIdentity", "input:T", "output:T", "T:type", "uninitialized_ok"},
    {"DebugGradientRefIdentity", "input:Ref(T)", "output:Ref(T)", "T:type", "uninitialized_ok"},
    {"DebugIdentity", "input:T", "output:T",
     "T:type; device_name:string = ''; tensor_name:string = ''; debug_urls:list(string) = []; "
     "gated_grpc:bool = False",
     "uninitialized_ok"},
    {"DebugIdentityV2", "input:T", "output:T",
     "T:type; tfdbg_context_id:string = ''; op_name:string = ''; output_slot:int = -1; "
     "tensor_debug_mode:int = -1; debug_urls:list(string) = []; circular_buffer_size:int = "
     "1000; tfdbg_run_id:string = ''",
     "stateful"},
    {"DebugIdentityV3", "input:T", "output:T",
     "T:type; device_name:string = ''; tensor_name:string = ''; io_of_node:string = ''; "
     "is_input:bool = False; io_index:int = -1; debug_urls:list(string) = []; gated_grpc:bool "
     "= False",
     "stateful uninitialized_ok"},
    {"DebugNanCount", "input:T", "output:int64",
     "T:type; device_name:string = ''; tensor_name:string = ''; debug_urls:list(string) = []; "
     "gated_grpc:bool = False",
     "uninitialized_ok"},
    {"DebugNumericSummary", "input:T", "output:double",
     "T:type; device_name:string = ''; tensor_name:string = ''; debug_urls:list(string) = []; "
     "lower_bound:float = -inf; upper_bound:float = inf; mute_if_healthy:bool = False; "
     "gated_grpc:bool = False",
     "uninitialized_ok"},
    {"DebugNumericSummaryV2", "input:T", "output:output_dtype",
     "output_dtype:wide_floats = float; T:type; tensor_debug_mode:int = -1; tensor_id:int = -1", ""},
    {"DeleteRpcFutureResource", "handle:resource, deleter:variant", "", "", "stateful"},
    {"DeleteSessionTensor", "handle:string", "", "", "stateful"},
    {"DeviceIndex", "", "index:int32", "device_names:list(string)", "stateful"},
    {"DumpTensor", "tensor_data:T", "",
     "log_dir_path:string; file_name:string; T:type; enabled:bool; func_name:string; "
     "node_name:string",
     "stateful"},
    {"EagerPyFunc", "input:list(Tin)", "output:list(Tout)",
     "token:string; is_async:bool = False; Tin:list(type) >= 0; Tout:list(type) >= 0", "stateful"},
    {"Enter", "data:T", "output:T",
     "T:type; frame_name:string; is_constant:bool = False; parallel_iterations:int = 10", ""},
    {"Exit", "data:T", "output:T", "T:type", ""},
    {"Fact", "", "fact:string", "", ""},
    {"FakeParam", "", "output:dtype", "dtype:type; shape:shape", ""},
    {"For", "start:int32, limit:int32, delta:int32, input:list(T)", "output:list(T)",
     "T:list(type) >= 0; body:func", ""},
    {"GetSessionHandle", "value:T", "handle:string", "T:type", "stateful"},
    {"GetSessionHandleV2", "value:T", "handle:resource", "T:type", "stateful"},
    {"GetSessionTensor", "handle:string", "value:dtype", "dtype:type", "stateful"},
    {"HostConst", "", "output:dtype", "value:tensor; dtype:type", ""},
    {"Identity", "input:T", "output:T", "T:type", ""},
    {"IdentityN", "input:list(T)", "output:list(T)", "T:list(type) >= 1", ""},
    {"If", "cond:Tcond, input:list(Tin)", "output:list(Tout)",
     "Tcond:type; Tin:list(type) >= 0; Tout:list(type) >= 0; then_branch:func; "
     "else_branch:func; output_shapes:list(shape) = []",
     "stateful"},
    {"LoopCond", "input:bool", "output:bool", "", ""},
    {"MapDefun", "arguments:list(Targuments), captured_inputs:list(Tcaptured)", "output:list(output_types)",
     "Targuments:list(type) >= 1; Tcaptured:list(type) >= 0 = []; output_types:list(type) >= "
     "1; output_shapes:list(shape) >= 1; f:func; max_intra_op_parallelism:int = 1",
     ""},
    {"Merge", "inputs:N * T", "output:T, value_index:int32", "T:type; N:int >= 1", ""},
    {"MutexLock", "mutex:resource", "mutex_lock:variant", "", "stateful"},
    {"MutexV2", "", "resource:resource", "container:string = ''; shared_name:string = ''", "stateful"},
    {"NcclAllReduce", "input:T", "data:T",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:common_reals; num_devices:int; "
     "shared_name:string",
     "stateful"},
    {"NcclBroadcast", "input:T", "output:T", "T:common_reals; shape:shape", "stateful"},
    {"NcclReduce", "input:num_devices * T", "data:T",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:common_reals; num_devices:int >= 1", "stateful"},
    {"NextIteration", "data:T", "output:T", "T:type", ""},
    {"NoOp", "", "", "", ""},
    {"PartitionedCall", "args:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 0; Tout:list(type) >= 0; f:func; config:string = ''; "
     "config_proto:string = ''; executor_type:string = ''",
     ""},
    {"Placeholder", "", "output:dtype", "dtype:type; shape:shape = unknown_rank", ""},
    {"PlaceholderV2", "", "output:dtype", "dtype:type; shape:shape", "deprecated_since_23"},
    {"Print", "input:T, data:list(U)", "output:T",
     "T:type; U:list(type) >= 0; message:string = ''; first_n:int = -1; summarize:int = 3", "stateful"},
    {"PrintV2", "input:string", "", "output_stream:string = 'stderr'; end:string = '\\n'", "stateful"},
    {"PyFunc", "input:list(Tin)", "output:list(Tout)",
     "token:string; Tin:list(type) >= 0; Tout:list(type) >= 0", "stateful"},
    {"PyFuncStateless", "input:list(Tin)", "output:list(Tout)",
     "token:string; Tin:list(type) >= 0; Tout:list(type) >= 0", ""},
    {"Recv", "", "tensor:tensor_type",
     "tensor_type:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful distributed"},
    {"RefEnter", "data:Ref(T)", "output:Ref(T)",
     "T:type; frame_name:string; is_constant:bool = False; parallel_iterations:int = 10", ""},
    {"RefExit", "data:Ref(T)", "output:Ref(T)", "T:type", ""},
    {"RefIdentity", "input:Ref(T)", "output:Ref(T)", "T:type", "uninitialized_ok"},
    {"RefMerge", "inputs:Ref(N * T)", "output:Ref(T), value_index:int32", "T:type; N:int >= 1", ""},
    {"RefNextIteration", "data:Ref(T)", "output:Ref(T)", "T:type", ""},
    {"RefSelect", "index:int32, inputs:Ref(N * T)", "output:Ref(T)", "T:type; N:int >= 1", ""},
    {"RefSwitch", "data:Ref(T), pred:bool", "output_false:Ref(T), output_true:Ref(T)", "T:type",
     "uninitialized_ok"},
    {"RemoteCall", "target:string, args:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 1; Tout:list(type) >= 1; f:func", "stateful"},
    {"RpcCall", "client:resource, method_name:string, args:list(Tin), timeout_in_ms:int64",
     "future:resource, deleter:variant", "Tin:list(type) >= 0", "stateful"},
    {"RpcCheckStatus", "status_or:resource", "error_code:int64, error:string", "", "stateful"},
    {"RpcClient", "server_address:string, timeout_in_ms:int64", "client:resource, method_specs:string",
     "shared_name:string = ''; list_registered_methods:bool = False", "stateful"},
    {"RpcGetValue", "status_or:resource", "output:list(Tout)", "Tout:list(type) >= 0", "stateful"},
    {"RpcServer", "server_address:string", "server:resource", "", "stateful"},
    {"RpcServerRegister", "server:resource, method_name:string, captured_inputs:list(Tin)", "",
     "Tin:list(type) >= 0 = []; f:func; input_specs:string = ''; output_specs:string", "stateful"},
    {"RpcServerStart", "server:resource", "", "", "stateful"},
    {"Send", "tensor:T", "",
     "T:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful"},
    {"StatefulPartitionedCall", "args:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 0; Tout:list(type) >= 0; f:func; config:string = ''; "
     "config_proto:string = ''; executor_type:string = ''",
     "stateful distributed"},
    {"StatelessCase", "branch_index:int32, input:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 0; Tout:list(type) >= 0; branches:list(func) >= 1; "
     "output_shapes:list(shape) = []",
     ""},
    {"StatelessIf", "cond:Tcond, input:list(Tin)", "output:list(Tout)",
     "Tcond:type; Tin:list(type) >= 0; Tout:list(type) >= 0; then_branch:func; "
     "else_branch:func; output_shapes:list(shape) = []",
     ""},
    {"StatelessWhile", "input:list(T)", "output:list(T)",
     "T:list(type) >= 0; cond:func; body:func; output_shapes:list(shape) = []; "
     "parallel_iterations:int = 10",
     ""},
    {"StringFormat", "inputs:list(T)", "output:string",
     "T:list(type) >= 0; template:string = '%s'; placeholder:string = '%s'; summarize:int = 3", ""},
    {"Switch", "data:T, pred:bool", "output_false:T, output_true:T", "T:type", ""},
    {"SymbolicGradient", "input:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 1; Tout:list(type) >= 1; f:func", ""},
    {"Timestamp", "", "ts:double", "", "stateful"},
    {"ToBool", "input:T", "output:bool", "T:type", ""},
    {"Unbatch", "batched_tensor:T, batch_index:int64, id:int64", "unbatched_tensor:T",
     "timeout_micros:int; container:string = ''; shared_name:string = ''; T:type", ""},
    {"UnbatchGrad", "original_input:T, batch_index:int64, grad:T, id:int64", "batched_grad:T",
     "container:string = ''; shared_name:string = ''; T:type", ""},
    {"While", "input:list(T)", "output:list(T)",
     "T:list(type) >= 0; cond:func; body:func; output_shapes:list(shape) = []; "
     "parallel_iterations:int = 10",
     "stateful"},
    {"_Arg", "", "output:T", "T:type; index:int >= 0", "stateful"},
    {"_ArrayToList", "input:N * T", "output:list(out_types)", "T:type; N:int >= 1; out_types:list(type) >= 1",
     ""},
    {"_CopyToDevice", "input:T", "output:T", "T:type; keep:bool = False", ""},
    {"_CopyToHost", "input:T", "output:T", "T:type", ""},
    {"_DeviceArg", "", "output:T", "T:type; index:int >= 0", "stateful"},
    {"_DeviceRetval", "input:T", "", "T:type; index:int >= 0", "stateful"},
    {"_EagerConst", "input:T", "output:T", "T:type", ""},
    {"_HostRecv", "", "tensor:tensor_type",
     "tensor_type:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful distributed"},
    {"_HostSend", "tensor:T", "",
     "T:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful"},
    {"_If", "cond:Tcond, input:list(Tin)", "output:list(Tout)",
     "Tcond:type; Tin:list(type) >= 1; Tout:list(type) >= 1; then_branch:func; else_branch:func", "stateful"},
    {"_ListToArray", "input:list(Tin)", "output:N * T", "Tin:list(type) >= 1; T:type; N:int >= 1", ""},
    {"_NcclBroadcastRecv", "shape:int32", "output:T", "T:common_reals; num_devices:int; shared_name:string",
     "stateful"},
    {"_NcclBroadcastSend", "input:T", "", "T:common_reals; num_devices:int; shared_name:string", "stateful"},
    {"_NcclReduceRecv", "input:T", "data:T",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:common_reals; num_devices:int; "
     "shared_name:string",
     "stateful"},
    {"_NcclReduceSend", "input:T", "",
     "reduction:string in [b'min',b'max',b'prod',b'sum']; T:common_reals; num_devices:int; "
     "shared_name:string",
     "stateful"},
    {"_Recv", "", "tensor:tensor_type",
     "tensor_type:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful distributed"},
    {"_Retval", "input:T", "", "T:type; index:int >= 0", "stateful"},
    {"_ScopedAllocator", "", "output:T",
     "shapes:list(shape); shape:shape; T:type; sa_name:string; id:int; expected_call_count:int", "stateful"},
    {"_ScopedAllocatorConcat", "backing:T, inputs:N * T", "output:T",
     "shape:shape; T:type; reshape:bool = False; sa_name:string; id:int; N:int >= 2", "stateful"},
    {"_ScopedAllocatorSplit", "concat:T, split:N * T", "output:N * T",
     "T:type; sa_name:string; id:int; N:int >= 2; shapes:list(shape)", "stateful"},
    {"_Send", "tensor:T", "",
     "T:type; tensor_name:string; send_device:string; send_device_incarnation:int; "
     "recv_device:string; client_terminated:bool = False",
     "stateful"},
    {"_SwitchN", "data:T, output_index:int32", "outputs:num_outs * T", "num_outs:int >= 1; T:type", ""},
    {"_ToBool", "input:T", "output:bool", "T:type", ""},
    {"_While", "input:list(T)", "output:list(T)", "T:list(type) >= 0; cond:func; body:func", "stateful"},
};

}  // namespace

absl::Status register_control_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
