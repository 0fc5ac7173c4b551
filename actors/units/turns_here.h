#pragma once

#include <caf/execution_unit.hpp>
#include <caf/resumable.hpp>

#include <chrono>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"

namespace troupe {

/// Who has threads for turns.
class TurnTaker {
 public:
  /// Resumes an actor; takes over its reference. From any thread.
  virtual void enqueue(caf::resumable* job) = 0;

 protected:
  ~TurnTaker() = default;
};

/// While one lives, its thread has other work than steps, which it must get back to soon: the network's. Turns of steps that it makes ready, and that a
/// pool would get, are taken here when it ends, and nobody is waked for them: the answer to a small question leaves on the thread that heard it.
/// What is expensive in them goes to the pools (ServesTurn), and so do they when they come to be many, or long.
class TurnsHere {
 public:
  /// How long a thread goes on: long enough for some hundred values, which cost twice as much when two threads share them; short beside a lease.
  static constexpr std::chrono::microseconds kBudget{1000};

  /// Of an actor, before the next has its turn.
  static constexpr size_t kMessagesAtOnce = 16;

  /// `between` is called after each turn; it outlives this.
  explicit TurnsHere(absl::FunctionRef<void()> between = nothing)
      : between_(between), outer_(std::exchange(of_thread_, this)) {}
  /// Takes the turns. What is thrown in one is the actor's, as anywhere.
  ~TurnsHere();
  TurnsHere(const TurnsHere&) = delete;

  static bool active() { return of_thread_ != nullptr; }
  /// Keeps the turn of an actor, whose reference it takes over, for this thread; false elsewhere. `pool`: whose it is else, and what it brings.
  static bool keep(caf::resumable* job, TurnTaker* pool, caf::actor_system* system);
  /// What is kept goes to the pools: before this thread waits for something.
  static void hand_over();

 private:
  struct Kept {
    caf::resumable* job;
    TurnTaker* pool;
    caf::actor_system* system;
  };
  static void nothing() {}
  /// True when it is to have another turn; else its reference is given back.
  static bool resume(const Kept& kept);

  static constinit thread_local TurnsHere* of_thread_;
  const absl::FunctionRef<void()> between_;
  TurnsHere* const outer_;
  std::vector<Kept> kept_;
  /// How many of these have been taken.
  size_t taken_ = 0;
};

}  // namespace troupe
