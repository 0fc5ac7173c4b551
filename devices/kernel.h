#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "devices/cancellation.h"
#include "devices/device.h"
#include "devices/rendezvous.h"
#include "graph/ops/op_def.h"
#include "graph/status.h"
#include "graph/tensor/tensor.h"

namespace troupe {

class FunctionRunner;
struct Node;
class StepAllocations;
class StepState;
class KernelContext;

/// A tensor that reference edges point to: a ref variable, or the handle of a v1 resource. Kernels that write it, or
/// that need a stable snapshot, hold `mu`.
struct RefTensor {
  std::mutex mu;
  Tensor tensor;
  std::string name;
};

/// What an edge carries. A Value without tensor or ref is absent: a dead or untaken output.
struct Value {
  Tensor tensor;
  /// Set on reference edges; the tensor is then unused. Kept alive by the resource that holds it.
  std::shared_ptr<RefTensor> ref;

  bool present() const { return tensor.initialized() || ref != nullptr; }
  void clear() {
    tensor = Tensor();
    ref.reset();
  }
};

/// What a kernel knows of its node while it is built, and for messages later. Lives as long as the kernel.
struct KernelNode {
  KernelNode() = default;
  /// What the graph says of a node; its constant inputs are not looked for.
  KernelNode(const Node& node, int graph_producer_version);

  std::string name;
  const OpDef* op = nullptr;
  AttrMap attrs;
  std::vector<DataType> input_types;
  std::vector<DataType> output_types;
  int graph_producer_version = 0;
  /// Bit i: input i is the value of a Const node, the same memory in every step, so that a kernel may keep what it made of it.
  uint64_t constant_inputs = 0;
};

/// Handed to a kernel factory: attrs and types of the node, the device it is for.
class KernelConstruction {
 public:
  KernelConstruction(const KernelNode* node, Device* device) : node_(node), device_(device) {}

  const KernelNode& node() const { return *node_; }
  const std::string& name() const { return node_->name; }
  Device* device() const { return device_; }
  /// The attr, as AttrMap::get; the error names the node's op.
  template <class T>
  absl::StatusOr<T> attr(absl::string_view name) const {
    return node_->attrs.get<T>(name);
  }
  DataType input_type(int i) const { return node_->input_types[i]; }
  DataType output_type(int i) const { return node_->output_types[i]; }
  int num_inputs() const { return static_cast<int>(node_->input_types.size()); }
  int num_outputs() const { return static_cast<int>(node_->output_types.size()); }

 private:
  const KernelNode* node_;
  Device* device_;
};

/// The code of one node. Partitions of a session whose nodes are equal share one (stateful ops: one per session and node
/// name), and several steps call it at once, so `compute` must not change members without a lock. Errors returned get
/// the node's name appended by the executor: " [[{{node NAME}}]]".
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Reads inputs, sets all outputs. Must not block for long: what waits for others is an AsyncKernel.
  virtual absl::Status compute(KernelContext& context) = 0;
  virtual bool is_async() const { return false; }
  /// False for kernels of a few nanoseconds: the executor then never sends them to another thread.
  virtual bool is_expensive() const { return true; }
};

/// A kernel that finishes later: Recv, queues.
class AsyncKernel : public Kernel {
 public:
  using Done = std::function<void(absl::Status)>;
  /// Calls `done` exactly once, from any thread; context stays valid until then. Must register with the context's
  /// CancellationToken whatever may wait for ever.
  virtual void compute_async(KernelContext& context, Done done) = 0;
  /// Not used for async kernels.
  absl::Status compute(KernelContext& context) final;
  bool is_async() const final { return true; }
};

/// A kernel that is a function of its context: for ops without attrs to cache.
using KernelFn = absl::Status (*)(KernelContext&);

/// The inputs, outputs and surroundings of one execution of one node. Used by one thread at a time.
class KernelContext {
 public:
  KernelContext(StepState* step, const KernelNode* node, std::span<Value> inputs, std::span<Value> outputs)
      : step_(step), node_(node), inputs_(inputs), outputs_(outputs) {}

