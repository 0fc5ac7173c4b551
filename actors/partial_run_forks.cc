#include "actors/partial_run_forks.h"

#include <caf/all.hpp>

#include <algorithm>

#include "actors/errors.h"

namespace troupe {

void PartialRunForks::add(Promise promise, int64_t cancels, std::chrono::milliseconds patience) {
  const int64_t id = next_++;
  waiting_.push_back({id, cancels, std::move(promise)});
  if (patience.count() > 0) self_->delayed_send(self_, patience, ForkTimeout{id});
  go_on();
}

void PartialRunForks::go_on() {
  if (copying_ || waiting_.empty()) return;
  const auto slot = run_->slot_to_copy();
  if (slot == nullptr) return;
  copying_ = true;
  const int64_t turns = run_->turns_taken();
  copier_.begin(slot, [this, turns](absl::StatusOr<StepCopy> copy) {
    copying_ = false;
    // What a turn has fed meanwhile may or may not be in it.
    if (turns == run_->turns_taken()) hand_out(std::move(copy));
    go_on();
  });
}

/// Nobody waits any more when the run has failed, which is told otherwise.
void PartialRunForks::hand_out(absl::StatusOr<StepCopy> copy) {
  if (waiting_.empty()) return;
  Fork fork = std::move(waiting_.front());
  waiting_.pop_front();
  auto ready =
      copy.ok() ? run_->fork_from(*std::move(copy), fork.cancels) : absl::StatusOr<ReadyFork>(copy.status());
  deliver(fork.promise, std::move(ready));
}

void PartialRunForks::time_out(int64_t id) {
  const auto it = std::find_if(waiting_.begin(), waiting_.end(), [&](const Fork& f) { return f.id == id; });
  if (it == waiting_.end()) return;
  Promise promise = std::move(it->promise);
  waiting_.erase(it);
  promise.deliver(
      to_error(absl::DeadlineExceededError("Timed out waiting for the partial run to be at rest")));
}

void PartialRunForks::fail(const absl::Status& status) {
  for (Fork& fork : std::exchange(waiting_, {})) fork.promise.deliver(to_error(status));
}

}  // namespace troupe
