#include "graph/passes/call_inspector.h"

#include "absl/strings/str_cat.h"
#include "graph/passes/draft_function.h"
#include "graph/passes/inline_functions.h"
#include "graph/passes/placer.h"

namespace troupe {
namespace {

/// Functions that are not inlined and return what others that are not inlined return: each is on the stack.
constexpr int kMaxDepth = 64;

}  // namespace

CallInspector::CallInspector(const DeviceCatalog& devices, bool soft, const Graph& graph)
    : devices_(devices), soft_(soft), graph_(graph), called_(graph.library().get()) {}

std::optional<FunctionRef> CallInspector::callee_of(const Node& node) const {
  if (node.is("PartitionedCall") || node.is("StatefulPartitionedCall")) {
    const AttrValue* f = node.attrs.find("f");
    const auto* function = f == nullptr ? nullptr : f->get<FunctionRef>();
    return function == nullptr ? std::nullopt : std::optional<FunctionRef>(*function);
  }
  if (graph_.ops().find(node.op->name) == node.op) return std::nullopt;
  return FunctionRef{node.op->name, std::make_shared<AttrMap>(node.attrs)};
}

bool CallInspector::stays_a_call(const Node& call, const std::string& function) {
  called_.walk_from(function);
  return CalledFunctions::forbids_inlining(call.attrs) || called_.contains(function);
}

absl::StatusOr<const CallResources*> CallInspector::inspect(const FunctionRef& function,
                                                            const std::string& device) {
  const std::string key = absl::StrCat(AttrValue(function).to_string(), " on ", device);
  auto [known, is_new] = known_.try_emplace(key, nullptr);
  if (!is_new) return known->second.get();
  if (depth_ == kMaxDepth) return nullptr;
  ++depth_;
  auto found = look_into(function, device);
  --depth_;
  TROUPE_RETURN_IF_ERROR(found.status());
  if (!found->has_value()) return nullptr;
  auto& kept = known_[key];
  kept = std::make_unique<const CallResources>(**std::move(found));
  return kept.get();
}

absl::StatusOr<std::optional<CallResources>> CallInspector::look_into(const FunctionRef& function,
                                                                      const std::string& device) {
  Plan unused;
  auto draft = draft_function(graph_, {function, device, {}}, &unused);
  // What is wrong with a function is told to who runs it.
  if (!draft.ok()) return std::nullopt;
  Graph& body = draft->graph;
  // They are where the caller has them.
  for (int id = 0; id < body.num_ids(); ++id) {
    Node& n = body.node(id);
    if (n.is("_Arg") || n.is("_Retval")) n.requested_device.clear();
  }
  if (!inline_functions(&*draft, function.name).ok()) return std::nullopt;
  std::vector<int> where(static_cast<size_t>(body.num_ids()), -1);
  Placer placer(devices_, soft_, body, 0, &where);
  placer.leave_unknown_ops();
  placer.share_inspector(this);
  return placer.inspect();
}

}  // namespace troupe
