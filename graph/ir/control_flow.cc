#include "graph/ir/control_flow.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/algorithm.h"

namespace troupe {
namespace {

bool is_enter(const Node& n) { return n.is("Enter") || n.is("RefEnter"); }
bool is_exit(const Node& n) { return n.is("Exit") || n.is("RefExit"); }

class FrameFinder {
 public:
  explicit FrameFinder(const Graph& graph) : graph_(graph) {
    info_.frames.emplace_back();
    info_.frame_of.assign(graph.num_ids(), -1);
  }

  absl::StatusOr<ControlFlowInfo> run() {
    TROUPE_ASSIGN_OR_RETURN(std::vector<int> order, topological_order(graph_));
    for (int id : order) TROUPE_RETURN_IF_ERROR(place(graph_.node(id)));
    // Back edges close loops whose frames are known only now.
    for (int id : order) TROUPE_RETURN_IF_ERROR(check_back_edges(graph_.node(id)));
    return std::move(info_);
  }

 private:
  absl::Status place(const Node& node) {
    int frame = 0;
    const Node* first = nullptr;
    for (Endpoint e : node.inputs) {
      if (is_back_edge(graph_.node(e.node), node)) continue;
      TROUPE_RETURN_IF_ERROR(agree(node, graph_.node(e.node), &first, &frame));
    }
    for (int c : node.control_inputs) TROUPE_RETURN_IF_ERROR(agree(node, graph_.node(c), &first, &frame));
    if (is_enter(node)) {
      TROUPE_ASSIGN_OR_RETURN(frame, enter(node, frame));
    } else if (is_exit(node)) {
      if (frame == 0)
        return absl::InvalidArgumentError("Invalid Exit op: Cannot find a corresponding Enter op.");
      info_.frames[frame].exits.push_back(node.id);
    } else if (node.is("LoopCond")) {
      info_.frames[frame].loop_conds.push_back(node.id);
    }
    info_.frame_of[node.id] = frame;
    return absl::OkStatus();
  }

  /// Takes the frame of one input into account; the first one decides.
  absl::Status agree(const Node& node, const Node& input, const Node** first, int* frame) {
    const int f = info_.output_frame(input);
    if (*first == nullptr) {
      *first = &input;
      *frame = f;
      return absl::OkStatus();
    }
    return f == *frame ? absl::OkStatus() : different(node, **first, *frame, input, f);
  }

  absl::Status different(const Node& node, const Node& a, int frame_a, const Node& b, int frame_b) const {
    return absl::InvalidArgumentError(
        absl::StrCat("{{node ", node.name, "}} has inputs from different frames. The input {{node ", a.name,
                     "}} is in frame '", info_.frames[frame_a].name, "'. The input {{node ", b.name,
                     "}} is in frame '", info_.frames[frame_b].name, "'."));
  }

  absl::StatusOr<int> enter(const Node& node, int parent) {
    auto name = node.attrs.get<std::string>("frame_name");
    if (!name.ok() || name->empty()) {
      return absl::InvalidArgumentError(absl::StrCat("The Enter ", node.name, " must have a frame name."));
    }
    auto [it, fresh] = by_name_.try_emplace(*name, static_cast<int>(info_.frames.size()));
    if (fresh) {
      info_.frames.push_back({*name, parent, info_.frames[parent].depth + 1, {}, {}, {}});
    } else if (info_.frames[it->second].parent != parent) {
      return absl::InternalError(absl::StrCat(
          "Invalid loop structure: Mismatched parent frames for \"", *name, "\": \"",
          info_.frames[info_.frames[it->second].parent].name, "\" vs \"", info_.frames[parent].name,
          "\". The node giving this error: {{node ", node.name, "}}"));
    }
    info_.frames[it->second].enters.push_back(node.id);
    return it->second;
  }

  absl::Status check_back_edges(const Node& node) const {
    for (Endpoint e : node.inputs) {
      const Node& from = graph_.node(e.node);
      const int frame = info_.frame_of[node.id];
      if (!is_back_edge(from, node) || info_.frame_of[e.node] == frame) continue;
      const Node& first = graph_.node(node.inputs[0].node);
      return different(node, first, info_.output_frame(first), from, info_.frame_of[e.node]);
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  ControlFlowInfo info_;
  absl::flat_hash_map<std::string, int> by_name_;
};

}  // namespace

int ControlFlowInfo::output_frame(const Node& node) const {
  const int frame = frame_of[node.id];
  return is_exit(node) && frame > 0 ? frames[frame].parent : frame;
}

absl::StatusOr<ControlFlowInfo> static_frames(const Graph& graph) { return FrameFinder(graph).run(); }

}  // namespace troupe
