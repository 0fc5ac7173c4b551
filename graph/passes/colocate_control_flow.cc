#include "graph/passes/colocate_control_flow.h"

#include <algorithm>

#include "graph/ir/algorithm.h"

namespace troupe {
namespace {

class Colocator {
 public:
  Colocator(const DeviceCatalog& devices, Graph* graph) : devices_(devices), graph_(*graph) {}

  absl::StatusOr<PassStats> run() {
    PassStats stats("colocate_control_flow", graph_);
    TROUPE_ASSIGN_OR_RETURN(const std::vector<int> order, topological_order(graph_));
    auto routes = [this](int id) { return is_control_flow(*graph_.node(id).op); };
    if (std::any_of(order.begin(), order.end(), routes)) {
      // First those that follow their consumers, the last first; then those that follow what they get.
      const ConsumerIndex consumers(graph_);
      for (auto id = order.rbegin(); id != order.rend(); ++id)
        TROUPE_RETURN_IF_ERROR(follow_consumer(graph_.node(*id), consumers));
      for (int id : order) TROUPE_RETURN_IF_ERROR(follow_input(graph_.node(id)));
    }
    return stats.count("moved", moved_).done(graph_);
  }

 private:
  absl::Status follow_consumer(Node& n, const ConsumerIndex& consumers) {
    if (!n.is("Enter") && !n.is("NextIteration") && !n.is("RefNextIteration")) return absl::OkStatus();
    int only = -1;
    for (const ConsumerIndex::Use& use : consumers.of(n.id)) {
      if (use.slot < 0) continue;
      if (only >= 0) return absl::OkStatus();
      only = use.node;
    }
    return only < 0 ? absl::OkStatus() : move(n, graph_.node(only).device);
  }

  absl::Status follow_input(Node& n) {
    if (!is_switch(*n.op) && !n.is("Exit") && !n.is("RefExit")) return absl::OkStatus();
    return move(n, graph_.node(n.inputs[0].node).device);
  }

  absl::Status move(Node& n, int device) {
    if (n.device == device) return absl::OkStatus();
    const std::string& type = devices_.entries()[device].type;
    TROUPE_ASSIGN_OR_RETURN(const DeviceCatalog::Support support,
                            devices_.kernel_support(*n.op, n.attrs, type));
    if (!support.supported) return absl::OkStatus();
    n.device = device;
    ++moved_;
    return absl::OkStatus();
  }

  const DeviceCatalog& devices_;
  Graph& graph_;
  int64_t moved_ = 0;
};

}  // namespace

absl::StatusOr<PassStats> colocate_control_flow(const DeviceCatalog& devices, Graph* graph) {
  return Colocator(devices, graph).run();
}

}  // namespace troupe
