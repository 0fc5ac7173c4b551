#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "graph/ir/control_flow.h"
#include "graph/ir/graph.h"

namespace troupe {

/// A loop variable: Enter and NextIteration -> Merge -> Switch on the loop's condition -> body or Exit.
struct LoopVar {
  int enter = -1;
  int merge = -1;
  int switch_node = -1;
  int next = -1;
  /// -1 when nobody wants the last value.
  int exit = -1;
  Endpoint in_body() const { return {switch_node, 1}; }
};

/// A loop of the forward graph.
struct ForwardLoop {
  int frame = -1;
  int loop_cond = -1;
  int64_t parallel_iterations = 10;
  std::string frame_name;
  std::vector<LoopVar> vars;
  /// Enter nodes of what the loop does not change.
  std::vector<int> constants;
};

/// What decides that a value is alive: `predicate` is true, for branch 1, or false.
struct Guard {
  Endpoint predicate;
  int branch = 0;
  int frame = 0;
  /// The one around it; -1: none.
  int parent = -1;
  int depth = 0;
};

/// The frames of a graph's loops at the time that gradients are asked for, and of the nodes that are added to them since.
class LoopFrames {
 public:
  /// `graph` must outlive it. InvalidArgument when control flow is malformed.
  absl::Status analyse(const Graph* graph);

  /// The unit of differentiation in `frame` that makes `e`: a node's id, or for what leaves a loop that stands in `frame`
  /// a number below -1 (see loop_frame).
  int unit_of(Endpoint e, int frame) const;
  static bool is_loop(int unit) { return unit < -1; }
  static int loop_frame(int unit) { return -2 - unit; }
  /// Whether nothing of `frame` is behind this node: it brings values into the frame or into an iteration.
  bool is_border(const Node& node) const;
  /// The frame that output `e` belongs to.
  int frame_of(Endpoint e) const;
  /// `node` was added to `frame` of the forward graph.
  void set_frame(int node, int frame) { added_[node] = frame; }
  /// The same, unless set_frame has been told already.
  void place(int node, int frame) { added_.try_emplace(node, frame); }
  const std::vector<int>& enters(int frame) const { return info_.frames[frame].enters; }
  int parent(int frame) const { return info_.frames[frame].parent; }
  const std::string& name(int frame) const { return info_.frames[frame].name; }
  int64_t parallel_iterations(int frame) const;
  /// Whether what it brings into its frame is the same in all iterations.
  bool is_constant_enter(int enter) const;
  /// The Enter by which the value of a border first came into its frame; -1: there is none.
  int enter_behind(int border) const;
  /// InvalidArgument unless the frame is a loop as while loops are.
  absl::StatusOr<ForwardLoop> loop(int frame) const;
  /// The conditionals of `frame` that `e`, a value of the forward graph, stands in, from the outermost.
  std::vector<Guard> guards(Endpoint e, int frame) const;

 private:
  int guard_of(Endpoint e) const;
  int inner(int a, int b) const;
  int common(int a, int b) const;
  absl::Status find_guards();

  const Graph* graph_ = nullptr;
  bool any_ = false;
  ControlFlowInfo info_;
  std::vector<std::vector<int>> nodes_of_;
  absl::flat_hash_map<int, int> added_;
  std::vector<Guard> guards_;
  /// By node: index into guards_ of the innermost one; for a conditional's Switch, that around it.
  std::vector<int> guard_of_node_;
  /// By Switch: the guards of its two outputs.
  absl::flat_hash_map<int, std::pair<int, int>> guards_of_switch_;
};

}  // namespace troupe
