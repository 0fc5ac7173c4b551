#include "actors/grpc_door/call.h"

namespace troupe {

void AnyCall::finish(const absl::Status& status) {
  Answer answer;
  std::function<void()> end;  // destroyed outside the lock
  {
    std::lock_guard lock(mu_);
    answer = std::exchange(answer_, nullptr);
    end = std::exchange(end_, nullptr);
  }
  if (answer) answer(status);
}

bool AnyCall::finished() const {
  std::lock_guard lock(mu_);
  return answer_ == nullptr;
}

void AnyCall::when_cancelled(std::function<void()> end) {
  {
    std::lock_guard lock(mu_);
    if (answer_ == nullptr) return;
    if (!cancelled_) {
      end_ = std::move(end);
      return;
    }
  }
  end();
}

void AnyCall::cancel() {
  std::function<void()> end;
  {
    std::lock_guard lock(mu_);
    cancelled_ = true;
    end = std::exchange(end_, nullptr);
  }
  if (end) end();
}

bool AnyCall::cancelled() const {
  std::lock_guard lock(mu_);
  return cancelled_;
}

}  // namespace troupe
