#include "tests/actors/stress/watchdog.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace troupe::test {

Watchdog::Watchdog(size_t num_threads, std::chrono::seconds patience, std::function<void()> report)
    : states_(num_threads), patience_(patience), report_(std::move(report)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard lock(mu_);
    over_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Watchdog::watch() {
  std::vector<int64_t> seen(states_.size(), -1);
  std::unique_lock lock(mu_);
  while (!wake_.wait_for(lock, patience_, [&] { return over_; })) {
    if (!all_moved(&seen)) bark();
  }
}

bool Watchdog::all_moved(std::vector<int64_t>* seen) const {
  bool all = true;
  for (size_t i = 0; i < states_.size(); ++i) {
    const int64_t moves = states_[i].moves.load(std::memory_order_relaxed);
    if (moves == (*seen)[i] && states_[i].what.load(std::memory_order_relaxed) != nullptr) all = false;
    (*seen)[i] = moves;
  }
  return all;
}

void Watchdog::bark() const {
  for (size_t i = 0; i < states_.size(); ++i) {
    const char* what = states_[i].what.load();
    std::fprintf(stderr, "thread %zu: %s\n", i, what == nullptr ? "through" : what);
  }
  report_();
  std::abort();
}

}  // namespace troupe::test
