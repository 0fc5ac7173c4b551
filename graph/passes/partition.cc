#include "graph/passes/partition.h"

#include <deque>

#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Whether each node is inside some while loop: reached from an Enter without passing its Exit. Exits themselves are inside.
std::vector<int> loop_depths(const Graph& graph) {
  std::vector<int> depth(graph.num_ids(), -1);
  ConsumerIndex consumers(graph);
  std::deque<int> queue;
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (!n.removed() && n.inputs.empty() && n.control_inputs.empty()) {
      depth[i] = 0;
      queue.push_back(i);
    }
  }
  while (!queue.empty()) {
    int i = queue.front();
    queue.pop_front();
    const Node& n = graph.node(i);
    int out = depth[i];
    if (n.is("Enter") || n.is("RefEnter")) ++out;
    if (n.is("Exit") || n.is("RefExit")) --out;
    for (const auto& use : consumers.of(i)) {
      if (depth[use.node] >= 0) continue;
      depth[use.node] = out;
      queue.push_back(use.node);
    }
  }
  return depth;
}

class Partitioner {
 public:
  Partitioner(const DeviceCatalog& devices, Draft draft)
      : devices_(devices), graph_(std::move(draft.graph)), local_(graph_.num_ids(), -1) {}

  absl::StatusOr<std::vector<PlanPartition>> run() {
    at_.assign(devices_.entries().size(), -1);
    for (int i = 0; i < graph_.num_ids(); ++i) {
      if (!graph_.node(i).removed()) TROUPE_RETURN_IF_ERROR(copy_node(i));
    }
    depths_ = loop_depths(graph_);
    for (int i = 0; i < graph_.num_ids(); ++i) {
      if (!graph_.node(i).removed()) TROUPE_RETURN_IF_ERROR(connect(i));
    }
    return std::move(parts_);
  }

 private:
  Graph& part(int device) {
    if (at_[device] < 0) {
      at_[device] = static_cast<int>(parts_.size());
      PlanPartition p;
      p.device = device;
      p.graph = Graph(&graph_.ops());
      p.graph.set_library(graph_.library());
      p.graph.versions() = graph_.versions();
      parts_.push_back(std::move(p));
    }
    return parts_[at_[device]].graph;
  }

  absl::Status copy_node(int id) {
    const Node& n = graph_.node(id);
    TROUPE_ASSIGN_OR_RETURN(Node * copy, part(n.device).add_node(n.name, n.op, n.attrs));
    copy->requested_device = n.requested_device;
    copy->device = n.device;
    local_[id] = copy->id;
    return absl::OkStatus();
  }

  absl::Status connect(int id) {
    const Node& n = graph_.node(id);
    for (int s = 0; s < n.num_inputs(); ++s) {
      Endpoint from = n.inputs[s];
      Endpoint here;
      if (graph_.node(from.node).device == n.device) {
        here = {local_[from.node], from.slot};
      } else {
        TROUPE_RETURN_IF_ERROR(check_loop(from.node, id));
        TROUPE_ASSIGN_OR_RETURN(here, receive(from, n.device));
      }
      part(n.device).node(local_[id]).inputs[s] = here;
    }
    for (int c : n.control_inputs) {
      int here = local_[c];
      if (graph_.node(c).device != n.device) {
        TROUPE_RETURN_IF_ERROR(check_loop(c, id));
        TROUPE_ASSIGN_OR_RETURN(here, receive_control(c, n.device));
      }
      part(n.device).add_control_input(local_[id], here);
    }
    return absl::OkStatus();
  }

