#include "devices/implied_waits.h"

#include <algorithm>

namespace troupe {
namespace {

constexpr size_t kMostNodes = 64;
constexpr int kDeepest = 8;

/// Whether a node of this kind is alive only if all its inputs are, in the same iteration.
bool needs_all_inputs(NodeKind kind) {
  switch (kind) {
    case NodeKind::kKernel:
    case NodeKind::kAsyncKernel:
    case NodeKind::kNoOp:
    case NodeKind::kConst:
    case NodeKind::kIdentity:
    case NodeKind::kSwitch:
    case NodeKind::kLoopCond:
    case NodeKind::kArg:
    case NodeKind::kRetval: return true;
    case NodeKind::kSwitchN:
    case NodeKind::kMerge:
    case NodeKind::kEnter:
    case NodeKind::kExit:
    case NodeKind::kNextIteration:
    case NodeKind::kControlTrigger:
    case NodeKind::kSend:
    case NodeKind::kRecv: return false;
  }
  return false;
}

}  // namespace

bool ImpliedWaits::cover(int id, uint32_t slots, int constant) {
  const Node& c = graph_.node(constant);
  if (c.control_inputs.empty()) return true;
  collect(id, slots);
  return std::all_of(c.control_inputs.begin(), c.control_inputs.end(), [&](int p) { return follows(p, 0); });
}

void ImpliedWaits::note(Endpoint e) {
  if (seen_.insert(e.node).second) queue_.push_back(e.node);
  if (e.slot < 0 || kind(e.node) != NodeKind::kSwitch) return;
  const Endpoint predicate = graph_.node(e.node).inputs[1];
  branches_.insert({predicate.node, predicate.slot, e.slot});
}

void ImpliedWaits::collect(int id, uint32_t without_slots) {
  seen_.clear();
  branches_.clear();
  queue_.clear();
  auto note_inputs = [&](const Node& n, uint32_t except) {
    for (int s = 0; s < n.num_inputs(); ++s) {
      if (s >= 32 || (except >> s & 1) == 0) note(n.inputs[s]);
    }
    for (int c : n.control_inputs) note({c, -1});
  };
  note_inputs(graph_.node(id), without_slots);
  for (size_t i = 0; i < queue_.size() && queue_.size() < kMostNodes; ++i) {
    if (needs_all_inputs(kind(queue_[i]))) note_inputs(graph_.node(queue_[i]), 0);
  }
}

/// By a control edge: of a Switch, whichever side it took.
bool ImpliedWaits::follows(int id, int depth) const {
  if (seen_.contains(id)) return true;
  if (depth == kDeepest) return false;
  const Node& n = graph_.node(id);
  // Nothing happens in these themselves: it is enough that what they wait for follows.
  const NodeKind k = kind(id);
  const bool passes_on = k == NodeKind::kIdentity || k == NodeKind::kLoopCond || k == NodeKind::kSwitch ||
                         k == NodeKind::kNoOp || k == NodeKind::kConst;
  if (!passes_on) return false;
  return std::all_of(n.inputs.begin(), n.inputs.end(), [&](Endpoint e) { return follows(e, depth + 1); }) &&
         std::all_of(n.control_inputs.begin(), n.control_inputs.end(),
                     [&](int c) { return follows(c, depth + 1); });
}

bool ImpliedWaits::follows(Endpoint e, int depth) const {
  if (kind(e.node) != NodeKind::kSwitch) return follows(e.node, depth);
  const Endpoint predicate = graph_.node(e.node).inputs[1];
  return branches_.contains({predicate.node, predicate.slot, e.slot}) && follows(e.node, depth);
}

}  // namespace troupe
