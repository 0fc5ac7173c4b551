#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "actors/step_slot.h"
#include "devices/function_runner.h"

namespace troupe {

/// How deep calls may nest: each level is a step of its own, some kilobytes with its actors.
constexpr int kMaxCallDepth = 10'000;
/// How many calls one step may have out: about a gigabyte of them.
constexpr int kMaxNestedSteps = 100'000;

/// What the signatures of a graph need to find functions that they call: the graph without its nodes. Null
/// when it has no functions.
std::shared_ptr<const Graph> functions_of(const Graph& graph);

/// A function compiled for where it is called, with the slots that wait for its next calls. Lives as long as
/// its session.
class FunctionCode {
 public:
  /// An idle slot, or a new one.
  std::shared_ptr<StepSlot> acquire(const std::shared_ptr<SessionCore>& core);
  void release(const std::shared_ptr<StepSlot>& slot);
  /// Ends all idle slots, now and from now on.
  void stop();

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
  std::mutex mu_;
  // Guarded by mu_.
  bool stopped_ = false;
  std::vector<std::shared_ptr<StepSlot>> idle_;
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
  void compile(const std::shared_ptr<SessionCore>& core, const Graph& graph, Entry* entry);

  std::mutex mu_;
  // Guarded by mu_, but for what is compiled.
  bool stopped_ = false;
  absl::flat_hash_map<std::string, std::vector<std::unique_ptr<Entry>>> entries_;
};

/// What ran in one partition of a called function.
struct NestedTimings {
  std::shared_ptr<const CompiledPartition> partition;
  std::vector<NodeTiming> timings;
};

/// Runs the functions that one slot's step calls, each as a nested step on a slot of its own. Nested steps
/// are cancelled with their caller, use its step id, step container and pool, and the thread that it runs on
/// unless it has other calls out. Owned by the slot.
class SlotCalls final : public FunctionRunner {
 public:
  explicit SlotCalls(StepSlot* slot) : slot_(slot) {}

  void call(const FunctionRef& function, const std::string& device, std::vector<Tensor> args,
            Done done) override;
  Services& services() const override;
  std::string serialized_library() const override;
  std::string serialized_config() const override;
  std::vector<std::string> input_names(const KernelNode& node) const override;
  /// Of a step that is not nested and collected statistics, after its end: what its nested steps ran, once.
  std::vector<NestedTimings> take_timings();
  /// Of a step that is not nested: some of the steps that are nested in it, at any depth, now; the innermost first. From any thread.
  std::vector<std::shared_ptr<StepSlot>> running(size_t limit);
  /// At the end of a step that is not nested: drops what nested steps left in the step's container elsewhere, and timings.
  void clear_containers();

 private:
  struct Nested;
  absl::StatusOr<int> find_device(const std::string& name) const;
  std::vector<int> devices_of(const std::vector<Tensor>& args) const;
  void go_on(const absl::StatusOr<FunctionCode*>& code, const std::shared_ptr<Nested>& nested);
  void begin(FunctionCode* code, std::shared_ptr<Nested> nested);
  void prepare(StepSlot* slot, bool share_thread);
  static void start(StepSlot* slot);
  void abandon(Nested* nested, absl::Status why);
  void finish(Nested* nested);
  void note_running(StepSlot* nested, bool runs);
  void note_container(Device* device);
  void note_timings(const StepSlot& nested);

  StepSlot* const slot_;
  /// 0: not nested. Set when a nested step begins.
  int depth_ = 0;
  /// Of the outermost step.
  SlotCalls* root_ = this;
  std::atomic<int> calls_out_{0};
  /// Of the outermost step: all steps that are nested in it, at any depth.
  std::atomic<int> nested_{0};
  std::atomic<bool> any_container_{false};
  std::mutex mu_;
  absl::flat_hash_set<StepSlot*> running_;  // guarded by mu_: of the outermost step
  std::vector<Device*> used_containers_;    // guarded by mu_
  std::vector<NestedTimings> timings_;      // guarded by mu_
};

}  // namespace troupe
