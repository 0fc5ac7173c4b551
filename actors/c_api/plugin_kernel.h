#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/c_api/include/tensorflow/c/kernels.h"
#include "devices/kernel_registry.h"

namespace troupe::c_api {

/// The functions of a plug-in that make up a kernel; either of the compute functions is set.
struct KernelFunctions {
  void* (*create)(TF_OpKernelConstruction*) = nullptr;
  void (*compute)(void*, TF_OpKernelContext*) = nullptr;
  void (*compute_async)(void*, TF_OpKernelContext*, TF_AsyncOpKernelDoneCallback*) = nullptr;
  void (*destroy)(void*) = nullptr;
};

/// Which inputs and outputs of a node its kernel was registered to have in host memory.
struct HostArguments {
  std::vector<bool> inputs;
  std::vector<bool> outputs;
};

/// The names of a kernel's inputs, found when it first asks. Lives as long as the kernel. Thread-safe.
class RequestedInputs {
 public:
  /// "" when there is no such input.
  absl::string_view get(const KernelContext& context, size_t index);

 private:
  std::once_flag once_;
  std::vector<std::string> names_;
};

/// The kernels of these functions, for nodes that `def` says.
KernelFactory plugin_factory(const KernelFunctions& functions, std::vector<std::string> host_memory_args);

}  // namespace troupe::c_api

/// What create_func sees; lives during its call.
struct TF_OpKernelConstruction {
  const troupe::KernelConstruction* construction;
  /// What the plug-in reported; the first failure counts.
  absl::Status status;
};

/// What compute_func sees; lives until the kernel has ended. Used by one thread at a time, but for the ends
/// of deferred operations, which may come from any.
struct TF_OpKernelContext {
  /// Outlives the context when a thread is still leaving.
  struct Unfinished {
    std::mutex mu;
    std::condition_variable none;
    /// The kernel itself, and the operations that it deferred.
    int count = 1;
  };

  TF_OpKernelContext(troupe::KernelContext* kernel_context,
                     const troupe::c_api::HostArguments* host_arguments,
                     troupe::c_api::RequestedInputs* requested_inputs)
      : context(kernel_context), host(host_arguments), requested(requested_inputs) {}

  troupe::KernelContext* const context;
  const troupe::c_api::HostArguments* const host;
  troupe::c_api::RequestedInputs* const requested;
  /// What the plug-in reported; the first failure counts.
  absl::Status status;
  /// Outputs that were set or allocated, for TF_GetMutableOutput; as many as needed.
  std::vector<troupe::Tensor> outputs;
  /// Null until the kernel defers an operation.
  std::shared_ptr<Unfinished> unfinished;
  /// Ends an asynchronous kernel, and this context with it; empty for kernels that are waited for.
  std::function<void()> finish;

  /// The kernel, or an operation that it deferred, is done; the last of them ends an asynchronous kernel.
  void leave();
  /// Waits for what a synchronous kernel deferred.
  void wait();
};
