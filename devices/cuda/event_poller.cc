#include "devices/cuda/event_poller.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <system_error>
#include <utility>

namespace troupe {
namespace {

/// Rounds without rest after a point was reached: the next is often near.
constexpr int kEagerRounds = 50;

/// The system rounds short sleeps up to 50 us unless a thread says otherwise.
void sleep_exactly() {
#ifdef __linux__
  prctl(PR_SET_TIMERSLACK, 1000UL);
#endif
}

}  // namespace

EventPoller::~EventPoller() { stop(); }

void EventPoller::watch(Point point, Call call) {
  Watch watch{std::move(point), std::move(call)};
  {
    std::lock_guard lock(mu_);
    ++pending_[watch.point.stream()];
    if (!stopping_ && has_thread()) {
      arrived_.push_back(std::move(watch));
      changed_.notify_one();
      return;
    }
  }
  absl::Status status = watch.point.wait();
  finish(std::move(watch), std::move(status));
}

void EventPoller::finish(Watch watch, absl::Status status) {
  const Stream* stream = watch.point.stream();
  try {
    watch.call(std::move(status));
  } catch (...) {
    // There is nobody to tell: whoever watches answers for itself.
  }
  watch = Watch();
  std::lock_guard lock(mu_);
  const auto pending = pending_.find(stream);
  if (--pending->second > 0) return;
  pending_.erase(pending);
  drained_.notify_all();
}

void EventPoller::drain(const Stream& stream) {
  std::unique_lock lock(mu_);
  drained_.wait(lock, [&] { return !pending_.contains(&stream); });
}

bool EventPoller::has_thread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void EventPoller::stop() {
  std::thread thread;
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
    thread.swap(thread_);
  }
  changed_.notify_one();
  if (thread.joinable()) thread.join();
}

void EventPoller::serve() {
  sleep_exactly();
  int idle_rounds = 0;
  std::unique_lock lock(mu_);
  for (;;) {
    if (open_.empty() && arrived_.empty()) {
      if (stopping_) return;
      changed_.wait(lock);
      idle_rounds = 0;
      continue;
    }
    for (Watch& watch : arrived_) open_[watch.point.stream()].push_back(std::move(watch));
    arrived_.clear();
    lock.unlock();
    idle_rounds = round() ? 0 : idle_rounds + 1;
    if (idle_rounds > kEagerRounds) {
      std::this_thread::sleep_for(
          std::min(longest_rest_, std::chrono::microseconds(idle_rounds - kEagerRounds)));
    } else if (idle_rounds > 0) {
      std::this_thread::yield();
    }
    lock.lock();
  }
}

bool EventPoller::round() {
  rounds_.fetch_add(1, std::memory_order_relaxed);
  bool any = false;
  for (auto stream = open_.begin(); stream != open_.end();) {
    std::deque<Watch>& watches = stream->second;
    while (!watches.empty()) {
      absl::StatusOr<bool> reached = watches.front().point.reached();
      if (reached.ok() && !*reached) break;
      Watch first = std::move(watches.front());
      watches.pop_front();
      finish(std::move(first), reached.status());
      any = true;
    }
    if (watches.empty()) {
      open_.erase(stream++);
    } else {
      ++stream;
    }
  }
  return any;
}

}  // namespace troupe
