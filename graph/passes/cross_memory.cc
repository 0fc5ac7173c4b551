#include "graph/passes/cross_memory.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/in_place.h"
#include "graph/passes/pass.h"
#include "graph/passes/plan.h"

namespace troupe {
namespace {

enum class Memory : uint8_t {
  kHost,
  kDevice,
  /// Wherever the group of its node is.
  kRouted,
};

/// Executors hand the value of input 0 of these on as it is. All their other inputs, and outputs of Merge, are numbers that say where to.
bool routes(const Node& n) {
  static const auto* kIdentities = new absl::flat_hash_set<absl::string_view>{
      "Identity", "StopGradient", "PreventGradient", "PlaceholderWithDefault",
      "Snapshot", "RefIdentity",  "GuaranteeConst"};
  if (kIdentities->contains(n.op->name)) return true;
  return is_control_flow(*n.op) && !n.is("LoopCond") && !n.is("ControlTrigger");
}

bool is_merge(const Node& n) { return n.is("Merge") || n.is("RefMerge"); }

/// Ends of the graph, and what the executor itself reads.
bool is_on_host(const Node& n) {
  static const auto* kOps = new absl::flat_hash_set<absl::string_view>{
      "Const", "_Arg", "_Retval", "LoopCond", "_Send", "_Recv", "_HostSend", "_HostRecv", "Send", "Recv"};
  return kOps->contains(n.op->name);
}

/// Of which there is nothing in the device's memory.
bool is_host_type(DataType type) {
  const DataType base = base_type(type);
  return base == DataType::kString || base == DataType::kResource;
}

/// Where inputs and outputs of nodes are, all in one array.
class Places {
 public:
  explicit Places(const Graph& graph) {
    begin_.reserve(graph.num_ids() + 1);
    int at = 0;
    for (int i = 0; i < graph.num_ids(); ++i) {
      begin_.push_back(at);
      const Node& n = graph.node(i);
      if (!n.removed()) at += n.num_inputs() + n.num_outputs();
    }
    memory_.assign(at, Memory::kHost);
  }
  Memory& input(const Node& n, int slot) { return memory_[begin_[n.id] + slot]; }
  Memory& output(const Node& n, int slot) { return memory_[begin_[n.id] + n.num_inputs() + slot]; }

 private:
  std::vector<int> begin_;
  std::vector<Memory> memory_;
};

class MemoryCrosser {
 public:
  MemoryCrosser(const DeviceCatalog& devices, int device, Graph* graph)
      : devices_(devices), device_(device), graph_(*graph), count_(graph->num_ids()), places_(*graph),
        groups_(count_) {
    for (int i = 0; i < count_; ++i) groups_[i].parent = i;
  }

  absl::StatusOr<int> run() {
    for (int i = 0; i < count_; ++i) {
      if (graph_.node(i).removed()) continue;
      TROUPE_RETURN_IF_ERROR(describe(graph_.node(i)));
      writes_ = writes_ || writes_to_input(graph_.node(i));
    }
    for_each_edge([this](const Node& from, int slot, const Node& to, int input) {
      if (places_.output(from, slot) == Memory::kRouted && places_.input(to, input) == Memory::kRouted)
        join(from.id, to.id);
    });
    for_each_edge(
        [this](const Node& from, int slot, const Node& to, int input) { note_ends(from, slot, to, input); });
    return insert_copies();
  }

 private:
  /// Routing nodes that edges join, and who is at their ends.
  struct Group {
    int parent = -1;
    bool has_numbers = false;
    bool has_references = false;
    bool host_makes = false, device_makes = false, host_takes = false, device_takes = false;

    /// Making a copy for the host waits for all that the device has in hand, the other way nobody waits: so it is on the device what is made
    /// there, and what is only used there, which a loop then does not copy again and again. Numbers of 32 bits are sizes and counters of
    /// loops, which kernels have on the host. A reference is where its variable is.
    Memory memory() const {
      if (has_references) return device_makes ? Memory::kDevice : Memory::kHost;
      const bool on_device = has_numbers ? !host_makes && !host_takes && (device_makes || device_takes)
                                         : device_makes || (device_takes && !host_takes);
      return on_device ? Memory::kDevice : Memory::kHost;
    }
  };

  template <class F>
  void for_each_edge(F f) {
    for (int i = 0; i < count_; ++i) {
      const Node& n = graph_.node(i);
      if (n.removed()) continue;
      for (int s = 0; s < n.num_inputs(); ++s) f(graph_.node(n.inputs[s].node), n.inputs[s].slot, n, s);
    }
  }

  absl::Status describe(const Node& n) {
    if (n.attrs.find(kClientDevice) != nullptr) return describe_end(n);
    if (is_on_host(n)) return absl::OkStatus();
    if (routes(n)) {
      if (is_host_type(n.output_types[0])) return absl::OkStatus();
      const int routed = is_merge(n) ? n.num_inputs() : 1;
      for (int i = 0; i < std::min(routed, n.num_inputs()); ++i) places_.input(n, i) = Memory::kRouted;
      const int given = is_merge(n) ? 1 : n.num_outputs();
      for (int i = 0; i < given; ++i) places_.output(n, i) = Memory::kRouted;
      groups_[n.id].has_numbers = base_type(n.output_types[0]) == DataType::kInt32;
      groups_[n.id].has_references = is_ref(n.output_types[0]);
      return absl::OkStatus();
    }
    return describe_kernel(n);
  }

