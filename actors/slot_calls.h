#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "actors/function_cache.h"
#include "actors/step_calls.h"
#include "devices/late_calls.h"

namespace troupe {

/// How deep calls may nest: each level is a step of its own, some kilobytes with its actors.
constexpr int kMaxCallDepth = 10'000;
/// How many calls one step may have out: about a gigabyte of them.
constexpr int kMaxNestedSteps = 100'000;

/// Runs the functions that one slot's step calls, each as a nested step on a slot of its own. Nested steps
/// are cancelled with their caller, use its step id, step container and pool, and the thread that it runs on
/// unless it has other calls out. Owned by the slot.
class SlotCalls final : public StepCalls, public LateCaller {
 public:
  explicit SlotCalls(StepSlot* slot) : slot_(slot) {}

  void call(const FunctionRef& function, const std::string& device, std::vector<Tensor> args,
            Done done) override;
  Services& services() const override;
  std::string serialized_library() const override;
  std::string serialized_config() const override;
  std::vector<std::string> input_names(const KernelNode& node) const override;
  /// In late_calls.cc.
  std::shared_ptr<LateCalls> late_calls(const std::string& device) const override;
  std::vector<NestedTimings> take_timings() override;
  std::vector<std::shared_ptr<StepSlot>> running(size_t limit) override;
  void clear_containers() override;

  /// The slot's next step is not nested, as the last one may have been.
  void be_outermost() {
    depth_ = 0;
    root_ = this;
  }
  /// By argument of a function: the number of the device where its resource is, else -1. Empty where there is but one device.
  static std::vector<int> devices_of(const DeviceSet& devices, const std::vector<Tensor>& args);

 private:
  struct Nested;
  absl::StatusOr<int> find_device(const std::string& name) const;
  void go_on(const absl::StatusOr<FunctionCode*>& code, const std::shared_ptr<Nested>& nested);
  void begin(FunctionCode* code, std::shared_ptr<Nested> nested);
  Surroundings surroundings(bool share_thread) const;
  void abandon(Nested* nested, absl::Status why);
  void finish(Nested* nested);
  void note_running(StepSlot* nested, bool runs);
  void note_end(StepSlot& nested);

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
