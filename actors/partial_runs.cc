#include "actors/partial_runs.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/signature_key.h"
#include "actors/turn_call.h"

namespace troupe {
namespace {

/// A clock that is set further ahead may overflow.
constexpr std::chrono::milliseconds kLongestLease = std::chrono::hours(24 * 365);

absl::Status check_lease(std::chrono::milliseconds lease) {
  if (lease.count() >= 0 && lease <= kLongestLease) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("The lease of a partial run must be from 0 to ",
                                                 kLongestLease.count(), " ms, but is ", lease.count()));
}

absl::Status not_there(const std::string& handle) {
  return absl::InvalidArgumentError(absl::StrCat(no_partial_run().message(), " There is none of the name '",
                                                 handle, "': it has ended, or never was."));
}

void refuse(PartialRunParts& parts, const absl::Status& why, PartialRuns::Promise& promise) {
  parts.core->meter->refused(why);
  parts.lease.give_back();
  parts.place.leave();
  promise.deliver(to_error(why));
}

}  // namespace

PartialRuns::Started PartialRuns::set_up(const std::shared_ptr<SessionCore>& core, const PartialRunSetup& m) {
  const std::chrono::milliseconds patience = m.lease.value_or(core->options->partial_run_lease);
  if (const absl::Status good = check_lease(patience); !good.ok()) return to_error(good);
  // What is called later must be copied: a function.
  auto parts = std::make_shared<PartialRunParts>();
  parts->core = core;
  parts->setup = m;
  parts->patience = patience;
  parts->cancels = core->cancels();
  // The promise takes the sender with it.
  if (m.ends_with_client) parts->client = caf::actor_cast<caf::actor_addr>(self_->current_sender());
  auto place = core->enter();
  if (!place.ok()) return to_error(place.status());
  parts->place = *std::move(place);
  auto promise = self_->make_response_promise<std::string, PartialRunActor>();
  lease_({m.feeds, m.fetches, m.targets, true}, [this, parts, promise](auto reply) mutable {
    if (!reply.ok()) return refuse(*parts, reply.status(), promise);
    parts->alias = reply->lease->kept_alias();
    parts->lease = std::move(*reply->lease);
    with_graph_([this, parts, promise](const std::shared_ptr<const Graph>& graph) mutable {
      if (parts->core->closed())
        return refuse(*parts, absl::CancelledError("Session has been closed."), promise);
      if (auto no = parts->core->check_not_finalized(); !no.ok()) return refuse(*parts, no, promise);
      parts->graph = graph;
      start(std::move(*parts), std::move(promise));
    });
  });
  return promise;
}

void PartialRuns::start(PartialRunParts parts, Promise promise) {
  const std::string handle = parts.handle = partial_run_name(parts.setup, next_++);
  const auto turns = parts.turns = std::make_shared<TurnUnit>(parts.lease.slot()->unit);
  // A fork of it has the setup, but is started here.
  const bool started_by_client = std::exchange(parts.setup.started_by_client, false);
  PartialRunActor actor = spawn_partial_run(self_->system(), std::move(parts));
  runs_->add(handle, {actor, turns});
  if (!started_by_client) self_->send(actor, StartPartialRun{});
  promise.deliver(handle, std::move(actor));
}

caf::result<RunReply> PartialRuns::take_turn(const PartialRunRequest& m) {
  if (const PartialRunActor actor = find(m.handle))
    return self_->delegate(actor, PartialRunTurn{m.feeds, m.fetches, m.listener});
  return to_error(no_partial_run());
}

PartialRuns::Started PartialRuns::fork(const ForkPartialRun& m) {
  const PartialRunActor actor = find(m.handle);
  if (actor == nullptr) return to_error(not_there(m.handle));
  const int64_t id = next_fork_++;
  auto promise = self_->make_response_promise<std::string, PartialRunActor>();
  forks_[id] = promise;
  // The PARTIAL RUN answers when its step is at rest, when it ends, or as late as the session lets an operation wait.
  self_->request(actor, caf::infinite, ForkTurns{})
      .then(
          [this, id](const ReadyFork& fork) {
            if (auto waits = forks_.extract(id)) adopt(fork.parts, std::move(waits.mapped()));
          },
          [this, id](caf::error& error) {
            if (auto waits = forks_.extract(id)) waits.mapped().deliver(to_error(to_status(error)));
          });
  return promise;
}

void PartialRuns::adopt(const std::shared_ptr<PartialRunParts>& parts, Promise promise) {
  auto place = parts->core->enter();
  if (!place.ok()) return (void)promise.deliver(to_error(place.status()));
  parts->place = *std::move(place);
  LeaseRequest same;
  same.alias = parts->alias;
  lease_(same, [this, parts, promise](auto reply) mutable {
    if (!reply.ok()) return refuse(*parts, reply.status(), promise);
    parts->lease = std::move(*reply->lease);
    start(std::move(*parts), std::move(promise));
  });
}

caf::result<Done> PartialRuns::end(const EndPartialRun& m) {
  const PartialRunActor actor = find(m.handle);
  if (actor == nullptr) return to_error(not_there(m.handle));
  self_->send<caf::message_priority::high>(actor, CancelPartialRun{0, cancelled_by_caller(m.reason)});
  return Done{};
}

caf::result<PartialRunReport> PartialRuns::inspect(const InspectPartialRun& m) {
  if (const PartialRunActor actor = find(m.handle)) return self_->delegate(actor, InspectTurns{});
  return to_error(not_there(m.handle));
}

caf::result<PartialRunList> PartialRuns::list() {
  auto promise = self_->make_response_promise<PartialRunList>();
  const std::vector<PartialRunTable::Named> runs = runs_->all();
  const int64_t id = lists_.open(promise, {}, runs.size());
  for (const auto& [handle, run] : runs) {
    self_->request(run.actor, caf::infinite, InspectTurns{})
        .then(
            [this, id](PartialRunReport& report) {
              lists_.answer(id).runs.push_back(std::move(report));
              lists_.one_answered(id);
            },
            // It has ended meanwhile.
            [this, id](caf::error&) { lists_.one_answered(id); });
  }
  return promise;
}

PartialRunActor PartialRuns::find(const std::string& handle) const {
  const auto run = runs_->find(handle);
  return run ? run->actor : PartialRunActor();
}

void PartialRuns::forget(const std::string& handle) {
  if (const auto run = runs_->remove(handle)) self_->send_exit(run->actor, caf::exit_reason::user_shutdown);
}

void PartialRuns::cancel(int64_t step_id, const absl::Status& reason) {
  for (const auto& [handle, run] : runs_->all()) {
    self_->send<caf::message_priority::high>(run.actor, CancelPartialRun{step_id, reason});
  }
}

void PartialRuns::end_all(const absl::Status& status) {
  for (const auto& [handle, run] : runs_->all()) forget(handle);
  lists_.fail(status);
  for (auto& [id, promise] : std::exchange(forks_, {})) promise.deliver(to_error(status));
}

}  // namespace troupe
