#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"Abort", "", "", "error_msg:string = ''; exit_without_error:bool = False", ""},
    {"Assert", "condition:bool, data:list(T)", "", "T:list(type) >= 1; summarize:int = 3", "stateful"},
    {"CheckNumerics", "tensor:T", "output:T", "T:type in [bfloat16,half,float,double]; message:string",
     "stateful"},
    {"CheckNumericsV2", "tensor:T", "output:T", "T:type in [bfloat16,half,float,double]; message:string",
     "stateful"},
    {"ControlTrigger", "", "", "", ""},
    {"EagerPyFunc", "input:list(Tin)", "output:list(Tout)",
     "token:string; is_async:bool = False; Tin:list(type) >= 0; Tout:list(type) >= 0", "stateful"},
    {"Enter", "data:T", "output:T",
     "T:type; frame_name:string; is_constant:bool = False; parallel_iterations:int = 10", ""},
    {"Exit", "data:T", "output:T", "T:type", ""},
    {"LoopCond", "input:bool", "output:bool", "", ""},
    {"Merge", "inputs:N * T", "output:T, value_index:int32", "T:type; N:int >= 1", ""},
    {"NextIteration", "data:T", "output:T", "T:type", ""},
    {"NoOp", "", "", "", ""},
    {"Print", "input:T, data:list(U)", "output:T",
     "T:type; U:list(type) >= 0; message:string = ''; first_n:int = -1; summarize:int = 3", "stateful"},
    {"PrintV2", "input:string", "", "output_stream:string = 'stderr'; end:string = '\\n'", "stateful"},
    {"PyFunc", "input:list(Tin)", "output:list(Tout)",
     "token:string; Tin:list(type) >= 0; Tout:list(type) >= 0", "stateful"},
    {"PyFuncStateless", "input:list(Tin)", "output:list(Tout)",
     "token:string; Tin:list(type) >= 0; Tout:list(type) >= 0", ""},
    {"RefEnter", "data:Ref(T)", "output:Ref(T)",
     "T:type; frame_name:string; is_constant:bool = False; parallel_iterations:int = 10", ""},
    {"RefExit", "data:Ref(T)", "output:Ref(T)", "T:type", ""},
    {"RefMerge", "inputs:Ref(N * T)", "output:Ref(T), value_index:int32", "T:type; N:int >= 1", ""},
    {"RefNextIteration", "data:Ref(T)", "output:Ref(T)", "T:type", ""},
    {"RefSelect", "index:int32, inputs:Ref(N * T)", "output:Ref(T)", "T:type; N:int >= 1", ""},
    {"RefSwitch", "data:Ref(T), pred:bool", "output_false:Ref(T), output_true:Ref(T)", "T:type",
     "uninitialized_ok"},
    {"Switch", "data:T, pred:bool", "output_false:T, output_true:T", "T:type", ""},
    {"Timestamp", "", "ts:double", "", "stateful"},
    {"_SwitchN", "data:T, output_index:int32", "outputs:num_outs * T", "num_outs:int >= 1; T:type", ""},
};

}  // namespace

absl::Status register_control_flow_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
