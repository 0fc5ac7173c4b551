#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "devices/thread_pool.h"

namespace troupe::test {

/// Two threads of an application's; joined by its end. `held`: jobs wait until they are let go, or are dropped with it.
class TwoThreads final : public ThreadPool {
 public:
  explicit TwoThreads(bool held = false) : held_(held) {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { work(); });
    for (const std::thread& t : threads_) ids_.insert(t.get_id());
  }
  ~TwoThreads() override {
    {
      std::lock_guard lock(mu_);
      stopping_ = true;
    }
    arrived_.notify_all();
    for (std::thread& t : threads_) t.join();
  }
  int num_threads() const override { return 2; }
  void schedule(std::function<void()> job) override {
    {
      std::lock_guard lock(mu_);
      jobs_.push_back(std::move(job));
      ++num_jobs_;
    }
    arrived_.notify_one();
  }
  void let_go() {
    {
      std::lock_guard lock(mu_);
      held_ = false;
    }
    arrived_.notify_all();
  }
  bool is_mine(std::thread::id id) const { return ids_.contains(id); }
  int num_jobs() const {
    std::lock_guard lock(mu_);
    return num_jobs_;
  }

 private:
  void work() {
    std::unique_lock lock(mu_);
    while (true) {
      arrived_.wait(lock, [this] { return stopping_ || (!held_ && !jobs_.empty()); });
      if (stopping_) return;
      auto job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }

  mutable std::mutex mu_;
  std::condition_variable arrived_;
  // Guarded by mu_.
  std::deque<std::function<void()>> jobs_;
  bool held_ = false;
  bool stopping_ = false;
  int num_jobs_ = 0;
  std::vector<std::thread> threads_;
  std::set<std::thread::id> ids_;
};

}  // namespace troupe::test
