#include "graph/passes/partition.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/passes/cross_memory.h"
#include "graph/passes/function_references.h"

namespace troupe {
namespace {

/// Which loop frames there are, and in which every node runs. Frame 0 is the root: no loop.
struct Frames {
  struct Frame {
    int parent = -1;
    std::string name;
    int64_t parallel_iterations = 10;
    std::vector<int> loop_conds = {};
  };
  std::vector<Frame> frames;
  /// By node: where its outputs are. An Enter's are inside its loop, an Exit's outside.
  std::vector<int> of_output;
};

Frames find_frames(const Graph& graph) {
  Frames found;
  found.frames.emplace_back();
  found.of_output.assign(graph.num_ids(), -1);
  absl::flat_hash_map<std::pair<int, std::string>, int> known;
  ConsumerIndex consumers(graph);
  std::deque<int> queue;
  auto reach = [&](int id, int frame) {
    const Node& n = graph.node(id);
    int out = frame;
    if (n.is("Enter") || n.is("RefEnter")) {
      std::string name = n.attrs.get_or<std::string>("frame_name", "");
      auto [it, added] = known.try_emplace({frame, name}, static_cast<int>(found.frames.size()));
      out = it->second;
      if (added) found.frames.push_back({frame, name, n.attrs.get_or<int64_t>("parallel_iterations", 10)});
    } else if (n.is("Exit") || n.is("RefExit")) {
      out = std::max(0, found.frames[frame].parent);
    } else if (n.is("LoopCond")) {
      found.frames[frame].loop_conds.push_back(id);
    }
    found.of_output[id] = out;
    queue.push_back(id);
  };
  for (int i = 0; i < graph.num_ids(); ++i) {
    const Node& n = graph.node(i);
    if (!n.removed() && n.inputs.empty() && n.control_inputs.empty()) reach(i, 0);
  }
  while (!queue.empty()) {
    const int i = queue.front();
    queue.pop_front();
    for (const auto& use : consumers.of(i)) {
      if (found.of_output[use.node] < 0) reach(use.node, found.of_output[i]);
    }
  }
  return found;
}

class Partitioner {
 public:
  Partitioner(const DeviceCatalog& devices, const Cut& cut, Draft draft)
      : devices_(devices), cut_(cut), graph_(std::move(draft.graph)), local_(graph_.num_ids(), -1) {}

  absl::StatusOr<std::vector<PlanPartition>> run() {
    at_.assign(cut_.devices_in.size(), -1);
    for (int i = 0; i < graph_.num_ids(); ++i) {
      if (!graph_.node(i).removed()) TROUPE_RETURN_IF_ERROR(copy_node(i));
    }
    loops_ = find_frames(graph_);
    for (int i = 0; i < graph_.num_ids(); ++i) {
      if (!graph_.node(i).removed()) TROUPE_RETURN_IF_ERROR(connect(i));
    }
    return std::move(parts_);
  }

 private:
  int part_of(int device) const { return cut_.part_of[device]; }
  bool together(int a, int b) const { return part_of(a) == part_of(b); }

  /// The part that has `device`.
  Graph& part(int device) {
    int& at = at_[part_of(device)];
    if (at < 0) {
      at = static_cast<int>(parts_.size());
      PlanPartition p;
      p.device = device;
      p.graph = Graph(&graph_.ops());
      p.graph.set_library(graph_.library());
      p.graph.versions() = graph_.versions();
      parts_.push_back(std::move(p));
    }
    return parts_[at].graph;
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
      if (together(graph_.node(from.node).device, n.device)) {
        here = {local_[from.node], from.slot};
      } else {
        TROUPE_ASSIGN_OR_RETURN(here, receive(from, n.device));
      }
      part(n.device).node(local_[id]).inputs[s] = here;
    }
    std::vector<int> controls;
    for (int c : n.control_inputs) {
      controls.push_back(local_[c]);
      if (!together(graph_.node(c).device, n.device)) {
        TROUPE_ASSIGN_OR_RETURN(controls.back(), receive_control(c, n.device));
      }
    }
    part(n.device).add_control_inputs(local_[id], controls);
    return absl::OkStatus();
  }

