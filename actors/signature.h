#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "actors/cost_model.h"
#include "actors/slot_stock.h"

namespace troupe {

/// A compiled signature and its idle slots.
struct Signature {
  explicit Signature(std::shared_ptr<const SignatureCode> c) : code(std::move(c)) {}

  const std::shared_ptr<const SignatureCode> code;
  SlotStock slots;
  /// The session's miss count when it was last used: what eviction goes by.
  std::atomic<int64_t> last_used{0};
  /// Callables that use it: it is not evicted meanwhile.
  std::atomic<int> pins{0};
  /// Runs so far; counted only in sessions that want every n-th told.
  std::atomic<int64_t> counted_runs{0};
  /// What the runs cost that such sessions measured.
  CostModel costs;
  /// While slow runs are traced: so many of the next record what their nodes do (StepMeter::begin).
  std::atomic<int32_t> to_record{1};
  /// Those that were debugged.
  std::atomic<int64_t> watched_runs{0};
};

/// How a caller's order of feeds and fetches maps to the sorted order of the code.
struct SignatureAlias {
  std::shared_ptr<Signature> signature;
  std::vector<int> feed_at;
  std::vector<int> fetch_at;
};

}  // namespace troupe
