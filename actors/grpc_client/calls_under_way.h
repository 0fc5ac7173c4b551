#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace troupe {

/// Counts the calls of a runtime's clients until their answers have been told, so that its actors outlive them. Thread-safe.
class CallsUnderWay {
 public:
  void begin() {
    std::lock_guard lock(mu_);
    ++open_;
  }
  void end() {
    std::lock_guard lock(mu_);
    if (--open_ == 0) none_.notify_all();
  }
  /// Blocks until there is none, or the patience is over: false.
  bool wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mu_);
    return none_.wait_for(lock, patience, [this] { return open_ == 0; });
  }

 private:
  std::mutex mu_;
  std::condition_variable none_;
  int open_ = 0;  // guarded by mu_
};

}  // namespace troupe
