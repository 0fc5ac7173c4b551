#include "actors/remote_partial_run.h"

#include <caf/all.hpp>

#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/remote_step.h"
#include "actors/turn_call.h"

namespace troupe {
namespace {

using Clock = std::chrono::steady_clock;

using RemotePartialRunActor = PartialRunActor::extend<
    // The master has answered a turn.
    caf::reacts_to<RemoteTurnEnded>>;

std::set<std::string> full_names(const std::vector<std::string>& tensors) {
  const std::vector<std::string> all = full_tensor_names(tensors);
  return {all.begin(), all.end()};
}

class RemotePartialRunImpl final : public RemotePartialRunActor::base {
 public:
  RemotePartialRunImpl(caf::actor_config& config, RemotePartialRunParts parts)
      : RemotePartialRunActor::base(config), parts_(std::move(parts)), master_(parts_.core->master),
        step_id_(parts_.core->gate.new_step_id(RunGate::kActorStripe)), last_turn_(parts_.core->now()),
        feeds_to_come_(full_names(parts_.setup.feeds)), fetches_to_come_(full_names(parts_.setup.fetches)) {
    set_down_handler([this](const caf::down_msg&) { client_died(); });
  }

  const char* name() const override { return "remote-partial-run"; }

  void on_exit() override {
    fail_turns(absl::CancelledError("the partial run's actor has ended"));
    parts_ = {};
  }

  behavior_type make_behavior() override {
    watch_client();
    return {
        [this](const PartialRunTurn& m) -> caf::result<RunReply> {
          auto promise = make_response_promise<RunReply>();
          take_turn(m, {promise, nullptr});
          return promise;
        },
        [this](const TakeTurn& m) {
          take_turn(m.call->turn(), {{}, m.call});
        },
        [this](const CancelPartialRun& m) {
          if (m.step_id == 0 || m.step_id == step_id_) give_up(m.status);
        },
        [this](InspectTurns) { return report(); },
        [this](ForkTurns) -> caf::result<ReadyFork> {
          return to_error(absl::UnimplementedError(
              absl::StrCat("A partial run at ", master_->target(), " cannot be forked.")));
        },
        // Nothing of these is asked of it.
        [](ForkTimeout) {},
        [](StartPartialRun) {},
        [](const PartialRunValue&) {},
        [](PartialRunTimeout) {},
        [](StepOver) {},
        [](CheckLease) {},
        [this](const RemoteTurnEnded& m) { turn_ended(m); },
    };
  }

 private:
  /// What a client waits for.
  struct Turn {
    TurnAnswer answer;
    PartialRunTurn asked;
    RemoteFetches fetches;
    RunGate::Place place;
  };

  void watch_client() {
    if (parts_.client == nullptr) return;
    const auto client = caf::actor_cast<caf::strong_actor_ptr>(parts_.client);
    if (client == nullptr) return client_died();
    monitor(client);
  }

  void client_died() {
    give_up(
        absl::CancelledError(absl::StrCat("The client of the partial run ", parts_.handle, " has died.")));
    tell_over();
  }

  void take_turn(const PartialRunTurn& m, TurnAnswer answer) {
    // SESSION has been told, and may not have heard yet.
    if (over_) return answer.deliver(no_partial_run());
    if (!end_.ok()) {
      tell_over();
      return answer.deliver(end_);
    }
    auto place = parts_.core->enter();
    if (!place.ok()) return answer.deliver(place.status());
    last_turn_ = parts_.core->now();
    const int64_t id = parts_.core->gate.new_step_id(RunGate::kActorStripe);
    Turn turn{std::move(answer), {{}, m.fetches, m.listener}, RemoteFetches(m.fetches), *std::move(place)};
    RemoteMaster::Step step;
    for (const NamedTensor& feed : m.feeds) {
      step.feeds.emplace_back(full_tensor_name(feed.first), feed.second);
      turn.asked.feeds.emplace_back(step.feeds.back().first, Tensor());
    }
    step.fetches = turn.fetches.names;
    step.partial_run = parts_.handle;
    step.timeout = parts_.core->options->operation_timeout;
    turns_.emplace(id, std::move(turn));
    master_->run(id, std::move(step), [me = RemotePartialRunActor(this), id](RemoteMaster::StepEnd end) {
      caf::anon_send(me, RemoteTurnEnded{id, std::make_shared<RemoteMaster::StepEnd>(std::move(end))});
    });
  }

  void turn_ended(const RemoteTurnEnded& m) {
    auto node = turns_.extract(m.turn);
    if (node.empty()) return;
    Turn& turn = node.mapped();
    turn.place.leave();
    if (m.end->status.ok()) {
      for (const NamedTensor& feed : turn.asked.feeds) feeds_to_come_.erase(feed.first);
      for (const std::string& fetch : turn.fetches.names) fetches_to_come_.erase(fetch);
    } else if (!absl::IsInvalidArgument(m.end->status)) {
      // A turn that is refused is none.
      failed_ = true;
    }
    const bool complete = feeds_to_come_.empty() && fetches_to_come_.empty();
    // SESSION first, so that it has forgotten this when the client asks for more.
    over_ = turns_.empty() && (complete || failed_);
    if (over_) tell_over();
    if (m.end->status.ok()) {
      answer(turn, m.end->fetches);
    } else {
      turn.answer.deliver(m.end->status);
    }
  }

  void answer(Turn& turn, const std::vector<Tensor>& values) {
    RunReply reply;
    for (const int i : turn.fetches.at) reply.fetches.push_back(values[i]);
    for (size_t i = 0; turn.asked.listener != nullptr && i < reply.fetches.size(); ++i)
      send(turn.asked.listener, FetchReady{parts_.handle, i, turn.asked.fetches[i], reply.fetches[i]});
    turn.answer.deliver(std::move(reply));
  }

  /// Who takes the next turn hears why.
  void give_up(const absl::Status& why) {
    if (end_.ok()) end_ = why;
    fail_turns(why);
  }

  void fail_turns(const absl::Status& why) {
    for (auto& [id, turn] : std::exchange(turns_, {})) {
      master_->cancel(id);
      turn.place.leave();
      turn.answer.deliver(why);
    }
  }

  void tell_over() { send(parts_.core->actor, PartialRunEnded{parts_.handle}); }

  PartialRunReport report() const {
    PartialRunReport out;
    out.handle = parts_.handle;
    out.step_id = end_.ok() ? step_id_ : 0;
    out.feeds_to_come.assign(feeds_to_come_.begin(), feeds_to_come_.end());
    out.fetches_to_come.assign(fetches_to_come_.begin(), fetches_to_come_.end());
    out.turns_waiting = static_cast<int>(turns_.size());
    out.idle = std::chrono::duration_cast<std::chrono::milliseconds>(parts_.core->now() - last_turn_);
    out.status = end_;
    return out;
  }

  RemotePartialRunParts parts_;
  const std::shared_ptr<RemoteMaster> master_;
  /// For who would cancel it; the master's is not known.
  const int64_t step_id_;
  Clock::time_point last_turn_;
  std::set<std::string> feeds_to_come_;
  std::set<std::string> fetches_to_come_;
  absl::flat_hash_map<int64_t, Turn> turns_;
  /// Why it was ended here.
  absl::Status end_;
  /// The master has ended it.
  bool failed_ = false;
  /// No turn is left that anybody could take.
  bool over_ = false;
};

}  // namespace

PartialRunActor spawn_remote_partial_run(caf::actor_system& system, RemotePartialRunParts parts) {
  return system.spawn<RemotePartialRunImpl, caf::hidden>(std::move(parts));
}

}  // namespace troupe
