#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "devices/services.h"
#include "graph/ops/attr.h"
#include "graph/tensor/tensor.h"

namespace troupe {

struct KernelNode;
class StepState;

/// Runs functions on behalf of the kernels of one step: those that were not inlined. Implemented above by
/// nested steps. Thread-safe; valid while the step runs.
class FunctionRunner {
 public:
  using Done = std::function<void(absl::Status status, std::vector<Tensor> results)>;

  virtual ~FunctionRunner() = default;
  /// Runs a function of the graph's library with the caller's resources, step container and cancellation.
  /// `device` is where its nodes go that ask for no other; it may be partial ("/cpu:1"). `done` is called
  /// once, from any thread, after all effects of the function; never while this step's locks are held, and at
  /// once when the call cannot begin. The status is Cancelled when the caller's step was cancelled meanwhile,
  /// and ResourceExhausted beyond kMaxCallDepth nested calls.
  virtual void call(const FunctionRef& function, const std::string& device, std::vector<Tensor> args,
                    Done done) = 0;

  /// @name What else kernels may ask of where they run
  /// The threads and the clock of the runtime.
  virtual Services& services() const { return Services::outside_sessions(); }
  /// The functions that can be called, as a serialised FunctionDefLibrary.
  virtual std::string serialized_library() const { return ""; }
  /// The session's ConfigProto, serialised.
  virtual std::string serialized_config() const { return ""; }
  /// The inputs of a kernel's node, as a NodeDef of the running graph has them: "x", "y:1", and control inputs "^z" at the
  /// end. Linear in the size of the graph.
  virtual std::vector<std::string> input_names(const KernelNode&) const { return {}; }
};

/// Those of the runtime that the step belongs to.
Services& services_of(const StepState& step);

}  // namespace troupe
