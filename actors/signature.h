#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "actors/step_slot.h"

namespace troupe {

/// A compiled signature and its idle slots. Leasing takes no lock.
class Signature {
 public:
  explicit Signature(std::shared_ptr<const SignatureCode> c) : code(std::move(c)) {}

  /// Null when all slots are busy. Slots that lost an actor while they were idle are put away.
  std::shared_ptr<StepSlot> acquire();
  /// False when there is no room: the caller stops the slot.
  bool release(std::shared_ptr<StepSlot> slot);
  /// Takes all idle slots out, for good: from now on there is room for none.
  std::vector<std::shared_ptr<StepSlot>> drain();
  bool drained() const { return drained_.load(std::memory_order_seq_cst); }

  const std::shared_ptr<const SignatureCode> code;
  /// The session's miss count when it was last used: what eviction goes by.
  std::atomic<int64_t> last_used{0};
  /// Callables that use it: it is not evicted meanwhile.
  std::atomic<int> pins{0};
  /// Runs so far; counted only in sessions that build cost models.
  std::atomic<int64_t> counted_runs{0};

 private:
  static constexpr int kIdle = 64;
  std::vector<std::shared_ptr<StepSlot>> take_all();
  std::atomic<bool> drained_{false};
  /// Each holds one reference to a slot, or null.
  std::array<std::atomic<std::shared_ptr<StepSlot>*>, kIdle> idle_{};
};

/// How a caller's order of feeds and fetches maps to the sorted order of the code.
struct SignatureAlias {
  std::shared_ptr<Signature> signature;
  std::vector<int> feed_at;
  std::vector<int> fetch_at;
};

}  // namespace troupe
