#include "tools/bench/cluster_simulation/hand_scheduler.h"

namespace troupe::simulation {
namespace {

constexpr size_t kMessagesPerTurn = 16;

}  // namespace

void HandScheduler::enqueue(caf::resumable* job) {
  std::lock_guard lock(mu_);
  jobs_.push_back(job);
  arrived_.notify_one();
}

void HandScheduler::stop() {
  while (run_one()) {
  }
}

bool HandScheduler::run_one() {
  std::unique_lock lock(mu_);
  if (jobs_.empty()) return false;
  caf::resumable* const job = jobs_.front();
  jobs_.pop_front();
  lock.unlock();
  switch (job->resume(&unit_, kMessagesPerTurn)) {
    case caf::resumable::resume_later: enqueue(job); break;
    case caf::resumable::shutdown_execution_unit: break;
    default: caf::intrusive_ptr_release(job);
  }
  return true;
}

bool HandScheduler::has_jobs() const {
  std::lock_guard lock(mu_);
  return !jobs_.empty();
}

void HandScheduler::wait_for_jobs(std::chrono::microseconds patience) {
  std::unique_lock lock(mu_);
  arrived_.wait_for(lock, patience, [this] { return !jobs_.empty(); });
}

}  // namespace troupe::simulation
