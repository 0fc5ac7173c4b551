#include "devices/compiled_node.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "graph/ir/graph.h"

namespace troupe {

NodeKind kind_of(const Node& n) {
  static const auto* kinds = new absl::flat_hash_map<absl::string_view, NodeKind>{
      {"NoOp", NodeKind::kNoOp},
      {"Const", NodeKind::kConst},
      {"Identity", NodeKind::kIdentity},
      {"StopGradient", NodeKind::kIdentity},
      {"PreventGradient", NodeKind::kIdentity},
      {"PlaceholderWithDefault", NodeKind::kIdentity},
      {"Snapshot", NodeKind::kIdentity},
      {"RefIdentity", NodeKind::kIdentity},
      {"Switch", NodeKind::kSwitch},
      {"RefSwitch", NodeKind::kSwitch},
      {"_SwitchN", NodeKind::kSwitchN},
      {"Merge", NodeKind::kMerge},
      {"RefMerge", NodeKind::kMerge},
      {"Enter", NodeKind::kEnter},
      {"RefEnter", NodeKind::kEnter},
      {"Exit", NodeKind::kExit},
      {"RefExit", NodeKind::kExit},
      {"NextIteration", NodeKind::kNextIteration},
      {"RefNextIteration", NodeKind::kNextIteration},
      {"LoopCond", NodeKind::kLoopCond},
      {"ControlTrigger", NodeKind::kControlTrigger},
      {"_Arg", NodeKind::kArg},
      {"_Retval", NodeKind::kRetval},
      {"_Send", NodeKind::kSend},
      {"_HostSend", NodeKind::kSend},
      {"Send", NodeKind::kSend},
      {"Recv", NodeKind::kRecv},
      {"_Recv", NodeKind::kRecv},
      {"_HostRecv", NodeKind::kRecv},
  };
  auto it = kinds->find(n.op->name);
  return it == kinds->end() ? NodeKind::kKernel : it->second;
}

}  // namespace troupe
