#include "devices/cancellation.h"

namespace troupe {

absl::Status CancellationToken::reason() const {
  std::lock_guard lock(mu_);
  return reason_;
}

void CancellationToken::cancel(absl::Status reason) {
  std::unique_lock lock(mu_);
  if (cancelled_.load(std::memory_order_relaxed)) return;
  reason_ = std::move(reason);
  cancelled_.store(true, std::memory_order_release);
  runner_ = std::this_thread::get_id();
  while (!callbacks_.empty()) {
    auto it = callbacks_.begin();
    auto fn = std::move(it->second);
    running_ = it->first;
    callbacks_.erase(it);
    lock.unlock();
    fn();
    fn = nullptr;
    lock.lock();
    running_ = 0;
    done_.notify_all();
  }
}

void CancellationToken::reset() {
  std::lock_guard lock(mu_);
  cancelled_.store(false, std::memory_order_release);
  reason_ = absl::OkStatus();
  callbacks_.clear();
}

std::optional<CancellationToken::Id> CancellationToken::register_callback(std::function<void()> fn) {
  std::lock_guard lock(mu_);
  if (cancelled_.load(std::memory_order_relaxed)) return std::nullopt;
  Id id = next_id_++;
  callbacks_.emplace(id, std::move(fn));
  return id;
}

bool CancellationToken::deregister(Id id) {
  std::unique_lock lock(mu_);
  if (callbacks_.erase(id) > 0) return true;
  if (running_ == id && runner_ != std::this_thread::get_id()) {
    done_.wait(lock, [&] { return running_ != id; });
  }
  return false;
}

}  // namespace troupe
