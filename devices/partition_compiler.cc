#include <algorithm>
#include <deque>

#include "absl/strings/str_cat.h"
#include "devices/compiled_partition.h"
#include "devices/enqueuing_device.h"
#include "devices/implied_waits.h"
#include "graph/ir/in_place.h"

namespace troupe {
namespace {

bool any_may_hold_floats(const std::vector<DataType>& types) {
  return std::any_of(types.begin(), types.end(), [](DataType t) {
    const DataType base = base_type(t);
    return !is_integer(base) && base != DataType::kBool && base != DataType::kString;
  });
}

bool needs_kernel(NodeKind k) {
  return k == NodeKind::kKernel || k == NodeKind::kSend || k == NodeKind::kRecv;
}

}  // namespace

/// Lowers one graph; see CompiledPartition::compile.
class PartitionCompiler {
 public:
  PartitionCompiler(const Graph& graph, Device* device, const KernelRegistry& kernels,
                    StatefulKernels* stateful, SharedNodes* shared)
      : graph_(graph), device_(device), enqueues_(dynamic_cast<EnqueuingDevice*>(device) != nullptr),
        kernels_(kernels), stateful_(stateful), shared_(shared) {}

  absl::StatusOr<std::shared_ptr<const CompiledPartition>> run() {
    p_->device_ = device_;
    TROUPE_RETURN_IF_ERROR(number_nodes());
    TROUPE_RETURN_IF_ERROR(assign_frames());
    lay_out_slots();
    bind_constants();
    lay_out_edges();
    std::erase_if(p_->roots_, [&](int32_t i) {
      const CompiledNode& c = p_->nodes_[i];
      return c.kind == NodeKind::kConst && c.out_edge_begin == c.out_edge_end;
    });
    shrink();
    p_->costs_ = std::make_unique<std::atomic<uint32_t>[]>(p_->nodes_.size());
    return std::shared_ptr<const CompiledPartition>(std::move(p_));
  }

 private:
  absl::Status number_nodes() {
    index_.assign(graph_.num_ids(), -1);
    for (int id = 0; id < graph_.num_ids(); ++id) {
      if (graph_.node(id).removed()) continue;
      index_[id] = static_cast<int>(ids_.size());
      ids_.push_back(id);
    }
    find_written_constants();
    p_->nodes_.resize(ids_.size());
    p_->lowered_.reserve(ids_.size());
    for (size_t i = 0; i < ids_.size(); ++i)
      TROUPE_RETURN_IF_ERROR(lower(graph_.node(ids_[i]), &p_->nodes_[i]));
    return absl::OkStatus();
  }

  /// Constants that nodes write to: the partition has its own copies of them.
  void find_written_constants() {
    for (int id : ids_) {
      const Node& n = graph_.node(id);
      if (!writes_to_input(n) || n.inputs.empty()) continue;
      if (const Tensor* value = constant(n.inputs[0].node); value != nullptr) written_.push_back(value);
    }
  }

  /// The value of a Const, or of Identities of one; null for other nodes.
  const Tensor* constant(int id) const {
    for (int hops = 0; hops < 8; ++hops) {
      const Node& n = graph_.node(id);
      if (n.is("Const")) {
        const AttrValue* value = n.attrs.find("value");
        return value == nullptr ? nullptr : value->get<Tensor>();
      }
      if (!n.is("Identity") || n.inputs.empty()) return nullptr;
      id = n.inputs[0].node;
    }
    return nullptr;
  }

