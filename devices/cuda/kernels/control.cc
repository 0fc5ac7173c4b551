#include "devices/cuda/kernels/control.h"

#include <string>
#include <utility>
#include <vector>

#include "devices/cuda/kernels/host_kernel.h"

namespace troupe {
namespace {

/// Of a Const that a GPU may have: there are no strings there.
std::vector<DataType> constant_types() {
  return {DataType::kFloat, DataType::kDouble,   DataType::kInt32,     DataType::kUint8,
          DataType::kInt16, DataType::kInt8,     DataType::kComplex64, DataType::kInt64,
          DataType::kBool,  DataType::kBfloat16, DataType::kUint16,    DataType::kComplex128,
          DataType::kHalf,  DataType::kUint32,   DataType::kUint64,    DataType::kVariant};
}

}  // namespace

void register_cuda_control_kernels(KernelRegistry* registry) {
  auto add = [registry](const char* op, std::vector<std::string> host_args = {}) {
    add_host_kernel(registry, KernelDef(op).device("GPU").host_memory(std::move(host_args)));
  };
  // Executors hand values on where they are (graph/passes/cross_memory): they call no kernel.
  for (const char* op : {"NoOp",
                         "ControlTrigger",
                         "Identity",
                         "RefIdentity",
                         "StopGradient",
                         "PreventGradient",
                         "PlaceholderWithDefault",
                         "Switch",
                         "RefSwitch",
                         "_SwitchN",
                         "Merge",
                         "RefMerge",
                         "Enter",
                         "RefEnter",
                         "Exit",
                         "RefExit",
                         "NextIteration",
                         "RefNextIteration",
                         "LoopCond",
                         "_Arg",
                         "_Retval"}) {
    add(op);
  }
  add_host_kernel(registry,
                  KernelDef("Const").device("GPU").types("dtype", constant_types()).host_memory({"output"}));
  // These hand on what they are given, wherever it is.
  for (const char* op : {"IdentityN", "GuaranteeConst", "DebugGradientIdentity", "DebugGradientRefIdentity"})
    add(op);
  for (const char* op : {"Placeholder", "PlaceholderV2", "FakeParam"}) add(op, {"output"});
  for (const char* op : {"PartitionedCall", "StatefulPartitionedCall"}) add(op, {"args", "output"});
  for (const char* op : {"If", "StatelessIf"}) add(op, {"cond", "input", "output"});
  for (const char* op : {"Case", "StatelessCase"}) add(op, {"branch_index", "input", "output"});
  add("RemoteCall", {"target", "args", "output"});
  add("Assert", {"condition", "data"});
  for (const char* op : {"GetSessionHandle", "GetSessionHandleV2"}) add(op, {"value", "handle"});
  add("GetSessionTensor", {"handle", "value"});
  add("DeleteSessionTensor", {"handle"});
  for (const char* op : {"DebugIdentity", "DebugIdentityV2", "DebugIdentityV3", "DebugNanCount",
                         "DebugNumericSummary", "DebugNumericSummaryV2"}) {
    add(op, {"input", "output"});
  }
}

}  // namespace troupe
