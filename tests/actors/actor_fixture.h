#pragma once

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "actors/errors.h"
#include "actors/messages.h"
#include "actors/runtime_impl.h"
#include "actors/step_lease.h"
#include "tests/actors/probe.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {

/// A runtime whose every actor runs on the test's thread, a message at a time, when the test says so: the actor system has CAF's test
/// coordinator, the compile pool has ended and hands all jobs to it, and kernels run by hand. Time is the coordinator's, and goes on when told.
/// A DEVICE is resumed by whoever sends it a message, at once. At its end each test looks that
/// nothing is left of its sessions.
class ActorTest : public SessionTest {
 protected:
  ActorTest();
  ~ActorTest() override;
  void TearDown() override;

  /// @name What is next
  /// One message of whoever waits longest, or a kernel when nobody waits; false when there is neither.
  virtual bool run_one();
  /// One message of this actor; false when it has none.
  template <class Handle>
  bool run_turn_of(const Handle& actor) {
    return run_turn(caf::actor_cast<caf::abstract_actor*>(actor));
  }
  /// A kernel of those that wait for a thread; false when there is none.
  bool run_kernel() { return runtime_->impl().default_pool->run_next_kernel(); }
  /// Until no message is left but those of this actor, which gets no turn.
  template <class Handle>
  void run_all_but(const Handle& actor) {
    run_all_but_of(caf::actor_cast<caf::abstract_actor*>(actor));
  }
  /// Until no message is left; kernels wait.
  void run_messages();
  /// Until neither messages nor kernels are left. The clock stands still.
  void run_all();
  /// Lets so much time go by: what was set for then comes, and all that follows from it.
  void advance(std::chrono::nanoseconds time);
  /// Until nobody waits for the clock either.
  void run_out();

  /// @name Clients and accidents
  /// The request is sent at once.
  template <class... Results, class To, class Message>
  std::shared_ptr<Reply<Results...>> ask(const To& to, Message message) {
    auto reply = std::make_shared<Reply<Results...>>();
    ask_then<Results...>(
        to, std::move(message),
        [reply](const Results&... results) {
          ++reply->times;
          reply->status = absl::OkStatus();
          reply->results = std::make_tuple(results...);
        },
        [reply](const caf::error& error) {
          ++reply->times;
          reply->status = to_status(error);
        });
    // Who asks has been spawned last.
    take_job(scheduler().jobs.size() - 1);
    return reply;
  }
  /// Spawns who asks.
  template <class... Results, class To, class Message>
  void ask_then(const To& to, Message message,
                std::type_identity_t<std::function<void(const Results&...)>> good,
                std::function<void(const caf::error&)> bad) {
    system_->spawn<caf::hidden>([=, message = std::move(message)](caf::event_based_actor* self) {
      self->request(to, caf::infinite, message)
          .then([=](const Results&... results) { good(results...); }, [=](caf::error& error) { bad(error); });
    });
  }
  template <class To, class Message>
  void tell(const To& to, Message message) {
    caf::anon_send(to, std::move(message));
  }
  template <class Handle>
  void kill(const Handle& actor, caf::exit_reason why = caf::exit_reason::kill) {
    caf::anon_send_exit(actor, why);
  }
  template <class Handle>
  static bool is_alive(const Handle& actor) {
    return !caf::actor_cast<caf::abstract_actor*>(actor)->getf(caf::abstract_actor::is_terminated_flag);
  }

  /// @name Sessions, and slots without a client
  /// A session over graph_, with two devices unless told otherwise. The last one is `session()`.
  SessionActor open_session(SessionOptions options = two_devices());
  /// The same without a graph.
  SessionActor open_empty_session(const SessionOptions& options = two_devices());
  static SessionOptions two_devices();
  /// Of one that RUNTIME has just opened.
  void adopt(const SessionActor& opened);
  /// Of one that has ended: looks what is left.
  void forget_session();
  bool has_session() const { return !sessions_.empty(); }
  const SessionActor& session() const { return sessions_.back().actor; }
  std::shared_ptr<SessionCore> core() const { return sessions_.back().core.lock(); }
  /// Whether nothing holds the session's insides any more.
  bool is_gone() const { return sessions_.back().core.expired(); }
  std::shared_ptr<StepLease> lease(const LeaseRequest& want);
  /// A slot with its actors, none of which has taken a turn; the test is its leaseholder. Of what a client wants, or of code of the test's own.
  std::shared_ptr<StepSlot> new_slot(const LeaseRequest& want);
  std::shared_ptr<StepSlot> new_slot(const std::shared_ptr<const SignatureCode>& code);
  /// Feeds every argument, gives the run its id, and starts it.
  int64_t start(StepSlot& slot, float feed = 21);
  /// The same but for the start.
  int64_t prepare(StepSlot& slot, float feed = 21);
  /// What the fetches of the last run on it became.
  static float fetched(const StepSlot& slot) { return slot.retvals.at(0).value<float>(); }
  int64_t slots_alive() const { return runtime_->impl().live_slots->load(); }
  RuntimeActor& runtime_handle() { return runtime_->impl().actor; }

  caf::actor_system& system() { return *system_; }
  caf::scheduler::test_coordinator& scheduler();
  /// The job at this place among those that wait takes a message.
  void take_job(size_t at);

 private:
  bool run_turn(const caf::abstract_actor* actor);
  void run_all_but_of(const caf::abstract_actor* actor);
  class Unit;
  struct OpenSessionEntry {
    SessionActor actor;
    std::weak_ptr<SessionCore> core;
  };

  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  std::unique_ptr<Unit> unit_;
  std::vector<OpenSessionEntry> sessions_;
  std::vector<std::weak_ptr<StepSlot>> slots_;
};

}  // namespace troupe::test
