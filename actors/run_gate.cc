#include "actors/run_gate.h"

namespace troupe {

int RunGate::stripe_of_thread() {
  static std::atomic<int> next{0};
  thread_local const int mine = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return mine;
}

bool RunGate::enter(int stripe) {
  stripes_[stripe].running.fetch_add(1, std::memory_order_seq_cst);
  if (!is_shut()) return true;
  leave(stripe);
  return false;
}

void RunGate::leave(int stripe) {
  // Who waits counts itself first and looks second; here it is the other way round.
  if (stripes_[stripe].running.fetch_sub(1, std::memory_order_seq_cst) != 1) return;
  if (waiters_.load(std::memory_order_seq_cst) == 0) return;
  std::lock_guard lock(mu_);
  idle_.notify_all();
}

bool RunGate::wait_idle(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mu_);
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  const bool idle = idle_.wait_for(lock, timeout, [&] { return running() == 0; });
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
  return idle;
}

int64_t RunGate::running() const {
  int64_t n = 0;
  for (const Stripe& s : stripes_) n += s.running.load(std::memory_order_seq_cst);
  return n;
}

int64_t RunGate::runs() const {
  int64_t n = 0;
  for (const Stripe& s : stripes_) n += s.runs.load(std::memory_order_relaxed);
  return n;
}

}  // namespace troupe
