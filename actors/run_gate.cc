#include "actors/run_gate.h"

#include <algorithm>

namespace troupe {

int RunGate::stripe_of_thread() {
  static std::atomic<int> next{0};
  thread_local const int mine = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return mine;
}

RunGate::Place RunGate::enter(int stripe) {
  Stripe& mine = stripes_.at(stripe);
  if (mine.running.fetch_add(1, std::memory_order_seq_cst) != 0 && stripes_.is_first(mine)) [[unlikely]]
    stripes_.spread();
  Place place(this, &mine);
  if (is_shut()) place.leave();
  return place;
}

void RunGate::leave(Stripe& stripe) {
  // Who waits may free the gate as soon as nothing runs: counting out is the last that is done to it.
  if (waiters_.load(std::memory_order_seq_cst) == 0) {
    stripe.running.fetch_sub(1, std::memory_order_seq_cst);
    return;
  }
  std::lock_guard lock(mu_);
  stripe.running.fetch_sub(1, std::memory_order_seq_cst);
  idle_.notify_all();
}

int64_t RunGate::new_step_id(int stripe) {
  static std::atomic<int64_t> next_block{0};
  std::atomic<int64_t>& last = stripes_.at(stripe).last_id;
  int64_t before = last.load(std::memory_order_relaxed);
  for (;;) {
    const bool used_up = before % kIdsOfBlock == 0;
    const int64_t id =
        1 + (used_up ? next_block.fetch_add(1, std::memory_order_relaxed) * kIdsOfBlock : before);
    // Who finds that another was faster leaves a block that he may have taken to nobody.
    if (last.compare_exchange_strong(before, id, std::memory_order_relaxed)) return id;
  }
}

bool RunGate::wait_idle(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::unique_lock lock(mu_);
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  // Runs that looked for waiters before we came leave without a word: we look ourselves now and then.
  while (running() != 0 && std::chrono::steady_clock::now() < end) {
    idle_.wait_until(lock, std::min(end, std::chrono::steady_clock::now() + kLookAgain));
  }
  waiters_.fetch_sub(1, std::memory_order_seq_cst);
  return running() == 0;
}

int64_t RunGate::running() const {
  int64_t n = 0;
  stripes_.for_each([&](const Stripe& s) { n += s.running.load(std::memory_order_seq_cst); });
  return n;
}

int64_t RunGate::runs() const {
  int64_t n = 0;
  stripes_.for_each([&](const Stripe& s) { n += s.runs.load(std::memory_order_relaxed); });
  return n;
}

}  // namespace troupe
