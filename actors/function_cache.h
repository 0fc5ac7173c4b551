#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "actors/step_lease.h"

namespace troupe {

/// A function compiled for where it is called, with the slots that wait for its next calls. Lives as long as
/// its session.
class FunctionCode {
 public:
  /// An idle slot, or a new one.
  StepLease lease(const std::shared_ptr<SessionCore>& core);

 private:
  friend class FunctionCache;
  /// Recursion to this depth finds its slots ready.
  static constexpr size_t kIdle = 1024;

  FunctionRef function_;
  int device_ = 0;
  /// By argument: where its resource is; -1: no matter. Empty when there is but one device.
  std::vector<int> arg_devices_;
  StatefulKernels stateful_;
  /// Set, or `status_` is an error, once compiled.
  std::shared_ptr<const SignatureCode> code_;
  absl::Status status_;
  SlotStock slots_{kIdle};
};

/// The functions of a session that are called at run time, each compiled at its first call, on the compile
/// pool, and shared by all signatures: a function never changes. Thread-safe.
class FunctionCache {
 public:
  using Ready = std::function<void(absl::StatusOr<FunctionCode*>)>;

  /// Nothing when it is not compiled yet.
  std::optional<absl::StatusOr<FunctionCode*>> find(const FunctionRef& function, int device,
                                                    const std::vector<int>& arg_devices);
  /// Calls `ready` once: at once when the function is compiled, else from the compiler. `graph` holds the
  /// library.
  void compile_then(const std::shared_ptr<SessionCore>& core, const std::shared_ptr<const Graph>& graph,
                    const FunctionRef& function, int device, std::vector<int> arg_devices, Ready ready);
  void for_each_stock(absl::FunctionRef<void(SlotStock&)> look);
  void stop();

 private:
  struct Entry {
    FunctionCode code;
    bool compiled = false;
    std::vector<Ready> waiters;
    /// Once compiled.
    absl::StatusOr<FunctionCode*> result();
  };
  /// With the lock held. Null when there is none.
  Entry* peek(const FunctionRef& function, int device, const std::vector<int>& arg_devices);
  /// Labour. What is elsewhere is registered there, which nobody waits for: `compiled` is called then.
  void compile(const std::shared_ptr<SessionCore>& core, const Graph& graph, Entry* entry);
  /// Tells those who wait.
  void compiled(Entry* entry);

  std::mutex mu_;
  // Guarded by mu_, but for what is compiled.
  bool stopped_ = false;
  absl::flat_hash_map<std::string, std::vector<std::unique_ptr<Entry>>> entries_;
};

}  // namespace troupe
