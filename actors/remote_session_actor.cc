#include "actors/remote_session_actor.h"

#include <caf/all.hpp>

#include <list>
#include <numeric>
#include <variant>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/function_cache.h"
#include "actors/remote_graph.h"
#include "actors/remote_partial_run.h"
#include "actors/remote_step.h"
#include "actors/session_base.h"
#include "graph/thrown.h"

namespace troupe {
namespace {

std::vector<int> as_asked(size_t n) {
  std::vector<int> at(n);
  std::iota(at.begin(), at.end(), 0);
  return at;
}

absl::Status closed() { return absl::CancelledError("Session has been closed."); }

class RemoteSessionImpl final : public SessionBase {
 public:
  RemoteSessionImpl(caf::actor_config& config, std::shared_ptr<SessionCore> core)
      : SessionBase(config, std::move(core)), master_(core_->master),
        graph_(std::make_shared<RemoteGraph>(master_->target())) {}

  void on_exit() override {
    const absl::Status ended = absl::CancelledError("the session's actor has ended");
    shut("the session's actor has ended");
    end_runs(ended);
    // Nobody waits for it.
    if (!std::exchange(closing_, true))
      master_->close(core_->options->close_patience, [](const absl::Status&) {});
    fail_waiting(ended);
    core_ = nullptr;
  }

 private:
  absl::Status unimplemented(absl::string_view what) const {
    return absl::UnimplementedError(absl::StrCat(what, " is not part of a session at ", master_->target()));
  }

  // --- answers of the master ---

  /// What is to be given to the master to answer: `then` is called with the answer in a turn of this actor, or with why there is none
  /// when the session closes, or this actor ends, first.
  std::function<void(absl::Status)> when_done(std::function<void(const absl::Status&)> then) {
    auto tell = when_answered<Done>(
        [then = std::move(then)](const absl::StatusOr<Done>& answer) { then(answer.status()); });
    return [tell = std::move(tell)](const absl::Status& status) {
      if (status.ok()) return tell(Done{});
      tell(status);
    };
  }

  template <class T>
  RemoteMaster::Answer<T> when_answered(std::function<void(absl::StatusOr<T>)> then) {
    const int64_t number = next_++;
    waiting_[number] = [then](const absl::Status& status) { then(status); };
    return [this, me = SessionActor(this), number, then = std::move(then)](absl::StatusOr<T> answer) {
      auto kept = std::make_shared<absl::StatusOr<T>>(std::move(answer));
      auto turn = std::make_shared<std::function<void()>>([this, number, then, kept] {
        if (waiting_.erase(number) > 0) then(std::move(*kept));
      });
      caf::anon_send(me, MasterAnswered{std::move(turn)});
    };
  }

  void fail_waiting(const absl::Status& why) {
    for (auto& [number, fail] : std::exchange(waiting_, {})) fail(why);
  }

  // --- the graph ---

  struct Change {
    GraphChanges::Kind what;
    GraphChanges::Promise promise;
  };

  caf::result<Done> change(GraphChanges::Kind what) override {
    if (core_->closed()) return to_error(closed());
    if (std::holds_alternative<FinalizeRequest>(what)) return to_error(unimplemented("Finalizing"));
    auto promise = make_response_promise<Done>();
    changes_.push_back({std::move(what), promise});
    if (!changing_) begin_next_change();
    return promise;
  }

  void begin_next_change() {
    while (!changes_.empty() && !changing_) {
      absl::Status refused;
      if (core_->closed()) {
        refused = closed();
      } else if (core_->has_graph && std::holds_alternative<CreateGraph>(changes_.front().what)) {
        refused = absl::AlreadyExistsError("A Graph has already been created for this session.");
      }
      if (!refused.ok()) {
        changes_.front().promise.deliver(to_error(refused));
        changes_.pop_front();
        continue;
      }
      changing_ = true;
      send_graph(std::exchange(changes_.front().what, FinalizeRequest{}));
    }
  }

  /// Made into a message on the compile pool: it may be large. What the client lent is his again then.
  void send_graph(GraphChanges::Kind what) {
    auto tell = when_done([this](const absl::Status& status) { changed(status); });
    core_->compilers->run([graph = graph_, master = master_, is_first = !core_->has_graph.load(),
                           what = std::move(what), tell = std::move(tell)]() mutable {
      absl::StatusOr<tensorflow::GraphDef> def = absl::InternalError("not made");
      const absl::Status made = guarded("a graph for another machine", [&] {
        if (const auto* create = std::get_if<CreateGraph>(&what)) {
          def = graph->next(*create);
        } else {
          def = graph->next(std::get<ExtendGraph>(what));
        }
        return def.status();
      });
      what = FinalizeRequest{};
      if (!made.ok()) return tell(made);
      if (is_first) {
        master->create(*std::move(def), tell);
      } else {
        master->extend(*std::move(def), tell);
      }
    });
  }

  void changed(const absl::Status& status) {
    changing_ = false;
    GraphChanges::Promise promise = std::move(changes_.front().promise);
    changes_.pop_front();
    if (status.ok()) {
      graph_->sent();
      core_->has_graph = true;
      promise.deliver(Done{});
    } else {
      // Of a session that is closed it is of no interest, and may still be at work.
      if (!core_->closed()) graph_->refused();
      promise.deliver(to_error(status));
    }
    begin_next_change();
  }

  void graph_changed(const GraphChanged&) override {}

  // --- signatures, callables and partial runs ---

