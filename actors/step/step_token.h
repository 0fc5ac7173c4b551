#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/status/status.h"
#include "devices/cancellation.h"

namespace troupe {

/// The stop token of a slot, which serves one run after the other: whoever cancels says which run he means, and no other hears it.
/// Thread-safe; `begin` and `end` are the leaseholder's.
class StepToken {
 public:
  /// What kernels look at.
  CancellationToken& token() { return token_; }
  const CancellationToken& token() const { return token_; }

  /// Run `id` may be cancelled from now on.
  void begin(int64_t id) {
    // Who cancels or closes marks the session first and looks for running steps second; here it is the other way round.
    running_.store(id, std::memory_order_seq_cst);
  }
  /// The run is over: no cancel of it is under way any more, nor begins. `rearm`: the token will serve another.
  void end(bool rearm);
  /// Trips the token when run `id` (0: whichever) is under way; returns its id, or 0. Nobody else trips it. What is registered
  /// with the token is called on this thread and without a lock; `end` waits for it.
  int64_t cancel(int64_t id, absl::Status reason);
  /// The run that is under way, or 0.
  int64_t running() const { return running_.load(std::memory_order_seq_cst); }
  /// Calls `look` while the run that is under way cannot end; not when there is none.
  template <class Look>
  void while_running(const Look& look) {
    std::lock_guard lock(mu_);
    if (const int64_t id = running(); id != 0) look(id);
  }

 private:
  CancellationToken token_;
  std::mutex mu_;
  /// Cleared with mu_ held.
  std::atomic<int64_t> running_{0};
  /// Those who are tripping the token now, and who waits for them.
  int cancelling_ = 0;  // guarded by mu_
  std::condition_variable tripped_;
};

}  // namespace troupe
