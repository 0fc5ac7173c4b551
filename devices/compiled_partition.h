#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/kernel_registry.h"
#include "devices/shared_nodes.h"
#include "graph/ir/graph.h"

namespace troupe {

/// Kernels of stateful nodes, shared by all signatures of a session: one per node name and device. Thread-safe.
class StatefulKernels {
 public:
  absl::StatusOr<std::shared_ptr<Kernel>> find_or_create(
      const std::string& key, const std::function<absl::StatusOr<std::unique_ptr<Kernel>>()>& make);
  /// Keeps what a kernel's factory was given for as long as the kernels. For `make` only: it runs under the lock.
  void adopt(std::unique_ptr<KernelNode> node) { nodes_.push_back(std::move(node)); }

 private:
  std::mutex mu_;
  std::vector<std::unique_ptr<KernelNode>> nodes_;  // guarded by mu_; destroyed after the kernels
  absl::flat_hash_map<std::string, std::shared_ptr<Kernel>> kernels_;  // guarded by mu_
};

/// How the executor treats a node. Control flow is the executor's own business; kernels see none of it.
enum class NodeKind : uint8_t {
  kKernel,
  kAsyncKernel,
  kNoOp,
  kConst,
  /// Identity and its like on values: input 0 becomes output 0.
  kIdentity,
  kSwitch,
  kSwitchN,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
  kArg,
  kRetval,
  kSend,
  kRecv,
};

/// One edge, seen from its producer. Indices are of the partition; slots are relative to the consumer's frame.
struct OutEdge {
  int32_t dst;
  /// Where in the input array of the consumer's frame; -1 for a control edge.
  int32_t dst_slot;
  /// Output of the producer, of which import allows 2^24; -1 for a control edge.
  int32_t src_slot : 30;
  /// The last data edge of its output: takes the value by move.
  bool last_use : 1;
  bool dst_is_merge : 1;
};
static_assert(sizeof(OutEdge) == 12);

/// One node as the executor sees it: one cache line.
struct alignas(64) CompiledNode {
  NodeKind kind = NodeKind::kKernel;
  /// The kernel may take long: measured, and sent to another thread when others are ready too.
  bool expensive = false;
  bool is_constant_enter = false;
  bool allows_uninitialized_input = false;
  /// Some value input is fed by a reference edge, which must be dereferenced before the kernel runs.
  bool has_ref_inputs = false;
  /// The executor counts pending inputs of Merge differently; see actors/step/executor_state.h.
  bool is_merge = false;
  bool is_enter = false;
  /// The only output's type without its reference mark, for nodes with one output; else kInvalid.
  DataType output_type = DataType::kInvalid;
  int32_t num_inputs = 0;
  int32_t num_outputs = 0;
  /// Position among the nodes of its frame, and first slot in the input array of that frame.
  int32_t local = 0;
  int32_t input_begin = 0;
  int32_t out_edge_begin = 0;
  int32_t out_edge_end = 0;
  /// Const: index into consts. Arg and Retval: their index attr. Enter: the child frame. Merge: whether its second
  /// output is used.
  int32_t aux = -1;
  int32_t frame = 0;
  /// Bit i: input i is bound to a constant (see BoundConstant); no edge leads to it.
  uint32_t bound_inputs = 0;
  Kernel* kernel = nullptr;
  const KernelNode* info = nullptr;

  static constexpr int kMaxBound = 32;
  bool is_bound(int input) const { return input < kMaxBound && (bound_inputs >> input & 1) != 0; }
};
static_assert(sizeof(CompiledNode) == 64);

/// An input of a kernel that is the same constant in every step: its slot is filled once and keeps its value.
struct BoundConstant {
  /// In the input array of the consumer's frame.
  int32_t slot;
  int32_t constant;
  /// The Const node.
  int32_t node;
};

/// Counts a node starts with, copied for each iteration.
struct PendingCounts {
  int32_t pending = 0;
  int32_t dead = 0;
};

/// A static frame: the root, or a loop named by its Enter nodes.
struct CompiledFrame {
  std::string name;
  int32_t parent = -1;
  int32_t parallel_iterations = 10;
  /// Enter nodes of this frame in this partition.
  int32_t num_enters = 0;
  bool has_merge = false;
  /// Initial counts by local node number.
  std::vector<PendingCounts> initial;
  int32_t num_input_slots = 0;
  /// By slot.
  std::vector<BoundConstant> bound_constants;
};

/// A partition lowered for execution: immutable but for the running cost estimates, shared by all steps of a
/// signature. Slots of inputs are numbered per frame, so that an iteration is one array of values and one of counts.
class CompiledPartition {
 public:
  /// Above this a kernel counts as expensive: about twice what it costs to hand it to another thread.
  static constexpr uint32_t kExpensiveCycles = 12'000;

  /// `graph` holds one device's nodes, without holes. Kernels are built here, but for nodes that `shared` has from other
  /// partitions, the same in all that they say; errors name the node.
  static absl::StatusOr<std::shared_ptr<const CompiledPartition>> compile(const Graph& graph, Device* device,
                                                                          const KernelRegistry& kernels,
                                                                          StatefulKernels* stateful,
                                                                          SharedNodes* shared = nullptr);

  Device* device() const { return device_; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  const CompiledNode& node(int i) const { return nodes_[i]; }
  const KernelNode& info(int i) const { return *nodes_[i].info; }
  std::span<const OutEdge> edges(const CompiledNode& n) const {
    return {out_edges_.data() + n.out_edge_begin, static_cast<size_t>(n.out_edge_end - n.out_edge_begin)};
  }
  const Tensor& constant(int i) const { return consts_[i]; }
  /// The constant that is bound to a slot of a frame.
  const Tensor& constant_at(int32_t frame, int32_t slot) const;
  const std::vector<CompiledFrame>& frames() const { return frames_; }
  /// Nodes to start with: those that wait for nothing, but for constants that are bound to all their consumers.
  const std::vector<int32_t>& roots() const { return roots_; }
  int max_outputs() const { return max_outputs_; }
  bool has_transfers() const { return has_transfers_; }
  /// Whether a kernel may compute with floating point numbers: it takes or gives some, or what may hold some.
  bool computes_floats() const { return computes_floats_; }
  /// Running estimate of a kernel's time; 0: never measured.
  uint32_t cost(int node) const { return costs_[node].load(std::memory_order_relaxed); }
  void record_cost(int node, uint64_t cycles) const;
  /// Where an input comes from; slot -1: a control input.
  struct Source {
    int32_t node;
    int32_t slot;
  };
  /// The inputs of each of these nodes, data before control, constants included. For reports: one pass over all edges.
  std::vector<std::vector<Source>> sources(std::span<const int32_t> nodes) const;
  /// Of every node.
  std::vector<std::vector<Source>> sources() const;
  /// "a", "b:1", "^c".
  std::string name_of(const Source& source) const;

 private:
  friend class PartitionCompiler;
  Device* device_ = nullptr;
  std::vector<CompiledNode> nodes_;
  std::vector<std::shared_ptr<const LoweredNode>> lowered_;
  std::vector<OutEdge> out_edges_;
  std::vector<Tensor> consts_;
  std::vector<CompiledFrame> frames_;
  std::vector<int32_t> roots_;
  std::unique_ptr<std::atomic<uint32_t>[]> costs_;
  int max_outputs_ = 0;
  bool has_transfers_ = false;
  bool computes_floats_ = false;
};

}  // namespace troupe
