#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe::test {

/// Looks after threads that should move all the time. When one does not for as long as `patience`, prints what each is at, calls
/// `report`, and ends the program.
class Watchdog {
 public:
  Watchdog(size_t num_threads, std::chrono::seconds patience, std::function<void()> report);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;

  /// Of thread number i: what it is at now, a literal; null: it is through.
  void at(size_t i, const char* what) {
    states_[i].what.store(what, std::memory_order_relaxed);
    states_[i].moves.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  struct alignas(64) State {
    std::atomic<const char*> what{"its begin"};
    std::atomic<int64_t> moves{0};
  };

  void watch();
  bool all_moved(std::vector<int64_t>* seen) const;
  [[noreturn]] void bark() const;

  std::vector<State> states_;
  const std::chrono::seconds patience_;
  const std::function<void()> report_;
  std::mutex mu_;
  std::condition_variable wake_;
  bool over_ = false;  // guarded by mu_
  std::thread thread_;
};

}  // namespace troupe::test