  absl::Status lower(const Node& n, CompiledNode* c) {
    c->kind = kind_of(n);
    c->num_inputs = n.num_inputs();
    c->num_outputs = n.num_outputs();
    c->is_merge = c->kind == NodeKind::kMerge;
    c->is_enter = c->kind == NodeKind::kEnter;
    c->allows_uninitialized_input = n.op->allows_uninitialized_input;
    for (int i = 0; i < n.num_inputs(); ++i) {
      c->has_ref_inputs |= is_ref(graph_.type_of(n.inputs[i])) && !is_ref(n.input_types[i]);
    }
    p_->max_outputs_ = std::max(p_->max_outputs_, c->num_outputs);
    switch (c->kind) {
      case NodeKind::kConst: {
        TROUPE_ASSIGN_OR_RETURN(Tensor value, n.attrs.get<Tensor>("value"));
        // Such a node passes import; a consumer that trusts the type would read past the value's end.
        if (value.dtype() != n.output_types[0]) {
          return absl::InvalidArgumentError(
              absl::StrCat("Type mismatch between value (", dtype_name(value.dtype()), ") and dtype (",
                           dtype_name(n.output_types[0]), ")\n\t [[{{node ", n.name, "}}]]"));
        }
        c->aux = static_cast<int32_t>(p_->consts_.size());
        const bool written = std::find(written_.begin(), written_.end(),
                                       n.attrs.find("value")->get<Tensor>()) != written_.end();
        p_->consts_.push_back(written ? value.deep_copy() : std::move(value));
        break;
      }
      case NodeKind::kArg:
      case NodeKind::kRetval: {
        TROUPE_ASSIGN_OR_RETURN(const int64_t index, n.attrs.get<int64_t>("index"));
        c->aux = static_cast<int32_t>(index);
        if (c->aux != index) {
          return absl::InvalidArgumentError(absl::StrCat(
              "Attr index has value ", index, " out of range for an int32\n\t [[{{node ", n.name, "}}]]"));
        }
        break;
      }
      case NodeKind::kEnter: c->is_constant_enter = n.attrs.get_or<bool>("is_constant", false); break;
      case NodeKind::kSend:
      case NodeKind::kRecv: p_->has_transfers_ = true; break;
      default: break;
    }
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<const LoweredNode> lowered,
                            find_or_make(n, needs_kernel(c->kind)));
    c->info = &lowered->info;
    if (lowered->kernel != nullptr) take_kernel(lowered->kernel.get(), c);
    if (c->num_outputs == 1) c->output_type = base_type(n.output_types[0]);
    p_->lowered_.push_back(std::move(lowered));
    return absl::OkStatus();
  }

  /// The node that another partition has made of the same, or a new one.
  absl::StatusOr<std::shared_ptr<const LoweredNode>> find_or_make(const Node& n, bool with_kernel) {
    uint64_t constant_inputs = 0;
    std::vector<Tensor> constants;
    for (int i = 0; i < std::min(64, n.num_inputs()); ++i) {
      const Tensor* value = constant(n.inputs[i].node);
      if (value == nullptr) continue;
      constant_inputs |= uint64_t{1} << i;
      constants.push_back(*value);
    }
    if (shared_ != nullptr) {
      auto known = shared_->find(device_, n.name);
      if (known != nullptr && is_same(*known, n, constant_inputs, constants)) return known;
    }
    auto lowered =
        std::shared_ptr<LoweredNode>(new LoweredNode);  // its memory must not wait for weak references
    KernelNode& info = lowered->info;
    info = KernelNode(n, graph_.versions().producer);
    info.constant_inputs = constant_inputs;
    lowered->constants = std::move(constants);
    if (with_kernel) {
      TROUPE_ASSIGN_OR_RETURN(lowered->kernel, build_kernel(n, info));
    }
    if (shared_ != nullptr) shared_->remember(device_, lowered);
    return lowered;
  }

  bool is_same(const LoweredNode& known, const Node& n, uint64_t constant_inputs,
               const std::vector<Tensor>& constants) const {
    const KernelNode& info = known.info;
    return info.op == n.op && info.constant_inputs == constant_inputs &&
           info.graph_producer_version == graph_.versions().producer &&
           std::equal(info.input_types.begin(), info.input_types.end(), n.input_types.begin(),
                      n.input_types.end()) &&
           std::equal(info.output_types.begin(), info.output_types.end(), n.output_types.begin(),
                      n.output_types.end()) &&
           std::equal(known.constants.begin(), known.constants.end(), constants.begin(), constants.end(),
                      [](const Tensor& a, const Tensor& b) { return a.shares_buffer_with(b); }) &&
           info.attrs == n.attrs;
  }

  absl::StatusOr<std::shared_ptr<Kernel>> build_kernel(const Node& n, const KernelNode& info) {
    if (!n.op->is_stateful || stateful_ == nullptr || kind_of(n) != NodeKind::kKernel)
      return kernels_.create(info, device_);
    // A kernel shared by signatures outlives this partition: it must keep its own copy of what it knows.
    return stateful_->find_or_create(absl::StrCat(device_->name(), ";", n.name),
                                     [&] { return make_owning(info); });
  }

