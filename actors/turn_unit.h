#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "actors/units/lent_thread.h"

namespace troupe {

/// Where a thread that waits for a turn of a partial run serves its step meanwhile: what the turn makes ready is computed there, and nobody
/// is woken for it. One thread at a time; others that wait leave the work to it, or to the session's pool. The slot of the run does
/// not go back while a thread is inside. Thread-safe.
class TurnUnit {
 public:
  /// `unit`: null when nobody may serve it.
  explicit TurnUnit(std::shared_ptr<LentThread> unit) : unit_(std::move(unit)) {}

  /// The calling thread is the unit's from now on, until `leave`; null, and nothing changes, when another is inside or the run is over.
  std::shared_ptr<LentThread> enter();
  void leave();
  /// The run is over. Calls `give_back` now, or when the thread that is inside leaves. Once.
  void retire(std::function<void()> give_back);
  bool retired() const;

 private:
  mutable std::mutex mu_;
  // Guarded by mu_. Null: the run is over.
  std::shared_ptr<LentThread> unit_;
  /// Null: nobody is inside.
  std::shared_ptr<LentThread> inside_;
  std::function<void()> give_back_;
};

}  // namespace troupe
