#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace troupe {

/// Counts the messages of a step by their type, while it is told to. Thread-safe.
class MessageTally {
 public:
  using Counts = std::vector<std::pair<const std::type_info*, int>>;

  /// Begins anew; off: `add` costs one load.
  void begin(bool on) {
    if (!on && !on_.load(std::memory_order_relaxed)) return;
    std::lock_guard lock(mu_);
    counts_.clear();
    on_.store(on, std::memory_order_relaxed);
  }
  bool is_on() const { return on_.load(std::memory_order_relaxed); }
  void add(const std::type_info& type, int n = 1) {
    if (!is_on()) return;
    std::lock_guard lock(mu_);
    const auto known =
        std::find_if(counts_.begin(), counts_.end(), [&](const auto& c) { return *c.first == type; });
    if (known != counts_.end()) {
      known->second += n;
    } else {
      counts_.emplace_back(&type, n);
    }
  }
  Counts counts() const {
    std::lock_guard lock(mu_);
    return counts_;
  }

 private:
  std::atomic<bool> on_{false};
  mutable std::mutex mu_;
  Counts counts_;  // guarded by mu_
};

}  // namespace troupe
