#include "actors/units/named_pool.h"

#include <algorithm>

#include "actors/step/executor_state.h"

namespace troupe {

/// What an actor sees as its execution unit while a pool thread resumes it.
class NamedPool::Unit final : public caf::execution_unit {
 public:
  explicit Unit(NamedPool* pool) : caf::execution_unit(pool->system_), pool_(pool) {}
  void exec_later(caf::resumable* job) override { pool_->enqueue(job); }

 private:
  NamedPool* const pool_;
};

NamedPool::NamedPool(caf::actor_system* system, std::string name, int num_threads)
    : system_(system),
      name_(std::move(name)),
      num_threads_(num_threads > 0 ? num_threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}

NamedPool::~NamedPool() {
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }
  arrived_.notify_all();
  for (std::thread& t : threads_) t.join();
  for (Job& j : actors_) caf::intrusive_ptr_release(j.actor);
}

void NamedPool::start_threads() {
  while (static_cast<int>(threads_.size()) < num_threads_) threads_.emplace_back([this] { work(); });
}

void NamedPool::enqueue(caf::resumable* job) {
  {
    std::lock_guard lock(mu_);
    if (threads_.empty()) start_threads();
    actors_.push_back({job, nullptr, nullptr});
  }
  arrived_.notify_one();
}

void NamedPool::run_kernels(const std::vector<KernelTask*>& tasks, const std::shared_ptr<void>& keep_alive) {
  {
    std::lock_guard lock(mu_);
    if (threads_.empty()) start_threads();
    for (KernelTask* t : tasks) kernels_.push_back({nullptr, t, keep_alive});
  }
  if (tasks.size() == 1) {
    arrived_.notify_one();
  } else {
    arrived_.notify_all();
  }
}

void NamedPool::drop_kernels(const void* keep_alive) {
  std::vector<Job> dropped;
  {
    std::lock_guard lock(mu_);
    auto keep = std::stable_partition(kernels_.begin(), kernels_.end(),
                                      [&](const Job& j) { return j.keep_alive.get() != keep_alive; });
    std::move(keep, kernels_.end(), std::back_inserter(dropped));
    kernels_.erase(keep, kernels_.end());
  }
  // Their token is tripped: run() gives them the reason and returns at once.
  for (Job& j : dropped) {
    j.task->run();
    j.task->owner->complete(j.task);
  }
}

int64_t NamedPool::kernels_run() const {
  std::lock_guard lock(mu_);
  return kernels_run_;
}

void NamedPool::work() {
  Unit unit(this);
  std::unique_lock lock(mu_);
  while (true) {
    arrived_.wait(lock, [&] { return stopping_ || !actors_.empty() || !kernels_.empty(); });
    if (actors_.empty() && kernels_.empty()) return;
    auto& queue = actors_.empty() ? kernels_ : actors_;
    Job job = std::move(queue.front());
    queue.pop_front();
    if (job.task != nullptr) ++kernels_run_;
    lock.unlock();
    if (job.task != nullptr) {
      job.task->run();
      job.task->owner->complete(job.task);
      job.keep_alive.reset();
    } else if (job.actor->resume(&unit, kMessagesPerTurn) == caf::resumable::resume_later) {
      enqueue(job.actor);
    } else {
      caf::intrusive_ptr_release(job.actor);
    }
    lock.lock();
  }
}

}  // namespace troupe
