#pragma once

#include <atomic>
#include <cstdint>

namespace troupe {

/// Who has a run in hand, and who ends it: one of those who would. A slot has one of these for all its runs, one after the other.
/// From any thread, without locks; every call is one atomic step, so that of two events each is before or after the other.
///
/// A direct run is its EXECUTOR's, any other its STEP's. An actor that dies while a run is under way leaves it to the STEP; a STEP that dies
/// ends it itself. A run that begins when nobody is left to end it is over before anything ran.
class RunLife {
 public:
  enum class Start : uint8_t {
    /// The EXECUTOR's.
    kDirect,
    /// The STEP's, also when an actor is gone: it deals with that.
    kByStep,
    /// Nobody's. Who began it has to end it.
    kLost,
  };

  /// No run is under way.
  Start begin(bool directly);
  /// True for the one caller that ends the run.
  bool claim_end() { return (state_.fetch_and(~kRun, std::memory_order_acq_rel) & kRun) != 0; }
  /// An actor of the run's is gone, for good. True when a direct run is under way, which the STEP, who calls this, should end.
  bool lose_actor() { return (state_.fetch_or(kBroken, std::memory_order_acq_rel) & kDirect) != 0; }
  /// The STEP is gone, for good. True when a run was under way: its end is claimed.
  bool lose_step() { return (state_.exchange(kBroken | kNoStep, std::memory_order_acq_rel) & kRun) != 0; }

  bool runs_directly() const { return (state_.load(std::memory_order_acquire) & kDirect) != 0; }
  /// An actor is gone: no run should begin here any more.
  bool broken() const { return (state_.load(std::memory_order_acquire) & kBroken) != 0; }

 private:
  static constexpr uint8_t kDirect = 1;
  static constexpr uint8_t kByStep = 2;
  static constexpr uint8_t kRun = kDirect | kByStep;
  static constexpr uint8_t kBroken = 4;
  static constexpr uint8_t kNoStep = 8;
  std::atomic<uint8_t> state_{0};
};

inline RunLife::Start RunLife::begin(bool directly) {
  uint8_t found = 0;
  const uint8_t run = directly ? kDirect : kByStep;
  // A sound slot, nearly always.
  while (!state_.compare_exchange_weak(found, found | run, std::memory_order_acq_rel)) {
    if ((found & kNoStep) != 0 || (directly && (found & kBroken) != 0)) return Start::kLost;
  }
  return directly ? Start::kDirect : Start::kByStep;
}

}  // namespace troupe
