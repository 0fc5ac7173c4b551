#include "actors/streamed_run.h"

#include <caf/all.hpp>

#include "actors/errors.h"
#include "actors/interfaces.h"
#include "actors/session_core.h"
#include "graph/thrown.h"

namespace troupe {

struct StreamedRun::Handle {
  FetchListener actor;
};

/// A partial run of one turn, and whoever listens to it. The partial run ends with this actor.
class StreamedRun::Teller final : public FetchListener::base {
 public:
  Teller(caf::actor_config& config, SessionActor session, PartialRunSetup setup,
         std::vector<NamedTensor> feeds, Hear hear, RunCallback at_end)
      : FetchListener::base(config), session_(std::move(session)), setup_(std::move(setup)),
        feeds_(std::move(feeds)), hear_(std::move(hear)), done_(std::move(at_end)) {}

  const char* name() const override { return "streamed-run"; }

  void on_exit() override {
    finish(absl::CancelledError("Run call was cancelled"), {});
    session_ = nullptr;
    hear_ = nullptr;
  }

  behavior_type make_behavior() override {
    // No timeouts: SESSION and PARTIAL RUN answer when the run ends, or they do.
    request(session_, caf::infinite, setup_)
        .then([this](const std::string&, const PartialRunActor& run) { take_turn(run); },
              [this](caf::error& error) { end(to_status(error)); });
    return {[this](const FetchReady& m) {
      if (hear_ == nullptr) return;
      (void)guarded("a listener to fetches", [&] {
        hear_(m.index, m.value);
        return absl::OkStatus();
      });
    }};
  }

 private:
  void take_turn(const PartialRunActor& run) {
    request(run, caf::infinite, PartialRunTurn{std::move(feeds_), setup_.fetches, FetchListener(this)})
        .then(
            [this](RunReply& reply) {
              finish(std::move(reply.fetches), reply.stats);
              quit();
            },
            [this](caf::error& error) { end(to_status(error)); });
  }

  void end(const absl::Status& status) {
    finish(status, {});
    quit();
  }

  void finish(absl::StatusOr<std::vector<Tensor>> fetches, const RunStats& stats) {
    const RunCallback tell = std::exchange(done_, nullptr);
    if (tell == nullptr) return;
    (void)guarded("the callback of a run", [&] {
      tell(std::move(fetches), stats);
      return absl::OkStatus();
    });
  }

  SessionActor session_;
  const PartialRunSetup setup_;
  std::vector<NamedTensor> feeds_;
  Hear hear_;
  /// Null once it has been called.
  RunCallback done_;
};

StreamedRun StreamedRun::begin(const SessionCore& core, std::vector<NamedTensor> feeds,
                               std::vector<std::string> fetches, std::vector<std::string> targets, Hear hear,
                               RunCallback done) {
  PartialRunSetup setup;
  for (const NamedTensor& f : feeds) setup.feeds.push_back(f.first);
  setup.fetches = std::move(fetches);
  setup.targets = std::move(targets);
  setup.lease = std::chrono::milliseconds(0);
  setup.ends_with_client = true;
  StreamedRun run;
  run.handle_ = std::make_shared<const Handle>(Handle{core.system->spawn<Teller, caf::hidden>(
      core.actor, std::move(setup), std::move(feeds), std::move(hear), std::move(done))});
  return run;
}

void StreamedRun::cancel() const {
  if (handle_ != nullptr) caf::anon_send_exit(handle_->actor, caf::exit_reason::user_shutdown);
}

}  // namespace troupe
