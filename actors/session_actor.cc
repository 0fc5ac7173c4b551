#include "actors/session_actor.h"

#include <caf/all.hpp>

#include <optional>

#include "actors/callable_devices.h"
#include "actors/errors.h"
#include "actors/partition_reports.h"
#include "actors/session_base.h"
#include "actors/signature_compiler.h"

namespace troupe {

namespace {

/// A SESSION whose graph is here.
class SessionImpl final : public SessionBase {
 public:
  SessionImpl(caf::actor_config& config, std::shared_ptr<SessionCore> core)
      : SessionBase(config, std::move(core)), graph_(std::in_place, core_, this),
        reports_(std::in_place, core_, &*graph_, this) {}

  void on_exit() override {
    shut("the session's actor has ended");
    end_runs(absl::CancelledError("the session's actor has ended"));
    graph_->clear();
    // They refer to this actor, and would keep it for ever.
    reports_.reset();
    graph_.reset();
    core_ = nullptr;
  }

 private:
  caf::result<Done> change(GraphChanges::Kind what) override {
    if (core_->closed()) return to_error(absl::CancelledError("Session has been closed."));
    if (!core_->cannot_begin.ok()) return to_error(core_->cannot_begin);
    auto promise = make_response_promise<Done>();
    graph_->add(std::move(what), promise);
    return promise;
  }

  void graph_changed(const GraphChanged& m) override { graph_->finish(m); }

  void compile(const LeaseRequest& sorted, const std::string& key) override {
    graph_->when_unchanging([this, sorted, key] {
      // Closing has answered whoever waited.
      if (!core_->closed()) compile_signature(core_, graph_->placed(), sorted, key, this);
    });
  }

  caf::result<CallableReply> prepare_callable(const CallableOptions& asked) override {
    if (auto s = check_callable_devices(asked, *core_->devices); !s.ok()) return to_error(s);
    LeaseRequest want{asked.feeds, asked.fetches, asked.targets, false, asked.tensor_connections};
    want.feed_devices = devices_with_own_memory(asked.feeds, asked.feed_devices);
    want.fetch_devices = devices_with_own_memory(asked.fetches, asked.fetch_devices);
    auto promise = make_response_promise<CallableReply>();
    lease_then(want, [core = core_, want, promise,
                      options = asked.run_options](absl::StatusOr<SlotReply> reply) mutable {
      if (!reply.ok()) {
        promise.deliver(to_error(reply.status()));
        return;
      }
      auto callable = std::make_shared<CallableCode>(reply->lease->kept_alias(), std::move(want), options);
      reply->lease->give_back();
      promise.deliver(CallableReply{core->add_callable(std::move(callable))});
    });
    return promise;
  }

  PartialRuns::Started set_up(const PartialRunSetup& m) override { return partial_runs().set_up(core_, m); }

  std::unique_ptr<PartialRuns> make_partial_runs() override {
    return std::make_unique<PartialRuns>(
        this, &core_->partial_runs, [this](const LeaseRequest& m, Leased then) { lease_then(m, std::move(then)); },
        [this](std::function<void(const std::shared_ptr<const Graph>&)> use) {
          graph_->when_unchanging([this, use = std::move(use)] { use(graph_->graph()); });
        });
  }

  void describe(const LeaseRequest& names, Described then) override {
    reports_->describe(names, std::move(then));
  }

  void described(const PartitionsDescribed& m) override { reports_->finish(m); }

  caf::result<ListDevicesReply> list_devices() override { return ListDevicesReply{core_->device_infos()}; }

  caf::result<Done> clear_containers(const std::vector<std::string>& containers) override {
    core_->devices->clear_containers(containers);
    if (core_->remote != nullptr) core_->remote->clear_containers(containers);
    return Done{};
  }

  caf::result<Done> close() override {
    shut("Session has been closed.");
    return Done{};
  }

  void shut(const std::string& why) {
    shut_runs(why);
    const absl::Status closed = absl::CancelledError("Session has been closed.");
    reports_->shut(closed);
    graph_->shut(closed);
  }

  // Empty once the actor has ended.
  std::optional<GraphChanges> graph_;
  std::optional<PartitionReports> reports_;
};

}  // namespace

SessionActor spawn_session(caf::actor_system& system, std::shared_ptr<SessionCore> core) {
  return system.spawn<SessionImpl, caf::hidden + caf::lazy_init>(std::move(core));
}

}  // namespace troupe
