#include "graph/gradients/loop_frames.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "graph/ir/algorithm.h"

namespace troupe {
namespace {

bool is_enter(const Node& n) { return n.is("Enter") || n.is("RefEnter"); }
bool is_exit(const Node& n) { return n.is("Exit") || n.is("RefExit"); }
bool is_merge(const Node& n) { return n.is("Merge") || n.is("RefMerge"); }
bool is_switch(const Node& n) { return n.is("Switch") || n.is("RefSwitch"); }
bool is_next(const Node& n) { return n.is("NextIteration") || n.is("RefNextIteration"); }

}  // namespace

absl::Status LoopFrames::analyse(const Graph* graph) {
  graph_ = graph;
  const OpDef* enter = graph->ops().find("Enter");
  const OpDef* ref_enter = graph->ops().find("RefEnter");
  for (int i = 0; i < graph->num_ids() && !any_; ++i) {
    const OpDef* op = graph->node(i).op;
    any_ = op != nullptr && (op == enter || op == ref_enter);
  }
  if (!any_) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(info_, static_frames(*graph));
  nodes_of_.resize(info_.frames.size());
  for (size_t i = 0; i < info_.frame_of.size(); ++i) {
    if (info_.frame_of[i] >= 0) nodes_of_[info_.frame_of[i]].push_back(static_cast<int>(i));
  }
  return find_guards();
}

int LoopFrames::guard_of(Endpoint e) const {
  if (e.node >= static_cast<int>(guard_of_node_.size())) return -1;
  auto it = guards_of_switch_.find(e.node);
  if (it == guards_of_switch_.end()) return guard_of_node_[e.node];
  return e.slot == 0 ? it->second.first : it->second.second;
}

int LoopFrames::inner(int a, int b) const {
  if (a < 0 || b < 0) return std::max(a, b);
  return guards_[a].depth >= guards_[b].depth ? a : b;
}

int LoopFrames::common(int a, int b) const {
  while (a != b) {
    if (a < 0 || b < 0) return -1;
    int& deeper = guards_[a].depth >= guards_[b].depth ? a : b;
    deeper = guards_[deeper].parent;
  }
  return a;
}

/// Inputs first: a value is guarded by what guards its inputs, but a Merge only by what guards all of them.
absl::Status LoopFrames::find_guards() {
  TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(*graph_));
  guard_of_node_.assign(graph_->num_ids(), -1);
  absl::flat_hash_map<std::tuple<int, Endpoint, int>, int> known;
  auto make = [&](int parent, Endpoint predicate, int branch, int frame) {
    auto [it, fresh] = known.try_emplace({parent, predicate, branch}, static_cast<int>(guards_.size()));
    if (fresh)
      guards_.push_back({predicate, branch, frame, parent, parent < 0 ? 0 : guards_[parent].depth + 1});
    return it->second;
  };
  for (int id : order) {
    const Node& n = graph_->node(id);
    int guard = -1;
    bool first = true;
    for (Endpoint e : n.inputs) {
      if (is_next(graph_->node(e.node)) && is_merge(n)) continue;
      const int in = guard_of(e);
      guard = first ? in : is_merge(n) ? common(guard, in) : inner(guard, in);
      first = false;
    }
    for (int c : n.control_inputs) guard = inner(guard, guard_of({c, 0}));
    guard_of_node_[id] = guard;
    if (!is_switch(n) || is_border(n)) continue;
    const int frame = info_.frame_of[id];
    const int if_false = make(guard, n.inputs[1], 0, frame), if_true = make(guard, n.inputs[1], 1, frame);
    guards_of_switch_[id] = {if_false, if_true};
  }
  return absl::OkStatus();
}

