#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "actors/session_core.h"

namespace troupe {

/// Which sessions of a runtime have slots that lie idle, and when to look whether they are still needed. A look ends what a session had
/// beyond its needs since the last one, and all of a session that has run nothing since then: it rests, has its graph and what is compiled,
/// and its next run has a slot made, some ten microseconds. Where nothing lies idle nobody looks, and no clock runs. Thread-safe.
class IdleSlots {
 public:
  /// Between two looks.
  static constexpr std::chrono::seconds kLookEvery{1};

  enum class What { kNothing, kUnneeded, kAll };
  /// Ends these of the session's idle slots; whether some are left. Called on the compile pool.
  using End = bool (*)(SessionCore& core, What what);

  /// `runtime` gets LookAtSlots when it is time.
  IdleSlots(RuntimeActor runtime, End end) : runtime_(std::move(runtime)), end_(end) {}

  /// A slot of this session lies idle. Costs a load when that is known.
  void watch(SessionCore& core) {
    if (!core.slots_watched.load(std::memory_order_relaxed)) [[unlikely]]
      begin(core);
  }
  /// On the compile pool, for LookAtSlots: looks at some sessions. True when it is to be called again for the others, once those who wait
  /// for the pool have had their turn.
  bool look();
  /// Nothing lies idle, so that no look is to come.
  bool none_watched();

 private:
  struct Watched {
    std::weak_ptr<SessionCore> core;
    /// RunGate::runs at the last look, or when it began to be watched.
    int64_t runs = 0;
  };
  /// How many sessions are looked at before others on the pool have their turn.
  static constexpr size_t kSessionsPerTurn = 256;

  void begin(SessionCore& core);
  /// False when nothing of it lies idle any more.
  bool look_at(Watched* watched);
  void set_clock();

  const RuntimeActor runtime_;
  const End end_;
  std::mutex mu_;
  // Guarded by mu_.
  std::vector<Watched> watched_;
  bool clock_runs_ = false;
  /// Those that the look under way has not come to.
  std::vector<Watched> left_;
};

}  // namespace troupe
