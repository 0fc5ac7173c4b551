#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/kernel.h"

namespace troupe {

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

NodeKind kind_of(const Node& n);

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
  /// Bit i: no edge leads from output i.
  uint32_t unused_outputs = 0;
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

}  // namespace troupe