  /// From here on the kind tells: transfers may be of either sort.
  void take_kernel(Kernel* kernel, CompiledNode* c) {
    c->kernel = kernel;
    p_->computes_floats_ = p_->computes_floats_ || any_may_hold_floats(c->info->input_types) ||
                           any_may_hold_floats(c->info->output_types);
    // Who only enqueues is done at once.
    c->expensive = kernel->is_expensive() && !enqueues_;
    if (kernel->is_async()) {
      c->kind = c->kind == NodeKind::kKernel ? NodeKind::kAsyncKernel : NodeKind::kRecv;
      c->expensive = false;
    } else if (c->kind == NodeKind::kRecv) {
      c->kind = NodeKind::kSend;
    }
  }

  absl::StatusOr<std::unique_ptr<Kernel>> make_owning(const KernelNode& info) {
    auto copy = std::make_unique<KernelNode>(info);
    TROUPE_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, kernels_.create(*copy, device_));
    stateful_->adopt(std::move(copy));
    return kernel;
  }

  /// What was filled one by one took more than it needs.
  void shrink() {
    p_->out_edges_.shrink_to_fit();
    p_->consts_.shrink_to_fit();
    p_->roots_.shrink_to_fit();
    for (CompiledFrame& f : p_->frames_) {
      f.initial.shrink_to_fit();
      f.bound_constants.shrink_to_fit();
    }
  }

  /// The frame that the outputs of a node belong to.
  int output_frame(int i) const {
    const CompiledNode& c = p_->nodes_[i];
    if (c.kind == NodeKind::kEnter) return c.aux;
    if (c.kind == NodeKind::kExit) return std::max(0, p_->frames_[c.frame].parent);
    return c.frame;
  }

  /// Follows edges forwards from the roots; each node is in the frame that its first visited input delivers to.
  absl::Status assign_frames() {
    p_->frames_.push_back({});
    absl::flat_hash_map<std::pair<int, std::string>, int> by_name;
    ConsumerIndex consumers(graph_);
    std::vector<char> seen(ids_.size(), 0);
    std::deque<int> queue;
    auto visit = [&](int i, int frame) -> absl::Status {
      seen[i] = 1;
      CompiledNode& c = p_->nodes_[i];
      c.frame = frame;
      if (c.kind == NodeKind::kEnter) {
        const Node& n = graph_.node(ids_[i]);
        TROUPE_ASSIGN_OR_RETURN(std::string name, n.attrs.get<std::string>("frame_name"));
        if (name.empty()) {
          return absl::InvalidArgumentError(absl::StrCat("The Enter ", n.name, " must have a frame name."));
        }
        auto [it, added] = by_name.try_emplace({frame, name}, static_cast<int>(p_->frames_.size()));
        if (added) {
          CompiledFrame f;
          f.name = name;
          f.parent = frame;
          f.parallel_iterations =
              static_cast<int32_t>(std::max<int64_t>(1, n.attrs.get_or<int64_t>("parallel_iterations", 10)));
          p_->frames_.push_back(std::move(f));
        }
        c.aux = it->second;
        ++p_->frames_[it->second].num_enters;
      }
      queue.push_back(i);
      return absl::OkStatus();
    };
    for (size_t i = 0; i < ids_.size(); ++i) {
      const Node& n = graph_.node(ids_[i]);
      if (n.inputs.empty() && n.control_inputs.empty()) {
        p_->roots_.push_back(static_cast<int32_t>(i));
        TROUPE_RETURN_IF_ERROR(visit(static_cast<int>(i), 0));
      }
    }
    while (!queue.empty()) {
      int i = queue.front();
      queue.pop_front();
      int frame = output_frame(i);
      for (const auto& use : consumers.of(ids_[i])) {
        int j = index_[use.node];
        if (!seen[j]) TROUPE_RETURN_IF_ERROR(visit(j, frame));
      }
    }
    return absl::OkStatus();
  }

  void lay_out_slots() {
    for (size_t i = 0; i < ids_.size(); ++i) {
      CompiledNode& c = p_->nodes_[i];
      CompiledFrame& f = p_->frames_[c.frame];
      c.local = static_cast<int32_t>(f.initial.size());
      c.input_begin = f.num_input_slots;
      f.num_input_slots += c.num_inputs;
      int controls = static_cast<int>(graph_.node(ids_[i]).control_inputs.size());
      f.has_merge = f.has_merge || c.is_merge;
      f.initial.push_back({c.is_merge ? 2 * controls + 1 : c.num_inputs + controls, 0});
    }
  }

  /// Inputs of kernels that come from a Const need no edge where the kernel's other inputs make it wait for all that
  /// the Const waits for. Every node keeps something to wait for.
  void bind_constants() {
    ImpliedWaits waits(graph_, p_->nodes_, index_);
    for (size_t i = 0; i < ids_.size(); ++i) {
      CompiledNode& c = p_->nodes_[i];
      if (c.kind != NodeKind::kKernel) continue;
      CompiledFrame& frame = p_->frames_[c.frame];
      PendingCounts& counts = frame.initial[c.local];
      const Node& n = graph_.node(ids_[i]);
      for (int s = 0; s < std::min(CompiledNode::kMaxBound, c.num_inputs) && counts.pending > 1; ++s) {
        const int from = index_[n.inputs[s].node];
        const CompiledNode& producer = p_->nodes_[from];
        if (producer.kind != NodeKind::kConst) continue;
        // Those that are bound already must not vouch for this one: it may be what they were bound on.
        const uint32_t bound = c.bound_inputs | uint32_t{1} << s;
        if (!waits.cover(ids_[i], bound, n.inputs[s].node)) continue;
        c.bound_inputs = bound;
        frame.bound_constants.push_back({c.input_begin + s, producer.aux, from});
        --counts.pending;
      }
    }
  }

  /// Whether nobody waits for this node and nothing happens in it: a Const that is bound to all its consumers.
  bool is_idle(int i, const ConsumerIndex& consumers) const {
    if (p_->nodes_[i].kind != NodeKind::kConst) return false;
    auto uses = consumers.of(ids_[i]);
    return std::all_of(uses.begin(), uses.end(), [&](const ConsumerIndex::Use& use) {
      return use.slot >= 0 && p_->nodes_[index_[use.node]].is_bound(use.slot);
    });
  }

  void lay_out_edges() {
    ConsumerIndex consumers(graph_);
    std::vector<int> last(static_cast<size_t>(p_->max_outputs_));
    for (size_t i = 0; i < ids_.size(); ++i) {
      CompiledNode& c = p_->nodes_[i];
      c.out_edge_begin = static_cast<int32_t>(p_->out_edges_.size());
      if (c.is_merge) c.aux = 0;
      std::fill_n(last.begin(), c.num_outputs, -1);
      for (const auto& use : consumers.of(ids_[i])) {
        int j = index_[use.node];
        const CompiledNode& dst = p_->nodes_[j];
        if (use.slot >= 0 ? dst.is_bound(use.slot) : is_idle(j, consumers)) continue;
        if (c.is_merge && use.src_slot == 1) c.aux = 1;
        if (use.src_slot >= 0) last[use.src_slot] = static_cast<int>(p_->out_edges_.size());
        p_->out_edges_.push_back(
            {j, use.slot < 0 ? -1 : dst.input_begin + use.slot, use.src_slot, false, dst.is_merge});
      }
      c.out_edge_end = static_cast<int32_t>(p_->out_edges_.size());
      for (int slot = 0; slot < c.num_outputs; ++slot) {
        if (last[slot] >= 0) {
          p_->out_edges_[last[slot]].last_use = true;
        } else if (slot < 32) {
          c.unused_outputs |= uint32_t{1} << slot;
        }
      }
    }
  }

  const Graph& graph_;
  Device* const device_;
  const bool enqueues_;
  const KernelRegistry& kernels_;
  StatefulKernels* const stateful_;
  SharedNodes* const shared_;
  std::unique_ptr<CompiledPartition> p_ = std::make_unique<CompiledPartition>();
  std::vector<int> index_;              // graph id -> node index
  std::vector<int> ids_;                // node index -> graph id
  std::vector<const Tensor*> written_;  // values of Const nodes
};

absl::StatusOr<std::shared_ptr<const CompiledPartition>> CompiledPartition::compile(
    const Graph& graph, Device* device, const KernelRegistry& kernels, StatefulKernels* stateful,
    SharedNodes* shared) {
  return PartitionCompiler(graph, device, kernels, stateful, shared).run();
}

}  // namespace troupe
