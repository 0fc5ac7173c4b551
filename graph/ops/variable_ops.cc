#include "graph/ops/register_ops.h"

namespace troupe {
namespace {

// name, inputs, outputs, attrs, flags; see OpRow.
const OpRow kRows[] = {
    {"Assign", "ref:Ref(T), value:T", "output_ref:Ref(T)",
     "T:type; validate_shape:bool = True; use_locking:bool = True", "uninitialized_ok"},
    {"AssignAdd", "ref:Ref(T), value:T", "output_ref:Ref(T)", "T:numbers; use_locking:bool = False", ""},
    {"AssignAddVariableOp", "resource:resource, value:dtype", "", "dtype:type", "stateful"},
    {"AssignSub", "ref:Ref(T), value:T", "output_ref:Ref(T)", "T:numbers; use_locking:bool = False", ""},
    {"AssignSubVariableOp", "resource:resource, value:dtype", "", "dtype:type", "stateful"},
    {"AssignVariableOp", "resource:resource, value:dtype", "", "dtype:type; validate_shape:bool = False",
     "stateful"},
    {"CheckPinned", "tensor:T", "output:T", "T:type", ""},
    {"CountUpTo", "ref:Ref(T)", "output:T", "limit:int; T:index", ""},
    {"DestroyResourceOp", "resource:resource", "", "ignore_lookup_error:bool = True", "stateful"},
    {"DestroyTemporaryVariable", "ref:Ref(T)", "value:T", "T:type; var_name:string", ""},
    {"DisableCopyOnRead", "resource:resource", "", "", "stateful"},
    {"DummyIterationCounter", "", "handle:resource", "", "stateful"},
    {"FileSystemSetConfiguration", "scheme:string, key:string, value:string", "", "", "stateful"},
    {"IsResourceHandleRefCounting", "handle:resource", "result:bool", "", "stateful"},
    {"IsVariableInitialized", "ref:Ref(dtype)", "is_initialized:bool", "dtype:type", "uninitialized_ok"},
    {"MakeWeakResourceHandle", "handle:resource", "dup:resource", "", "stateful"},
    {"ReadVariableOp", "resource:resource", "value:dtype", "dtype:type", "stateful"},
    {"ResourceCountUpTo", "resource:resource", "output:T", "limit:int; T:index", "stateful"},
    {"TemporaryVariable", "", "ref:Ref(dtype)", "shape:shape; dtype:type; var_name:string = ''", "stateful"},
    {"VarHandleOp", "", "resource:resource",
     "container:string = ''; shared_name:string = ''; debug_name:string = ''; dtype:type; "
     "shape:shape; allowed_devices:list(string) = []",
     "stateful"},
    {"VarIsInitializedOp", "resource:resource", "is_initialized:bool", "", "stateful"},
    {"Variable", "", "ref:Ref(dtype)",
     "shape:shape; dtype:type; container:string = ''; shared_name:string = ''", "stateful"},
    {"VariableShape", "input:resource", "output:out_type", "out_type:index = int32", "stateful"},
    {"VariableV2", "", "ref:Ref(dtype)",
     "shape:shape; dtype:type; container:string = ''; shared_name:string = ''", "stateful"},
    {"_ReadVariablesOp", "resources:N * resource", "values:list(dtypes)",
     "N:int >= 0; dtypes:list(type) >= 1", "stateful"},
    {"_VarHandlesOp", "", "resources:N * resource",
     "containers:list(string); shared_names:list(string); N:int >= 0; dtypes:list(type); "
     "shapes:list(shape)",
     "stateful"},
};

}  // namespace

absl::Status register_variable_ops(OpRegistry* registry) { return registry->add(kRows); }

}  // namespace troupe