  absl::Status check_loop(int from, int to) const {
    if (depths_[from] <= 0 && depths_[to] <= 0) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat(
        "while loops over several devices: the edge from ", graph_.node(from).name, " on ",
        devices_.entries()[graph_.node(from).device].name, " to ", graph_.node(to).name, " on ",
        devices_.entries()[graph_.node(to).device].name, " is inside a loop"));
  }

  AttrMap transfer_attrs(const std::string& tensor_name, int src, int dst) const {
    const auto& entries = devices_.entries();
    return {{"tensor_name", tensor_name},
            {"send_device", entries[src].name},
            {"send_device_incarnation", static_cast<int64_t>(entries[src].incarnation)},
            {"recv_device", entries[dst].name},
            {"client_terminated", false}};
  }

  /// Sends `value` (of partition `src`) to `dst`; returns the `_Recv` there.
  absl::StatusOr<int> transfer(Endpoint value, DataType type, const std::string& node, int src, int dst) {
    std::string tensor = absl::StrCat("edge_", next_, "_", node);
    AttrMap send = transfer_attrs(tensor, src, dst), recv = send;
    send.set("T", type);
    recv.set("tensor_type", type);
    TROUPE_ASSIGN_OR_RETURN(Node * s, part(src).add_node(absl::StrCat(node, "/_", next_++), "_Send", std::move(send), {value}));
    s->device = src;
    TROUPE_ASSIGN_OR_RETURN(Node * r, part(dst).add_node(absl::StrCat(node, "/_", next_++), "_Recv", std::move(recv), {}));
    r->device = dst;
    return r->id;
  }

  absl::StatusOr<Endpoint> receive(Endpoint from, int dst) {
    auto [it, added] = received_.try_emplace({from, dst}, -1);
    if (added) {
      const Node& n = graph_.node(from.node);
      auto id = transfer({local_[from.node], from.slot}, base_type(n.output_types[from.slot]), n.name, n.device, dst);
      TROUPE_RETURN_IF_ERROR(id.status());
      received_[{from, dst}] = *id;
      return Endpoint{*id, 0};
    }
    return Endpoint{it->second, 0};
  }

  absl::StatusOr<int> receive_control(int from, int dst) {
    auto known = controls_.find({from, dst});
    if (known != controls_.end()) return known->second;
    const Node& n = graph_.node(from);
    TROUPE_ASSIGN_OR_RETURN(Node * token,
                            part(n.device).add_node(absl::StrCat(n.name, "/_", next_++), "Const",
                                                    {{"dtype", DataType::kFloat}, {"value", Tensor(DataType::kFloat, Shape{0})}},
                                                    {}, {local_[from]}));
    token->device = n.device;
    TROUPE_ASSIGN_OR_RETURN(int recv, transfer({token->id, 0}, DataType::kFloat, n.name, n.device, dst));
    TROUPE_ASSIGN_OR_RETURN(Node * identity, part(dst).add_node(absl::StrCat(n.name, "/_", next_++), "Identity",
                                                                {{"T", DataType::kFloat}}, {{recv, 0}}));
    identity->device = dst;
    controls_[{from, dst}] = identity->id;
    return identity->id;
  }

  const DeviceCatalog& devices_;
  Graph graph_;
  std::vector<int> local_;
  std::vector<int> at_;
  std::vector<int> depths_;
  std::vector<PlanPartition> parts_;
  absl::flat_hash_map<std::pair<Endpoint, int>, int> received_;
  absl::flat_hash_map<std::pair<int, int>, int> controls_;
  int next_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<PlanPartition>> partition(const DeviceCatalog& devices, Draft draft) {
  int first = -1;
  bool one = true;
  for (int i = 0; i < draft.graph.num_ids() && one; ++i) {
    if (draft.graph.node(i).removed()) continue;
    if (first < 0) first = draft.graph.node(i).device;
    one = draft.graph.node(i).device == first;
  }
  if (!one) return Partitioner(devices, std::move(draft)).run();
  std::vector<PlanPartition> parts;
  PlanPartition p;
  p.device = first < 0 ? devices.client_device() : first;
  p.graph = std::move(draft.graph);
  parts.push_back(std::move(p));
  return parts;
}

}  // namespace troupe
