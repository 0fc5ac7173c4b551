#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "actors/interfaces.h"

namespace troupe {

struct StepSlot;

/// Who is told what becomes of a session's steps. Thread-safe; nobody there costs a step one load.
class StepListeners {
 public:
  /// AlreadyExists when it listens.
  absl::Status add(const StepListener& listener, std::chrono::milliseconds slow_after);
  void remove(const caf::actor_addr& listener);
  bool any() const { return any_.load(std::memory_order_acquire); }
  /// To all of them.
  void tell(const StepEvent& event);
  /// The shortest `slow_after`; zero when nobody asks for slow steps.
  std::chrono::milliseconds slow_after() const;
  /// The steps of these slots that have become slow for somebody since the last call.
  void tell_of_slow_steps(int64_t session_id, const std::vector<std::shared_ptr<StepSlot>>& slots);

 private:
  struct Listener {
    StepListener actor;
    std::chrono::milliseconds slow_after{0};
    /// Steps that it was told of as slow, and that still run.
    std::vector<int64_t> told;
  };
  mutable std::mutex mu_;
  std::vector<Listener> listeners_;  // guarded by mu_
  std::atomic<bool> any_{false};
};

/// `kind` and `status` are the caller's.
StepEvent event_of(const StepSlot& slot, int64_t session_id, int64_t step_id);

}  // namespace troupe
