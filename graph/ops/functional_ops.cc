#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"Case", "branch_index:int32, input:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 0; Tout:list(type) >= 0; branches:list(func) >= 1; "
     "output_shapes:list(shape) = []",
     "stateful"},
    {"FakeParam", "", "output:dtype", "dtype:type; shape:shape", ""},
    {"For", "start:int32, limit:int32, delta:int32, input:list(T)", "output:list(T)",
     "T:list(type) >= 0; body:func", ""},
    {"If", "cond:Tcond, input:list(Tin)", "output:list(Tout)",
     "Tcond:type; Tin:list(type) >= 0; Tout:list(type) >= 0; then_branch:func; "
     "else_branch:func; output_shapes:list(shape) = []",
     "stateful"},
    {"MapDefun", "arguments:list(Targuments), captured_inputs:list(Tcaptured)", "output:list(output_types)",
     "Targuments:list(type) >= 1; Tcaptured:list(type) >= 0 = []; output_types:list(type) >= "
     "1; output_shapes:list(shape) >= 1; f:func; max_intra_op_parallelism:int = 1",
     ""},
    {"PartitionedCall", "args:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 0; Tout:list(type) >= 0; f:func; config:string = ''; "
     "config_proto:string = ''; executor_type:string = ''",
     ""},
    {"RemoteCall", "target:string, args:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 1; Tout:list(type) >= 1; f:func", "stateful"},
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
    {"SymbolicGradient", "input:list(Tin)", "output:list(Tout)",
     "Tin:list(type) >= 1; Tout:list(type) >= 1; f:func", ""},
    {"While", "input:list(T)", "output:list(T)",
     "T:list(type) >= 0; cond:func; body:func; output_shapes:list(shape) = []; "
     "parallel_iterations:int = 10",
     "stateful"},
    {"_Arg", "", "output:T", "T:type; index:int >= 0", "stateful"},
    {"_ArrayToList", "input:N * T", "output:list(out_types)", "T:type; N:int >= 1; out_types:list(type) >= 1",
     ""},
    {"_DeviceArg", "", "output:T", "T:type; index:int >= 0", "stateful"},
    {"_DeviceRetval", "input:T", "", "T:type; index:int >= 0", "stateful"},
    {"_ListToArray", "input:list(Tin)", "output:N * T", "Tin:list(type) >= 1; T:type; N:int >= 1", ""},
    {"_Retval", "input:T", "", "T:type; index:int >= 0", "stateful"},
};

}  // namespace

absl::Status register_functional_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
