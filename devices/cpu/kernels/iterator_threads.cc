#include "devices/cpu/kernels/iterator_threads.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace troupe {
namespace {

/// How long a thread without work stays: longer than the pauses between steps, so that training does not make
/// threads; short, as what it last ran for may not end before it.
constexpr std::chrono::milliseconds kIdleMs{50};

/// Threads as many as there are jobs at once. Lives as long as the process, as its threads may.
class WaitingThreads {
 public:
  static WaitingThreads& instance() {
    static auto* const threads = new WaitingThreads;
    return *threads;
  }
  void run(std::function<void()> job) {
    std::unique_lock lock(mu_);
    jobs_.push_back(std::move(job));
    if (jobs_.size() <= idle_) {
      came_.notify_one();
      return;
    }
    lock.unlock();
    try {
      std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {
      // No more threads: what is next is done here, late rather than never.
      lock.lock();
      if (jobs_.empty()) return;
      std::function<void()> next = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      next();
    }
  }

 private:
  void work() {
    std::unique_lock lock(mu_);
    while (true) {
      ++idle_;
      const bool any = came_.wait_for(lock, kIdleMs, [this] { return !jobs_.empty(); });
      --idle_;
      if (!any) return;
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
    }
  }

  std::mutex mu_;
  std::condition_variable came_;
  // Guarded by mu_.
  std::deque<std::function<void()>> jobs_;
  size_t idle_ = 0;
};

class WaitingKernel final : public AsyncKernel {
 public:
  explicit WaitingKernel(KernelFn fn) : fn_(fn) {}
  void compute_async(KernelContext& context, Done done) override {
    run_waiting([fn = fn_, &context, done = std::move(done)] { done(fn(context)); });
  }

 private:
  const KernelFn fn_;
};

}  // namespace

void run_waiting(std::function<void()> job) { WaitingThreads::instance().run(std::move(job)); }

void add_waiting_kernel(KernelRegistry* registry, const std::string& op, KernelFn fn) {
  KernelDef def(op);
  def.factory = [fn](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<WaitingKernel>(fn);
  };
  registry->add(std::move(def));
}

}  // namespace troupe
