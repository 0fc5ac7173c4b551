#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>

#include "actors/session_core.h"

namespace troupe {

/// Which steps of a session are past their deadline, and when to look again: one clock for all of them. SESSION's own; whoever
/// begins a step whose deadline is earlier than `SessionCore::armed` tells SESSION to look.
class Deadlines {
 public:
  /// Calls `expired` with each step that runs and is past its deadline. Returns when the clock is to be set for, unless it is for then
  /// or sooner already.
  std::optional<std::chrono::steady_clock::time_point> check(
      SessionCore& core, const std::function<void(StepSlot&, int64_t step_id)>& expired);

 private:
  /// For when the clock is set.
  std::set<int64_t> set_for_;
};

}  // namespace troupe
