#include "actors/session.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/runtime.h"
#include "actors/session_actor.h"
#include "graph/ir/graph.h"
#include "proto/graph.pb.h"

namespace troupe {

struct Session::Impl {
  caf::actor_system* system = nullptr;
  std::shared_ptr<SessionCore> core;

  /// Asks the SESSION and waits. Answered on every path by an actor of this process: no timeout.
  template <class Reply, class Message>
  absl::StatusOr<Reply> ask(Message message) {
    SessionActor actor = core->actor;
    caf::scoped_actor self{*system};
    absl::StatusOr<Reply> result = absl::InternalError("no answer");
    self->request(actor, caf::infinite, std::move(message))
        .receive([&](Reply& reply) { result = std::move(reply); },
                 [&](caf::error& error) { result = to_status(error); });
    return result;
  }

  absl::StatusOr<std::shared_ptr<StepSlot>> lease(const std::string& key,
                                                  const std::vector<NamedTensor>& feeds,
                                                  const std::vector<std::string>& fetches,
                                                  const std::vector<std::string>& targets,
                                                  std::shared_ptr<const SignatureAlias>* alias);
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  return open(Runtime::process_default(), options);
}

absl::StatusOr<std::unique_ptr<Session>> Session::open(Runtime& runtime, const SessionOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->system = &runtime.system();
  caf::scoped_actor self{runtime.system()};
  absl::Status status = absl::InternalError("no answer");
  SessionActor actor;
  // The RUNTIME answers on every path: no timeout.
  self->request(runtime_actor(runtime), caf::infinite, OpenSession{options})
      .receive(
          [&](const SessionActor& a) {
            actor = a;
            status = absl::OkStatus();
          },
          [&](caf::error& error) { status = to_status(error); });
  TROUPE_RETURN_IF_ERROR(status);
  impl->core = core_of(runtime, actor);
  if (impl->core == nullptr) return absl::UnavailableError("the session ended before it was opened");
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

Session::~Session() {
  (void)close();
  impl_->core->wait_idle(std::chrono::hours(24));
  if (SessionActor actor = impl_->core->actor) {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }
}

absl::Status Session::create(const tensorflow::GraphDef& graph) {
  // The caller waits: no copy is needed.
  std::shared_ptr<const tensorflow::GraphDef> alias(std::shared_ptr<void>(), &graph);
  return impl_->ask<Done>(CreateGraph{alias, nullptr}).status();
}

absl::Status Session::create(Graph graph) {
  return impl_->ask<Done>(CreateGraph{nullptr, std::make_shared<const Graph>(std::move(graph))}).status();
}

absl::Status Session::extend(const tensorflow::GraphDef& graph) {
  std::shared_ptr<const tensorflow::GraphDef> alias(std::shared_ptr<void>(), &graph);
  return impl_->ask<Done>(ExtendGraph{alias}).status();
}

absl::StatusOr<std::shared_ptr<StepSlot>> Session::Impl::lease(const std::string& key,
                                                               const std::vector<NamedTensor>& feeds,
                                                               const std::vector<std::string>& fetches,
                                                               const std::vector<std::string>& targets,
                                                               std::shared_ptr<const SignatureAlias>* alias) {
  *alias = find_alias(*core, key);
  if (*alias != nullptr) {
    core->hits.fetch_add(1, std::memory_order_relaxed);
    if (auto slot = (*alias)->signature->acquire()) return slot;
  }
  LeaseRequest want;
  for (const auto& f : feeds) want.feeds.push_back(f.first);
  want.fetches = fetches;
  want.targets = targets;
  TROUPE_ASSIGN_OR_RETURN(SlotReply reply, ask<SlotReply>(std::move(want)));
  if (*alias == nullptr) *alias = find_alias(*core, key);
  if (*alias == nullptr) return absl::AbortedError("the signature was evicted before its first run");
  return reply.slot;
}

absl::StatusOr<std::vector<Tensor>> Session::run(const std::vector<NamedTensor>& feeds,
                                                 const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets,
                                                 const RunOptions& options, RunStats* stats) {
  SessionCore& core = *impl_->core;
  const int64_t cancels = core.cancels();
  TROUPE_RETURN_IF_ERROR(core.enter());
  struct Leave {
    SessionCore& core;
    ~Leave() { core.leave(); }
  } leave{core};
  if (!core.has_graph.load(std::memory_order_acquire)) {
    return absl::InvalidArgumentError("Session was not created with a graph before Run()!");
  }
  core.runs.fetch_add(1, std::memory_order_relaxed);
  static thread_local std::string key;
  key.clear();
  append_signature_key(feeds, fetches, targets, &key);
  std::shared_ptr<const SignatureAlias> alias;
  for (int attempt = 1;; ++attempt) {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<StepSlot> slot,
                            impl_->lease(key, feeds, fetches, targets, &alias));
    auto fetched = run_slot(core, *alias, slot, feeds, options, cancels, stats);
    if (fetched.ok() || !slot->false_start || attempt == kMaxStarts) return fetched;
  }
}

absl::StatusOr<int> Session::cancel(absl::string_view reason) {
  TROUPE_ASSIGN_OR_RETURN(CancelReply reply, impl_->ask<CancelReply>(CancelRequest{0, std::string(reason)}));
  return reply.steps;
}

absl::Status Session::cancel_step(int64_t step_id, absl::string_view reason) {
  return impl_->ask<CancelReply>(CancelRequest{step_id, std::string(reason)}).status();
}

absl::Status Session::wait_idle(std::chrono::milliseconds timeout) {
  if (impl_->core->wait_idle(timeout)) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat(impl_->core->running.load(), " steps still run after ", timeout.count(), " ms"));
}

absl::StatusOr<std::vector<StepReport>> Session::inspect() {
  TROUPE_ASSIGN_OR_RETURN(InspectReply reply, impl_->ask<InspectReply>(InspectRequest{}));
  return std::move(reply.steps);
}

absl::StatusOr<std::vector<DeviceInfo>> Session::list_devices() {
  TROUPE_ASSIGN_OR_RETURN(ListDevicesReply reply, impl_->ask<ListDevicesReply>(ListDevicesRequest{}));
  return std::move(reply.devices);
}

SessionCounters Session::counters() const {
  const SessionCore& core = *impl_->core;
  SessionCounters c;
  c.runs = core.runs;
  c.signatures = static_cast<int64_t>(core.signatures()->size());
  c.signature_hits = core.hits;
  c.signature_misses = core.misses;
  c.evictions = core.evictions;
  c.running_steps = core.running;
  return c;
}

absl::Status Session::close() {
  auto reply = impl_->ask<Done>(CloseRequest{});
  // Closing twice is no error, and a SESSION that is gone is closed.
  if (!reply.ok() && !absl::IsCancelled(reply.status()) && !absl::IsUnavailable(reply.status()))
    return reply.status();
  return absl::OkStatus();
}

absl::Status Session::clear_containers(const std::vector<std::string>& containers) {
  return impl_->ask<Done>(ClearContainers{containers}).status();
}

}  // namespace troupe
