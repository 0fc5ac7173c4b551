#include "actors/step/step_token.h"

#include <utility>

namespace troupe {

void StepToken::end(bool rearm) {
  std::unique_lock lock(mu_);
  running_ = 0;
  tripped_.wait(lock, [this] { return cancelling_ == 0; });
  if (rearm && token_.cancelled()) token_.reset();
}

int64_t StepToken::cancel(int64_t id, absl::Status reason) {
  std::unique_lock lock(mu_);
  const int64_t running = this->running();
  if (running == 0 || (id != 0 && id != running)) return 0;
  ++cancelling_;
  lock.unlock();
  token_.cancel(std::move(reason));
  lock.lock();
  if (--cancelling_ == 0) tripped_.notify_all();
  return running;
}

}  // namespace troupe