  /// The node that tells the other devices of a loop whether to go on. One that counts for a gradient ("LoopCounter") may be
  /// beside it.
  absl::StatusOr<int> loop_cond_of(const Frames::Frame& f) const {
    int found = -1;
    for (int id : f.loop_conds) {
      if (found >= 0 && !absl::StrContains(graph_.node(id).name, "LoopCounter") &&
          !absl::StrContains(graph_.node(found).name, "LoopCounter")) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Invalid loop structure: Loop \"", f.name, "\" has more than one LoopCond node: {{node ",
            graph_.node(id).name, "}} and {{node ", graph_.node(found).name, "}}."));
      }
      found = id;
    }
    if (found >= 0) return found;
    return absl::InvalidArgumentError(absl::StrCat(
        "The loop ", f.name, " runs on several devices, but has no LoopCond node to tell them when it ends"));
  }

  /// What tells a loop of control on device `dst` whether to go on.
  absl::StatusOr<Endpoint> receive_loop_cond(int loop_cond, int dst) {
    if (together(graph_.node(loop_cond).device, dst)) return Endpoint{local_[loop_cond], 0};
    TROUPE_ASSIGN_OR_RETURN(Endpoint go_on, receive({loop_cond, 0}, dst));
    if (cut_.devices_in[part_of(dst)] == 1) return go_on;
    // The part will be cut by device: then this is the LoopCond of its devices.
    TROUPE_ASSIGN_OR_RETURN(go_on.node, add(dst, graph_.node(loop_cond).name, "LoopCond", {}, {go_on}));
    return go_on;
  }

  /// A loop in the part of device `dst` that goes round exactly as often as the real one: what is received inside the loop waits for
  /// its Merge, once an iteration. It learns from the real LoopCond whether to go on.
  absl::StatusOr<int> control_loop(int frame, int dst) {
    if (auto known = control_loops_.find({frame, part_of(dst)}); known != control_loops_.end()) {
      return known->second;
    }
    const Frames::Frame& f = loops_.frames[frame];
    TROUPE_ASSIGN_OR_RETURN(const int loop_cond, loop_cond_of(f));
    Endpoint start;
    if (f.parent > 0) {
      TROUPE_ASSIGN_OR_RETURN(start.node, control_loop(f.parent, dst));
    } else {
      TROUPE_ASSIGN_OR_RETURN(
          start.node, add(dst, f.name, "Const", {{"dtype", DataType::kFloat}, {"value", empty()}}, {}));
    }
    const AttrMap type{{"T", DataType::kFloat}};
    AttrMap enter_attrs = type;
    enter_attrs.set("frame_name", f.name);
    enter_attrs.set("is_constant", false);
    enter_attrs.set("parallel_iterations", f.parallel_iterations);
    TROUPE_ASSIGN_OR_RETURN(int enter, add(dst, f.name, "Enter", std::move(enter_attrs), {start}));
    TROUPE_ASSIGN_OR_RETURN(
        int merge, add(dst, f.name, "Merge", {{"T", DataType::kFloat}, {"N", 2}}, {{enter, 0}, {enter, 0}}));
    control_loops_[{frame, part_of(dst)}] = merge;
    TROUPE_ASSIGN_OR_RETURN(Endpoint go_on, receive_loop_cond(loop_cond, dst));
    TROUPE_ASSIGN_OR_RETURN(int route, add(dst, f.name, "Switch", type, {{merge, 0}, go_on}));
    TROUPE_ASSIGN_OR_RETURN(int next, add(dst, f.name, "NextIteration", type, {{route, 1}}));
    part(dst).node(merge).inputs[1] = {next, 0};
    return merge;
  }

  static Tensor empty() { return Tensor(DataType::kFloat, Shape{0}); }

  /// A node that the partition needs on `device`, called after `base`.
  absl::StatusOr<int> add(int device, const std::string& base, absl::string_view op, AttrMap attrs,
                          std::vector<Endpoint> inputs, std::vector<int> controls = {}) {
    TROUPE_ASSIGN_OR_RETURN(
        Node * n, part(device).add_node(part(device).unique_name(absl::StrCat(base, cut_.mark, next_++)), op,
                                        std::move(attrs), std::move(inputs), std::move(controls)));
    n->device = device;
    return n->id;
  }

  AttrMap transfer_attrs(const std::string& tensor_name, int src, int dst) const {
    const auto& entries = devices_.entries();
    return {{"tensor_name", tensor_name},
            {"send_device", entries[src].name},
            {"send_device_incarnation", static_cast<int64_t>(entries[src].incarnation)},
            {"recv_device", entries[dst].name},
            {"client_terminated", false}};
  }

  /// Sends `value`, which is of partition `src` and of that frame, to `dst`; returns the `_Recv` there.
  absl::StatusOr<int> transfer(Endpoint value, DataType type, const std::string& node, int frame, int src,
                               int dst) {
    // By the number of the _Recv, which comes after the _Send.
    const std::string tensor = absl::StrCat("edge_", next_ + 1, "_", node);
    AttrMap send = transfer_attrs(tensor, src, dst), recv = send;
    send.set("T", type);
    recv.set("tensor_type", type);
    TROUPE_RETURN_IF_ERROR(add(src, node, "_Send", std::move(send), {value}).status());
    TROUPE_ASSIGN_OR_RETURN(int received, add(dst, node, "_Recv", std::move(recv), {}));
    if (frame > 0) {
      TROUPE_ASSIGN_OR_RETURN(int merge, control_loop(frame, dst));
      part(dst).add_control_input(received, merge);
    }
    return received;
  }

  absl::StatusOr<Endpoint> receive(Endpoint from, int dst) {
    const auto key = std::pair(from, part_of(dst));
    if (auto known = received_.find(key); known != received_.end()) return Endpoint{known->second, 0};
    const Node& n = graph_.node(from.node);
    TROUPE_ASSIGN_OR_RETURN(int id,
                            transfer({local_[from.node], from.slot}, base_type(n.output_types[from.slot]),
                                     n.name, loops_.of_output[from.node], n.device, dst));
    received_[key] = id;
    return Endpoint{id, 0};
  }

  absl::StatusOr<int> receive_control(int from, int dst) {
    const auto key = std::pair(from, part_of(dst));
    if (auto known = controls_.find(key); known != controls_.end()) return known->second;
    const Node& n = graph_.node(from);
    TROUPE_ASSIGN_OR_RETURN(int token,
                            add(n.device, n.name, "Const", {{"dtype", DataType::kFloat}, {"value", empty()}},
                                {}, {local_[from]}));
    TROUPE_ASSIGN_OR_RETURN(
        int recv, transfer({token, 0}, DataType::kFloat, n.name, loops_.of_output[from], n.device, dst));
    TROUPE_ASSIGN_OR_RETURN(int identity,
                            add(dst, n.name, "Identity", {{"T", DataType::kFloat}}, {{recv, 0}}));
    controls_[key] = identity;
    return identity;
  }

  const DeviceCatalog& devices_;
  const Cut& cut_;
  Graph graph_;
  std::vector<int> local_;
  /// By number of the cut: where the part is among parts_.
  std::vector<int> at_;
  Frames loops_;
  std::vector<PlanPartition> parts_;
  absl::flat_hash_map<std::pair<Endpoint, int>, int> received_;
  absl::flat_hash_map<std::pair<int, int>, int> controls_;
  absl::flat_hash_map<std::pair<int, int>, int> control_loops_;
  int next_ = 0;
};