  void compile(const LeaseRequest& sorted, const std::string& key) override {
    using Result = absl::StatusOr<std::shared_ptr<Signature>>;
    auto result = std::make_shared<Result>(unimplemented("Debugging a run"));
    if (sorted.watches.empty()) {
      *result = std::make_shared<Signature>(
          make_remote_code(master_, sorted.feeds, sorted.fetches, sorted.targets));
    }
    compiled(CompileDone{key, std::move(result)});
  }

  caf::result<CallableReply> prepare_callable(const CallableOptions& options) override {
    if (core_->closed()) return to_error(closed());
    if (const absl::Status none = core_->check_graph(); !none.ok()) return to_error(none);
    auto promise = make_response_promise<CallableReply>();
    const RemoteFetches fetches(options.fetches);
    const CallableOptions there = with_full_names(options, fetches);
    master_->make_callable(
        there, when_answered<int64_t>([this, options, at = fetches.at, there,
                                       promise](absl::StatusOr<int64_t> callable) mutable {
          if (!callable.ok()) return (void)promise.deliver(to_error(callable.status()));
          LeaseRequest names{options.feeds, options.fetches, options.targets, false,
                             options.tensor_connections};
          promise.deliver(CallableReply{add_callable(*callable, there, std::move(at), std::move(names))});
        }));
    return promise;
  }

  /// `fetch_at`: which of the fetches there each of the client's is.
  CallableHandle add_callable(int64_t callable, const CallableOptions& there, std::vector<int> fetch_at,
                              LeaseRequest names) {
    auto alias = std::make_shared<SignatureAlias>();
    // It is not among the session's signatures, which end their slots: it ends its own.
    alias->signature = std::shared_ptr<Signature>(
        new Signature(make_remote_callable(master_, callable, there)), [](Signature* released) {
          released->slots.stop();
          delete released;
        });
    alias->feed_at = as_asked(there.feeds.size());
    alias->fetch_at = std::move(fetch_at);
    return core_->add_callable(
        std::make_shared<CallableCode>(std::move(alias), std::move(names), there.run_options));
  }

  PartialRuns::Started set_up(const PartialRunSetup& m) override {
    if (core_->closed()) return to_error(closed());
    if (const absl::Status none = core_->check_graph(); !none.ok()) return to_error(none);
    // The promise takes the sender with it.
    caf::actor_addr client;
    if (m.ends_with_client) client = caf::actor_cast<caf::actor_addr>(current_sender());
    auto promise = make_response_promise<std::string, PartialRunActor>();
    master_->set_up_partial_run(
        full_tensor_names(m.feeds), RemoteFetches(m.fetches).names, m.targets,
        when_answered<std::string>([this, m, client, promise](absl::StatusOr<std::string> handle) mutable {
          if (!handle.ok()) return (void)promise.deliver(to_error(handle.status()));
          const PartialRunActor actor = spawn_remote_partial_run(system(), {core_, m, *handle, client});
          // No thread of this process serves its step.
          partial_runs().add(*handle, {actor, std::make_shared<TurnUnit>(nullptr)});
          promise.deliver(*handle, actor);
        }));
    return promise;
  }

  /// It begins none itself.
  std::unique_ptr<PartialRuns> make_partial_runs() override {
    return std::make_unique<PartialRuns>(this, &core_->partial_runs, nullptr, nullptr);
  }

  // --- what else there is ---

  void describe(const LeaseRequest&, Described then) override {
    then(unimplemented("RunOptions.output_partition_graphs"));
  }
  void described(const PartitionsDescribed&) override {}

  caf::result<ListDevicesReply> list_devices() override {
    auto promise = make_response_promise<ListDevicesReply>();
    master_->list_devices(when_answered<std::vector<DeviceInfo>>(
        [promise](absl::StatusOr<std::vector<DeviceInfo>> devices) mutable {
          if (!devices.ok()) return (void)promise.deliver(to_error(devices.status()));
          promise.deliver(ListDevicesReply{*std::move(devices)});
        }));
    return promise;
  }

  caf::result<Done> clear_containers(const std::vector<std::string>&) override {
    return to_error(unimplemented("Clearing containers without ending sessions (reset does both)"));
  }

  caf::result<Done> close() override {
    shut("Session has been closed.");
    if (std::exchange(closing_, true)) return Done{};
    auto promise = make_response_promise<Done>();
    master_->close(core_->options->close_patience, when_done([promise](const absl::Status& status) mutable {
                     if (!status.ok()) return (void)promise.deliver(to_error(status));
                     promise.deliver(Done{});
                   }));
    return promise;
  }

  void shut(const std::string& why) {
    shut_runs(why);
    // A session that closes has its own answer from the master, which is asked for after this.
    if (!closing_) fail_waiting(closed());
  }

  const std::shared_ptr<RemoteMaster> master_;
  /// The compile pool's while a change is under way.
  const std::shared_ptr<RemoteGraph> graph_;
  /// The first is under way when `changing_`.
  std::list<Change> changes_;
  bool changing_ = false;
  /// The session there has been told to end.
  bool closing_ = false;
  /// Those for whom the master is asked.
  absl::flat_hash_map<int64_t, std::function<void(const absl::Status&)>> waiting_;
  int64_t next_ = 0;
};

}  // namespace

SessionActor spawn_remote_session(caf::actor_system& system, std::shared_ptr<SessionCore> core) {
  return system.spawn<RemoteSessionImpl, caf::hidden>(std::move(core));
}

SessionOptions options_of_client(const SessionOptions& options, std::shared_ptr<RemoteMaster> master) {
  SessionOptions out;
  out.operation_timeout = options.operation_timeout;
  out.max_signatures = options.max_signatures;
  out.close_patience = options.close_patience;
  out.master = std::move(master);
  return out;
}

}  // namespace troupe
