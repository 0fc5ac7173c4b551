#include "actors/turn_call.h"

#include <caf/all.hpp>

#include <utility>

#include "actors/ask.h"
#include "actors/errors.h"
#include "actors/session_core.h"
#include "actors/step/serves_turn.h"
#include "actors/units/on_askers_thread.h"

namespace troupe {
namespace {

/// Of the step's actors: some for each of them to begin, and not so many that an endless loop keeps the thread.
constexpr int kTurnsOfStart = 64;

}  // namespace

absl::Status no_partial_run() {
  return absl::InvalidArgumentError("Must run 'setup' before performing partial runs!");
}

TurnCall::~TurnCall() {
  if (result_->done.load(std::memory_order_relaxed)) return;
  answer(turns_->retired() ? no_partial_run() : absl::CancelledError("the partial run's actor has ended"));
}

void TurnCall::answer(absl::StatusOr<RunReply> reply) {
  result_->reply = std::move(reply);
  result_->done.store(true, std::memory_order_release);
  if (unit_ != nullptr) {
    unit_->wake();
  } else {
    result_->done.notify_one();
  }
}

void TurnAnswer::deliver(absl::StatusOr<RunReply> reply) {
  if (call != nullptr) return call->answer(std::move(reply));
  if (reply.ok()) {
    promise.deliver(*std::move(reply));
  } else {
    promise.deliver(to_error(reply.status()));
  }
}

absl::StatusOr<std::string> begin_partial_run(SessionCore& core, PartialRunSetup setup) {
  setup.started_by_client = true;
  auto begun = ask_for<std::string, PartialRunActor>(*core.system, core.actor, std::move(setup));
  if (!begun.ok()) return std::move(begun).status();
  auto& [handle, actor] = *begun;
  const std::optional<PartialRunTable::Entry> run = core.partial_runs.find(handle);
  const std::shared_ptr<LentThread> unit = run ? run->turns->enter() : nullptr;
  const ServesTurn serves;
  const Asking asking;
  caf::anon_send(actor, StartPartialRun{});
  if (unit != nullptr) {
    for (int turn = 0; turn < kTurnsOfStart && unit->run_next(); ++turn) {
    }
    run->turns->leave();
  }
  return std::move(handle);
}

absl::StatusOr<RunReply> take_turn(SessionCore& core, const std::string& handle, PartialRunTurn turn) {
  if (core.closed()) return absl::CancelledError("Session has been closed.");
  const std::optional<PartialRunTable::Entry> run = core.partial_runs.find(handle);
  if (!run) return no_partial_run();
  const auto result = std::make_shared<TurnCall::Result>();
  const std::shared_ptr<LentThread> unit = run->turns->enter();
  caf::anon_send(run->actor, TakeTurn{std::make_shared<TurnCall>(std::move(turn), run->turns, unit, result)});
  if (unit != nullptr) {
    {
      const ServesTurn serves;
      // SESSION hears of the end here.
      const Asking asking;
      unit->run_until(result->done);
    }
    run->turns->leave();
  } else {
    NamedPool::hand_over();
    result->done.wait(false, std::memory_order_acquire);
  }
  return std::move(result->reply);
}

}  // namespace troupe