/// Graphs that were partitioned before may have transfers that do not say yet which life of their device they are of.
void set_incarnations(const DeviceCatalog& devices, Graph* graph) {
  constexpr const char* kIncarnation = "send_device_incarnation";
  for (int i = 0; i < graph->num_ids(); ++i) {
    Node& n = graph->node(i);
    if (!n.is("_Send") && !n.is("_Recv") && !n.is("_HostSend") && !n.is("_HostRecv")) continue;
    if (n.attrs.get_or<int64_t>(kIncarnation, 0) != 0) continue;
    const std::string sender = n.attrs.get_or<std::string>("send_device", "");
    for (const DeviceCatalog::Entry& device : devices.entries()) {
      if (device.name == sender) n.attrs.set(kIncarnation, static_cast<int64_t>(device.incarnation));
    }
  }
}

}  // namespace

Cut cut_by_device(const DeviceCatalog& devices) {
  Cut cut;
  cut.part_of.resize(devices.entries().size());
  std::iota(cut.part_of.begin(), cut.part_of.end(), 0);
  cut.devices_in.assign(cut.part_of.size(), 1);
  return cut;
}

absl::StatusOr<std::vector<PlanPartition>> partition(const DeviceCatalog& devices, const Cut& cut,
                                                     Draft draft) {
  set_incarnations(devices, &draft.graph);
  int first = -1;
  bool one = true;
  for (int i = 0; i < draft.graph.num_ids() && one; ++i) {
    if (draft.graph.node(i).removed()) continue;
    if (first < 0) first = draft.graph.node(i).device;
    one = cut.part_of[draft.graph.node(i).device] == cut.part_of[first];
  }
  std::vector<PlanPartition> parts;
  if (one) {
    PlanPartition p;
    p.device = first < 0 ? devices.client_device() : first;
    p.graph = std::move(draft.graph);
    parts.push_back(std::move(p));
  } else {
    TROUPE_ASSIGN_OR_RETURN(parts, Partitioner(devices, cut, std::move(draft)).run());
  }
  for (PlanPartition& p : parts) {
    const DeviceCatalog::Entry& device = devices.entries()[p.device];
    // What other tasks get they cut by device themselves.
    if (!device.host_memory && device.local && cut.devices_in[cut.part_of[p.device]] == 1)
      TROUPE_RETURN_IF_ERROR(cross_memory(devices, p.device, &p.graph).status());
    p.graph.set_library(reachable_functions(p.graph));
  }
  return parts;
}

}  // namespace troupe