  const KernelNode& node() const { return *node_; }
  StepState& step() const { return *step_; }
  Device* device() const;
  /// The device's memory; through `own_allocator` where the step keeps account of it.
  Allocator* allocator() const { return own_allocator != nullptr ? own_allocator : device()->allocator(); }
  ResourceManager& resources() const { return device()->resources(); }
  CancellationToken& cancellation() const;
  ParallelRunner& parallel() const { return *device()->runner(); }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  /// The value of input i; reference inputs must be read with input_ref.
  const Tensor& input(int i) const { return inputs_[i].tensor; }
  /// Takes the value out of its slot, so that `unique()` tells whether the kernel may write it.
  Tensor take_input(int i) { return std::move(inputs_[i].tensor); }
  bool has_input(int i) const { return inputs_[i].present(); }
  const std::shared_ptr<RefTensor>& input_ref(int i) const { return inputs_[i].ref; }
  DataType input_type(int i) const { return node_->input_types[i]; }
  DataType output_type(int i) const { return node_->output_types[i]; }
  /// False when nobody takes output i in this signature: a kernel may then leave it out.
  bool output_required(int i) const { return i >= 32 || (unused_outputs >> i & 1) == 0; }

  /// A new output of the declared dtype. The pointer stays valid until the kernel ends.
  absl::StatusOr<Tensor*> allocate_output(int i, const Shape& shape);
  /// Memory for the kernel's own use, from the device's allocator.
  absl::StatusOr<Tensor> allocate_temp(DataType dtype, const Shape& shape) const;
  /// Output i in the memory of the first of `candidates` (input indices) that nobody else refers to and that has
  /// the same dtype and element count; else newly allocated. The input stays readable, as the same memory.
  absl::StatusOr<Tensor*> forward_or_allocate_output(std::initializer_list<int> candidates, int i,
                                                     const Shape& shape);
  /// dtype must be the declared one; checked by the executor ("output i of type T does not match declared output type").
  void set_output(int i, Tensor value) { outputs_[i].tensor = std::move(value); }
  void set_output_ref(int i, std::shared_ptr<RefTensor> ref) { outputs_[i].ref = std::move(ref); }
  /// Passes an input (value or reference) through.
  void forward_input(int input, int output) { outputs_[output] = inputs_[input]; }

  /// Iteration of the innermost frame, and the frame's id: they make rendezvous keys in loops unique.
  uint64_t frame_id = 0;
  int64_t iteration = 0;
  bool is_input_dead = false;
  /// Set for Merge: which input arrived.
  int merge_input = -1;
  /// Bit i: nobody takes output i. Those from 32 on count as taken.
  uint32_t unused_outputs = 0;
  /// Where this execution allocates when the step keeps account of it; else null. Lives as long as what came from it.
  Allocator* own_allocator = nullptr;

 private:
  StepState* step_;
  const KernelNode* node_;
  std::span<Value> inputs_;
  std::span<Value> outputs_;
};

/// Tensors that outlive a step under a handle: GetSessionHandle and its like. One per session. Thread-safe.
class SessionTensors {
 public:
  std::string put(absl::string_view node, absl::string_view device, Tensor value);
  /// InvalidArgument "The tensor with handle 'h' is not in the session store."
  absl::StatusOr<Tensor> get(const std::string& handle) const;
  absl::Status erase(const std::string& handle);

 private:
  mutable std::mutex mu_;
  int64_t next_ = 0;
  absl::flat_hash_map<std::string, Tensor> tensors_;
};

/// ConfigProto.experimental.session_metadata: what a session is called, and which version of it this is.
struct SessionMetadata {
  std::string name;
  int64_t version = 0;
};

/// What all kernels of one partition of one step share. Owned by the EXECUTOR; valid while the step runs.
class StepState {
 public:
  int64_t step_id = 0;
  Device* device = nullptr;
  CancellationToken* cancellation = nullptr;
  Rendezvous* rendezvous = nullptr;
  SessionTensors* session_tensors = nullptr;
  /// Null when the session has none; in called functions that of their session.
  const SessionMetadata* session_metadata = nullptr;
  /// Where the step keeps account of what its kernels allocate; null when nobody asked for that.
  StepAllocations* allocations = nullptr;
  /// Runs the functions that kernels call; null where none can be called.
  FunctionRunner* functions = nullptr;
  /// Values of `_Arg` nodes by their `index` attr, and where `_Retval` nodes put theirs.
  std::span<const Tensor> args;
  std::span<Tensor> retvals;
  /// "__per_step_<id>": the container for TensorArrays, stacks and temporary variables; cleared when the step ends.
  std::string step_container;
  /// Set by a kernel that made something in step_container, so that steps without it need not clean up.
  std::atomic<bool> used_step_container{false};
};

inline Device* KernelContext::device() const { return step_->device; }
inline CancellationToken& KernelContext::cancellation() const { return *step_->cancellation; }

}  // namespace troupe
