#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/kernel_registry.h"
#include "graph/ir/graph.h"

namespace troupe {

/// Kernels of stateful nodes, shared by all signatures of a session: one per node name and device. Thread-safe.
class StatefulKernels {
 public:
  absl::StatusOr<std::shared_ptr<Kernel>> find_or_create(
      const std::string& key, const std::function<absl::StatusOr<std::unique_ptr<Kernel>>()>& make);

 private:
  std::mutex mu_;
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
  kRefSwitch,
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

/// One edge, seen from its producer.
struct OutEdge {
  int32_t dst;
  /// Absolute input slot within the frame's input array; -1 for a control edge.
  int32_t dst_slot;
  /// Output of the producer; -1 for a control edge.
  int16_t src_slot;
  /// The consumer that should get the value by move: the last data edge of its output.
  bool last_use;
  bool dst_is_merge;
};

/// One node as the executor sees it: all ranges index into the partition's flat arrays.
struct CompiledNode {
  NodeKind kind;
  bool expensive;
  /// Merge: control inputs count 2 each and the first live value 1 (see step/executor_state.h).
  int32_t initial_pending;
  int32_t num_inputs;
  int32_t num_outputs;
  /// First slot in the input array of its frame.
  int32_t input_begin;
  int32_t out_edge_begin;
  int32_t out_edge_end;
  /// Into consts, arg index, retval index, or frame number for Enter; -1 otherwise.
  int32_t aux;
  bool is_constant_enter;
  bool allows_uninitialized_input;
  Kernel* kernel;
};

/// A static frame: the loop named by its Enter nodes.
struct CompiledFrame {
  std::string name;
  int32_t parallel_iterations = 10;
  /// Enter nodes in this partition.
  int32_t num_enters = 0;
  /// Nodes that run inside (Enter nodes belong to the parent; Exit to the frame).
  std::vector<int32_t> nodes;
  int32_t num_input_slots = 0;
};

/// A partition lowered for execution: immutable, shared by all steps of a signature.
class CompiledPartition {
 public:
  /// Nodes must be placed on `device`; kernels are built here. Errors name the node.
  static absl::StatusOr<std::shared_ptr<const CompiledPartition>> compile(const Graph& graph, Device* device,
                                                                         const KernelRegistry& kernels,
                                                                         StatefulKernels* stateful);

  Device* device = nullptr;
  std::vector<CompiledNode> nodes;
  std::vector<KernelNode> kernel_nodes;
  std::vector<OutEdge> out_edges;
  std::vector<Tensor> consts;
  std::vector<CompiledFrame> frames;  // frame 0 is the root
  std::vector<int32_t> frame_of;      // of each node
  std::vector<int32_t> roots;
  int num_args = 0;
  int num_retvals = 0;
  std::vector<std::shared_ptr<Kernel>> kernels;
};

}  // namespace troupe