std::vector<Guard> LoopFrames::guards(Endpoint e, int frame) const {
  std::vector<Guard> found;
  for (int g = guard_of(e); g >= 0; g = guards_[g].parent) {
    if (guards_[g].frame == frame) found.push_back(guards_[g]);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

int LoopFrames::frame_of(Endpoint e) const {
  if (!any_) return 0;
  if (auto it = added_.find(e.node); it != added_.end()) return it->second;
  if (e.node >= static_cast<int>(info_.frame_of.size())) return 0;
  return info_.output_frame(graph_->node(e.node));
}

int LoopFrames::unit_of(Endpoint e, int frame) const {
  if (!any_ || e.node >= static_cast<int>(info_.frame_of.size())) return e.node;
  const Node& node = graph_->node(e.node);
  if (!is_exit(node) || frame_of(e) != frame) return e.node;
  return -2 - info_.frame_of[e.node];
}

bool LoopFrames::is_border(const Node& node) const {
  auto closes_loop = [&](const Node& n) {
    if (!is_merge(n)) return false;
    for (Endpoint e : n.inputs) {
      if (is_next(graph_->node(e.node))) return true;
    }
    return false;
  };
  if (is_enter(node) || closes_loop(node)) return true;
  return is_switch(node) && closes_loop(graph_->node(node.inputs[0].node));
}

int64_t LoopFrames::parallel_iterations(int frame) const {
  return graph_->node(enters(frame)[0]).attrs.get_or<int64_t>("parallel_iterations", 10);
}

bool LoopFrames::is_constant_enter(int enter) const {
  return graph_->node(enter).attrs.get_or<bool>("is_constant", false);
}

int LoopFrames::enter_behind(int border) const {
  const Node& node = graph_->node(border);
  if (is_enter(node)) return border;
  const Node& merge = is_switch(node) ? graph_->node(node.inputs[0].node) : node;
  for (Endpoint e : merge.inputs) {
    if (is_enter(graph_->node(e.node))) return e.node;
  }
  return -1;
}

absl::StatusOr<ForwardLoop> LoopFrames::loop(int frame) const {
  const StaticFrame& f = info_.frames[frame];
  auto malformed = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("Cannot compute the gradient of loop '", f.name, "': ", what));
  };
  if (f.loop_conds.size() != 1) return malformed("it needs one LoopCond");
  ForwardLoop loop;
  loop.frame = frame;
  loop.frame_name = f.name;
  loop.loop_cond = f.loop_conds[0];
  absl::flat_hash_map<int, size_t> var_of;
  absl::flat_hash_map<int, bool> merged;
  for (int id : nodes_of_[frame]) {
    const Node& n = graph_->node(id);
    if (!is_merge(n) || n.num_inputs() != 2) continue;
    int next = -1, enter = -1;
    for (Endpoint e : n.inputs) {
      if (is_next(graph_->node(e.node))) next = e.node;
      if (is_enter(graph_->node(e.node))) enter = e.node;
    }
    if (next < 0) continue;
    if (enter < 0) return malformed("a loop variable has no Enter");
    var_of[id] = loop.vars.size();
    merged[enter] = true;
    loop.vars.push_back({enter, id, -1, next, -1});
  }
  absl::flat_hash_map<int, size_t> var_of_switch;
  for (int id : nodes_of_[frame]) {
    const Node& n = graph_->node(id);
    if (!is_switch(n) || n.inputs[1].node != loop.loop_cond) continue;
    auto it = var_of.find(n.inputs[0].node);
    if (it == var_of.end()) continue;
    loop.vars[it->second].switch_node = id;
    var_of_switch[id] = it->second;
  }
  for (int id : f.exits) {
    auto it = var_of_switch.find(graph_->node(id).inputs[0].node);
    if (it != var_of_switch.end()) loop.vars[it->second].exit = id;
  }
  for (const LoopVar& var : loop.vars) {
    if (var.switch_node < 0) return malformed("a loop variable has no Switch");
  }
  if (loop.vars.empty()) return malformed("it has no loop variables");
  for (int id : f.enters) {
    if (!merged.contains(id)) loop.constants.push_back(id);
  }
  loop.parallel_iterations = parallel_iterations(frame);
  return loop;
}

}  // namespace troupe
