#include "actors/message_runs.h"

#include <caf/all.hpp>

#include "actors/errors.h"

namespace troupe {

std::shared_ptr<OutstandingRun> MessageRuns::answer_at_end(std::shared_ptr<SessionCore> core,
                                                           LeaseRequest want, std::vector<Tensor> feeds,
                                                           const RunOptions& options,
                                                           const caf::strong_actor_ptr& client,
                                                           Promise promise) {
  return add(std::move(core), std::move(want), std::move(feeds), options,
             caf::actor_cast<caf::actor_addr>(client),
             [promise = std::move(promise)](const absl::Status& status, RunReply reply) mutable {
               if (status.ok()) {
                 promise.deliver(std::move(reply));
               } else {
                 promise.deliver(to_error(status));
               }
             });
}

std::shared_ptr<OutstandingRun> MessageRuns::tell_at_end(std::shared_ptr<SessionCore> core, LeaseRequest want,
                                                         std::vector<Tensor> feeds, const RunOptions& options,
                                                         const RunClient& client, int64_t* number) {
  *number = next_;
  auto run = add(std::move(core), std::move(want), std::move(feeds), options, client.address(),
                 [self = self_, client, run = next_](const absl::Status& status, RunReply reply) {
                   self->send(client, RunFinished{run, status, std::move(reply)});
                 });
  if (!options.debug.watches.empty()) {
    run->when_begun = [session = SessionActor(self_), number = *number, id = run->step_id()] {
      caf::anon_send(session, RunHasBegun{number, *id});
    };
  }
  return run;
}

std::shared_ptr<OutstandingRun> MessageRuns::add(std::shared_ptr<SessionCore> core, LeaseRequest want,
                                                 std::vector<Tensor> feeds, const RunOptions& options,
                                                 caf::actor_addr client, Tell tell) {
  const int64_t number = next_++;
  auto run = std::make_shared<OutstandingRun>(
      std::move(core), std::move(want), std::move(feeds), options,
      [session = SessionActor(self_), number](const absl::Status& status, RunReply reply) {
        caf::anon_send(session, RunAnswered{number, status, std::make_shared<RunReply>(std::move(reply))});
      });
  if (client != nullptr && ++clients_[client] == 1) self_->monitor(client);
  runs_[number] = {run, std::move(client), std::move(tell), {}};
  return run;
}

MessageRuns::Entry MessageRuns::take(int64_t number) {
  const auto it = runs_.find(number);
  if (it == runs_.end()) return {};
  Entry entry = std::move(it->second);
  runs_.erase(it);
  if (entry.client == nullptr) return entry;
  const auto client = clients_.find(entry.client);
  if (client != clients_.end() && --client->second == 0) {
    self_->demonitor(entry.client);
    clients_.erase(client);
  }
  return entry;
}

void MessageRuns::forget(int64_t number) { (void)take(number); }

void MessageRuns::answer_when_begun(int64_t number, BegunPromise promise) {
  // It is there: that it is over is told by a message.
  runs_.at(number).begun = std::move(promise);
}

void MessageRuns::begun(const RunHasBegun& run) {
  const auto it = runs_.find(run.number);
  if (it != runs_.end() && it->second.begun.pending())
    it->second.begun.deliver(RunBegun{run.number, run.step_id});
}

void MessageRuns::ended(const RunAnswered& end) {
  Entry entry = take(end.number);
  // Cancelled before it had begun.
  if (entry.begun.pending()) entry.begun.deliver(RunBegun{end.number, 0});
  if (entry.tell) entry.tell(end.status, std::move(*end.reply));
}

void MessageRuns::client_died(const caf::actor_addr& client) {
  clients_.erase(client);
  for (const auto& [number, entry] : runs_) {
    if (entry.client != client) continue;
    if (const auto run = entry.run.lock()) run->cancel(cancelled_by_caller("the client's actor has ended"));
  }
}

void MessageRuns::fail(const absl::Status& status) {
  for (auto& [number, entry] : std::exchange(runs_, {})) {
    if (entry.begun.pending()) entry.begun.deliver(to_error(status));
    entry.tell(status, {});
  }
  clients_.clear();
}

}  // namespace troupe
