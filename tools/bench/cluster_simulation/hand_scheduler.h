#pragma once

#include <caf/all.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace troupe::simulation {

/// A clock that stands still and forgets what is set: no actor of a simulation waits for a time of its own.
class StillClock final : public caf::actor_clock {
 public:
  time_point now() const noexcept override { return start_; }
  void set_ordinary_timeout(time_point, caf::abstract_actor*, caf::atom_value, uint64_t) override {}
  void set_multi_timeout(time_point, caf::abstract_actor*, caf::atom_value, uint64_t) override {}
  void set_request_timeout(time_point, caf::abstract_actor*, caf::message_id) override {}
  void cancel_ordinary_timeout(caf::abstract_actor*, caf::atom_value) override {}
  void cancel_request_timeout(caf::abstract_actor*, caf::message_id) override {}
  void cancel_timeouts(caf::abstract_actor*) override {}
  void schedule_message(time_point, caf::strong_actor_ptr, caf::mailbox_element_ptr) override {}
  void schedule_message(time_point, caf::group, caf::strong_actor_ptr, caf::message) override {}
  void cancel_all() override {}

 private:
  const time_point start_ = clock_type::now();
};

/// A scheduler without threads: turns of actors wait until the thread that owns the simulation takes them, the first one first. Any thread may
/// bring some.
class HandScheduler final : public caf::scheduler::abstract_coordinator {
 public:
  explicit HandScheduler(caf::actor_system& system) : abstract_coordinator(system), unit_(&system, this) {}
  /// For actor_system_config::load.
  static caf::actor_system::module* make(caf::actor_system& system, caf::detail::type_list<>) {
    return new HandScheduler(system);
  }

  void enqueue(caf::resumable* job) override;
  caf::actor_clock& clock() noexcept override { return clock_; }
  bool detaches_utility_actors() const override { return false; }
  void start() override {}
  /// Takes the turns that are left.
  void stop() override;

  /// @name The simulation's thread
  /// One actor's turn; false when none waits.
  bool run_one();
  bool has_jobs() const;
  /// Until there is one, or that long.
  void wait_for_jobs(std::chrono::microseconds patience);

 private:
  /// Where an actor that has its turn brings others.
  class Unit final : public caf::execution_unit {
   public:
    Unit(caf::actor_system* system, HandScheduler* owner) : caf::execution_unit(system), owner_(owner) {}
    void exec_later(caf::resumable* job) override { owner_->enqueue(job); }

   private:
    HandScheduler* const owner_;
  };

  StillClock clock_;
  Unit unit_;
  mutable std::mutex mu_;
  std::condition_variable arrived_;
  std::deque<caf::resumable*> jobs_;  // guarded by mu_
};

}  // namespace troupe::simulation
