#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace troupe {

/// What the seeded random ops of functions work for: an iterator, or a walk over a dataset. They begin anew when it
/// does, and go on while it repeats its elements. Functions are compiled once for each number, so numbers are used
/// again: the smallest that is free. Thread-safe.
class RandomScope {
 public:
  /// Changes when the scope of a number begins anew.
  using Rounds = std::shared_ptr<const std::atomic<uint64_t>>;

  RandomScope();
  ~RandomScope();
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

  /// The value of a function's attr kRandomScopeAttr.
  int64_t id() const { return id_; }
  void begin_anew();

  /// Null for a number that no scope ever had.
  static Rounds rounds_of(int64_t id);

 private:
  int64_t id_ = 0;
};

}  // namespace troupe