  /// A feed or fetch that the client has on the device.
  absl::Status describe_end(const Node& n) {
    if (n.num_inputs() > 0) places_.input(n, 0) = Memory::kDevice;
    if (n.num_outputs() > 0) places_.output(n, 0) = Memory::kDevice;
    return absl::OkStatus();
  }

  absl::Status describe_kernel(const Node& n) {
    TROUPE_ASSIGN_OR_RETURN(const DeviceCatalog::Support support,
                            devices_.kernel_support(*n.op, n.attrs, devices_.entries()[device_].type));
    auto is_named = [&](const std::string& arg) {
      return support.host_args != nullptr &&
             std::find(support.host_args->begin(), support.host_args->end(), arg) != support.host_args->end();
    };
    auto mark = [&](const std::vector<ArgDef>& args, const auto& types, auto place) -> absl::Status {
      TROUPE_ASSIGN_OR_RETURN(const auto ranges, arg_ranges(args, n.attrs));
      for (size_t a = 0; a < args.size(); ++a) {
        if (is_named(args[a].name)) continue;
        for (int i = ranges[a].first; i < ranges[a].second; ++i) {
          if (!is_host_type(types[i])) place(i) = Memory::kDevice;
        }
      }
      return absl::OkStatus();
    };
    TROUPE_RETURN_IF_ERROR(
        mark(n.op->inputs, n.input_types, [&](int i) -> Memory& { return places_.input(n, i); }));
    return mark(n.op->outputs, n.output_types, [&](int i) -> Memory& { return places_.output(n, i); });
  }

  int root_of(int id) {
    while (groups_[id].parent != id) id = groups_[id].parent = groups_[groups_[id].parent].parent;
    return id;
  }

  void join(int a, int b) {
    a = root_of(a);
    b = root_of(b);
    groups_[b].parent = a;
    groups_[a].has_numbers |= groups_[b].has_numbers;
    groups_[a].has_references |= groups_[b].has_references;
  }

  void note_ends(const Node& from, int slot, const Node& to, int input) {
    const Memory made = places_.output(from, slot), taken = places_.input(to, input);
    if ((made == Memory::kRouted) == (taken == Memory::kRouted)) return;
    if (taken == Memory::kRouted) {
      Group& g = groups_[root_of(to.id)];
      (made == Memory::kHost ? g.host_makes : g.device_makes) = true;
    } else {
      Group& g = groups_[root_of(from.id)];
      (taken == Memory::kHost ? g.host_takes : g.device_takes) = true;
    }
  }

  Memory settled(Memory m, const Node& n) {
    return m == Memory::kRouted ? groups_[root_of(n.id)].memory() : m;
  }

  absl::StatusOr<int> insert_copies() {
    int added = 0;
    for (int i = 0; i < count_; ++i) {
      Node& n = graph_.node(i);
      if (n.removed()) continue;
      for (int s = 0; s < n.num_inputs(); ++s) {
        const Endpoint from = n.inputs[s];
        const Node& producer = graph_.node(from.node);
        const Memory has = settled(places_.output(producer, from.slot), producer);
        const Memory wants = settled(places_.input(n, s), n);
        // A reference is its variable's, wherever that is.
        if (has == wants || is_ref(n.input_types[s])) continue;
        TROUPE_ASSIGN_OR_RETURN(n.inputs[s].node, copy_of(from, wants, n, &added));
        n.inputs[s].slot = 0;
      }
    }
    return added;
  }

  absl::StatusOr<int> copy_of(Endpoint from, Memory to, const Node& consumer, int* added) {
    const DataType type = graph_.type_of(from);
    if (!is_ref(type)) {
      if (auto known = copies_.find(from); known != copies_.end()) return known->second;
    }
    AttrMap attrs{{"T", base_type(type)}};
    if (to == Memory::kDevice) attrs.set("keep", !writes_);
    std::vector<int> controls;
    if (is_ref(type)) controls.assign(consumer.control_inputs.begin(), consumer.control_inputs.end());
    const std::string name = graph_.unique_name(
        absl::StrCat(graph_.node(from.node).name, to == Memory::kHost ? "/_to_host" : "/_to_device",
                     from.slot == 0 ? "" : absl::StrCat("_", from.slot)));
    TROUPE_ASSIGN_OR_RETURN(Node * copy,
                            graph_.add_node(name, to == Memory::kHost ? "_CopyToHost" : "_CopyToDevice",
                                            std::move(attrs), {from}, std::move(controls)));
    copy->device = device_;
    ++*added;
    if (!is_ref(type)) copies_[from] = copy->id;
    return copy->id;
  }

  const DeviceCatalog& devices_;
  const int device_;
  Graph& graph_;
  /// Nodes that there were at first.
  const int count_;
  Places places_;
  std::vector<Group> groups_;
  bool writes_ = false;
  /// What is in one memory is copied to the other.
  absl::flat_hash_map<Endpoint, int> copies_;
};

}  // namespace

absl::StatusOr<int> cross_memory(const DeviceCatalog& devices, int device, Graph* partition) {
  return MemoryCrosser(devices, device, partition).run();
}

}  // namespace troupe
