#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "actors/units/stripes.h"

namespace troupe {

/// Counts the runs of a session in and out, and gives each step its id. Thread-safe. From when two runs have met, counts are kept in stripes,
/// so that threads which run steps at once do not wait for each other's cache lines: a run leaves by the stripe by which it came.
class RunGate {
  struct Stripe;

 public:
  /// The stripe of runs that no thread lends itself to.
  static constexpr int kActorStripe = 0;
  /// Of the calling thread; always the same.
  static int stripe_of_thread();

  /// A run's place among those counted in, given back once. The gate outlives it.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)), stripe_(other.stripe_) {}
    Place& operator=(Place&& other) noexcept {
      if (this == &other) return *this;
      leave();
      gate_ = std::exchange(other.gate_, nullptr);
      stripe_ = other.stripe_;
      return *this;
    }
    ~Place() { leave(); }
    explicit operator bool() const { return gate_ != nullptr; }
    void leave() {
      if (auto* gate = std::exchange(gate_, nullptr)) gate->leave(*stripe_);
    }

   private:
    friend class RunGate;
    Place(RunGate* gate, Stripe* stripe) : gate_(gate), stripe_(stripe) {}
    RunGate* gate_ = nullptr;
    Stripe* stripe_ = nullptr;
  };

  /// None when the gate is shut: the run was not counted.
  Place enter(int stripe);
  /// Nobody enters from now on.
  void shut() { shut_.store(true, std::memory_order_seq_cst); }
  bool is_shut() const { return shut_.load(std::memory_order_seq_cst); }
  /// Blocks until nothing runs or the time is up; false then. When it says true of a gate that is shut, no run touches the
  /// gate any more, and it may be freed.
  bool wait_idle(std::chrono::milliseconds timeout);

  /// Runs that are counted in now.
  int64_t running() const;
  /// For SessionCounters::runs.
  void count_run(int stripe) { stripes_.at(stripe).runs.fetch_add(1, std::memory_order_relaxed); }
  int64_t runs() const;
  /// Positive, unlike any other of this process, whatever gate it comes from.
  int64_t new_step_id(int stripe);

 private:
  void leave(Stripe& stripe);

  static constexpr int kStripes = 16;
  /// A stripe takes step ids from the process's count by blocks of so many: few enough that they stay readable, and nobody waits for
  /// another's cache line but once a block.
  static constexpr int64_t kIdsOfBlock = 64;
  static constexpr std::chrono::milliseconds kLookAgain{2};
  struct Stripe {
    std::atomic<int64_t> running{0};
    std::atomic<int64_t> runs{0};
    /// The last step id that was given out; a multiple of kIdsOfBlock: none is left of its block.
    std::atomic<int64_t> last_id{0};
  };

  Stripes<Stripe, kStripes> stripes_;
  std::atomic<bool> shut_{false};
  std::atomic<int> waiters_{0};
  std::mutex mu_;
  std::condition_variable idle_;
};

}  // namespace troupe
