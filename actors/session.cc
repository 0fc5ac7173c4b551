#include "actors/session.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <future>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/errors.h"
#include "actors/run_metadata.h"
#include "actors/session_core.h"
#include "actors/signature_key.h"
#include "actors/step_lease.h"
#include "actors/turn_call.h"
#include "graph/ir/graph.h"
#include "graph/ir/graph_increment.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

/// How long ~Session waits for its actors to end.
constexpr std::chrono::milliseconds kEndPatience{1000};

/// A caller's object while actors look at it. No copy is needed, since the caller waits: until nobody refers to it any more,
/// which is later than the answer when SESSION dies first.
template <class T>
class Lent {
 public:
  Lent() = default;
  Lent(const Lent&) = delete;
  ~Lent() {
    if (returned_ != nullptr) returned_->get_future().wait();
  }

  /// Once.
  std::shared_ptr<const T> share(const T& value) {
    returned_ = std::make_shared<std::promise<void>>();
    return {&value, [returned = returned_](const T*) { returned->set_value(); }};
  }

 private:
  /// Null: nothing is lent.
  std::shared_ptr<std::promise<void>> returned_;
};

/// A graph for SESSION to look at: the caller's own, or a copy when he does not wait for the end.
std::shared_ptr<const tensorflow::GraphDef> share_for(const RunOptions& options,
                                                      const tensorflow::GraphDef& graph,
                                                      Lent<tensorflow::GraphDef>* lent) {
  if (options.timeout.count() > 0) return std::make_shared<const tensorflow::GraphDef>(graph);
  return lent->share(graph);
}

}  // namespace

struct Session::Impl {
  caf::actor_system* system = nullptr;
  std::shared_ptr<SessionCore> core;

  /// Asks the SESSION and waits.
  template <class Reply, class Message>
  absl::StatusOr<Reply> ask(Message message, const RunOptions& options = {}) {
    return troupe::ask<Reply>(*system, core->actor, std::move(message), options.timeout);
  }

  /// A slot of the signature that `want` names, which SESSION makes.
  absl::StatusOr<StepLease> lease_new(LeaseRequest want);
  /// After a run whose options ask for partition graphs.
  absl::Status add_graphs(LeaseRequest signature, RunStats* stats);
  /// Runs a signature; `feed(i)` is its feed number i.
  template <class Lease, class Feed>
  absl::Status run(const RunOptions& options, const Lease& lease, size_t num_feeds, const Feed& feed,
                   std::span<Tensor> fetches, RunStats* stats);
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

struct SessionAccess {
  static absl::StatusOr<std::unique_ptr<Session>> adopt(const SessionActor& actor) {
    if (!actor) return absl::InvalidArgumentError("There is no SESSION to adopt.");
    TROUPE_ASSIGN_OR_RETURN(CoreReply reply, ask<CoreReply>(actor.home_system(), actor, CoreRequest{}));
    auto impl = std::make_unique<Session::Impl>();
    impl->system = reply.core->system;
    impl->core = std::move(reply.core);
    return std::unique_ptr<Session>(new Session(std::move(impl)));
  }
  static SessionActor release(std::unique_ptr<Session> session) {
    const std::unique_ptr<Session::Impl> impl = std::move(session->impl_);
    return impl->core->actor;
  }
};

absl::StatusOr<std::unique_ptr<Session>> adopt_session(const SessionActor& actor) {
  return SessionAccess::adopt(actor);
}

SessionActor release_session(std::unique_ptr<Session> session) {
  return SessionAccess::release(std::move(session));
}

Session::~Session() {
  // Released.
  if (impl_ == nullptr) return;
  (void)close();
  const bool idle = wait_for_runs(*impl_->core, impl_->core->options->close_patience);
  if (SessionActor actor = impl_->core->actor) {
    const Asking asking;
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  }
  if (!idle) {
    // Threads are inside it still: it stays until the process ends.
    static std::mutex mu;
    static auto* const kept = new std::vector<std::unique_ptr<Impl>>;
    std::lock_guard lock(mu);
    kept->push_back(std::move(impl_));
    return;
  }
  // Kernels that clients brought are destroyed by clients' code, which expects that to be over when the session is.
  const std::shared_future<void> gone = impl_->core->when_gone;
  impl_ = nullptr;
  if (gone.wait_for(kEndPatience) == std::future_status::timeout)
    spdlog::warn("session: parts of it are still in use {} ms after its end", kEndPatience.count());
}

absl::Status Session::create(const tensorflow::GraphDef& graph, const RunOptions& options) {
  Lent<tensorflow::GraphDef> lent;
  return impl_->ask<Done>(CreateGraph{share_for(options, graph, &lent), nullptr}, options).status();
}

absl::Status Session::create(Graph graph, const RunOptions& options) {
  auto shared = std::make_shared<const Graph>(std::move(graph));
  return impl_->ask<Done>(CreateGraph{nullptr, std::move(shared)}, options).status();
}

absl::Status Session::extend(const tensorflow::GraphDef& graph, const RunOptions& options) {
  Lent<tensorflow::GraphDef> lent;
  return impl_->ask<Done>(ExtendGraph{share_for(options, graph, &lent), nullptr}, options).status();
}

absl::Status Session::finalize() { return impl_->ask<Done>(FinalizeRequest{}).status(); }

absl::StatusOr<StepLease> Session::Impl::lease_new(LeaseRequest want) {
  TROUPE_ASSIGN_OR_RETURN(SlotReply made, ask<SlotReply>(std::move(want)));
  return std::move(*made.lease);
}

absl::Status Session::Impl::add_graphs(LeaseRequest signature, RunStats* stats) {
  TROUPE_ASSIGN_OR_RETURN(PartitionGraphs partitions,
                          ask<PartitionGraphs>(PartitionGraphsRequest{std::move(signature)}));
  add_partition_graphs(partitions.graphs, &stats->metadata);
  return absl::OkStatus();
}

template <class Lease, class Feed>
absl::Status Session::Impl::run(const RunOptions& options, const Lease& lease_slot, size_t num_feeds,
                                const Feed& feed, std::span<Tensor> fetches, RunStats* stats) {
  const int64_t cancels = core->cancels();
  TROUPE_ASSIGN_OR_RETURN(const RunGate::Place place, core->enter_run(RunGate::stripe_of_thread()));
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<StepLease> leased = lease_slot();
    if (!leased.ok()) {
      core->meter->refused(leased.status());
      return leased.status();
    }
    StepLease lease = *std::move(leased);
    for (size_t i = 0; i < num_feeds; ++i) TROUPE_RETURN_IF_ERROR(lease.load(i, feed(i)));
    lease.run(options, cancels);
    bool false_start = false;
    absl::Status status = lease.take(fetches, stats, &false_start);
    if (!false_start || attempt == kMaxStarts) return status;
  }
}

absl::StatusOr<std::vector<Tensor>> Session::run(const std::vector<NamedTensor>& feeds,
                                                 const std::vector<std::string>& fetches,
                                                 const std::vector<std::string>& targets,
                                                 const RunOptions& options, RunStats* stats) {
  SessionCore& core = *impl_->core;
  auto lease = [&]() -> absl::StatusOr<StepLease> {
    if (!options.debug.watches.empty()) [[unlikely]] {
      LeaseRequest watched = signature_of(feeds, fetches, targets);
      watched.watches = options.debug.watches;
      return impl_->lease_new(std::move(watched));
    }
    if (auto alias = core.signatures.find(feeds, fetches, targets)) {
      if (auto slot = alias->signature->slots.take()) return StepLease(std::move(slot), std::move(alias));
      LeaseRequest want;
      want.alias = std::move(alias);
      return impl_->lease_new(std::move(want));
    }
    return impl_->lease_new(signature_of(feeds, fetches, targets));
  };
  std::vector<Tensor> fetched(fetches.size());
  RunStats own;
  if (stats == nullptr && options.output_partition_graphs) stats = &own;
  TROUPE_RETURN_IF_ERROR(impl_->run(
      options, lease, feeds.size(), [&](size_t i) -> const Tensor& { return feeds[i].second; }, fetched,
      stats));
  if (options.output_partition_graphs) {
    TROUPE_RETURN_IF_ERROR(impl_->add_graphs(signature_of(feeds, fetches, targets), stats));
  }
  return fetched;
}

AsyncRun Session::run_async(const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches,
                            const std::vector<std::string>& targets, const RunOptions& options,
                            RunCallback done) {
  return AsyncRun::begin(impl_->core, feeds, fetches, targets, options, std::move(done));
}

std::future<absl::StatusOr<std::vector<Tensor>>> Session::run_async(const std::vector<NamedTensor>& feeds,
                                                                    const std::vector<std::string>& fetches,
                                                                    const std::vector<std::string>& targets,
                                                                    const RunOptions& options) {
  auto promise = std::make_shared<std::promise<absl::StatusOr<std::vector<Tensor>>>>();
  auto future = promise->get_future();
  (void)run_async(feeds, fetches, targets, options,
                  [promise](absl::StatusOr<std::vector<Tensor>> fetched, const RunStats&) {
                    promise->set_value(std::move(fetched));
                  });
  return future;
}

AsyncRun Session::run_async(const CallableCode& callable, std::vector<Tensor> feeds, RunCallback done) {
  return AsyncRun::begin(impl_->core, callable, std::move(feeds), std::move(done));
}

StreamedRun Session::run_streamed(const std::vector<NamedTensor>& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets, StreamedRun::Hear hear,
                                  RunCallback done) {
  return StreamedRun::begin(*impl_->core, feeds, fetches, targets, std::move(hear), std::move(done));
}

absl::StatusOr<std::string> Session::partial_run_setup(const std::vector<std::string>& feeds,
                                                       const std::vector<std::string>& fetches,
                                                       const std::vector<std::string>& targets,
                                                       std::optional<std::chrono::milliseconds> lease) {
  return begin_partial_run(*impl_->core, PartialRunSetup{feeds, fetches, targets, lease});
}

absl::StatusOr<std::string> Session::partial_run_fork(const std::string& handle) {
  auto begun =
      ask_for<std::string, PartialRunActor>(*impl_->system, impl_->core->actor, ForkPartialRun{handle});
  if (!begun.ok()) return std::move(begun).status();
  return std::get<0>(*std::move(begun));
}

absl::StatusOr<std::vector<PartialRunReport>> Session::partial_runs() {
  TROUPE_ASSIGN_OR_RETURN(PartialRunList list, impl_->ask<PartialRunList>(ListPartialRuns{}));
  return std::move(list.runs);
}

absl::StatusOr<PartialRunReport> Session::inspect_partial_run(const std::string& handle) {
  return impl_->ask<PartialRunReport>(InspectPartialRun{handle});
}

absl::Status Session::cancel_partial_run(const std::string& handle, absl::string_view reason) {
  return impl_->ask<Done>(EndPartialRun{handle, std::string(reason)}).status();
}

absl::StatusOr<std::vector<Tensor>> Session::partial_run(const std::string& handle,
                                                         const std::vector<NamedTensor>& feeds,
                                                         const std::vector<std::string>& fetches) {
  TROUPE_ASSIGN_OR_RETURN(RunReply reply, take_turn(*impl_->core, handle, PartialRunTurn{feeds, fetches}));
  return std::move(reply.fetches);
}

absl::StatusOr<CallableHandle> Session::make_callable(const CallableOptions& options) {
  TROUPE_ASSIGN_OR_RETURN(CallableReply reply, impl_->ask<CallableReply>(MakeCallable{options}));
  return reply.handle;
}

absl::Status Session::run_callable(CallableHandle handle, std::span<const Tensor> feeds,
                                   std::span<Tensor> fetches, RunStats* stats) {
  TROUPE_ASSIGN_OR_RETURN(auto callable, pin_callable(handle));
  return run_callable(*callable, feeds, fetches, stats);
}

absl::StatusOr<std::shared_ptr<const CallableCode>> Session::pin_callable(CallableHandle handle) const {
  if (impl_->core->closed()) return absl::CancelledError("Session has been closed.");
  return impl_->core->callable(handle);
}

absl::Status Session::run_callable(const CallableCode& callable, std::span<const Tensor> feeds,
                                   std::span<Tensor> fetches, RunStats* stats) {
  TROUPE_RETURN_IF_ERROR(check_callable(callable, feeds.size()));
  const SignatureAlias& alias = *callable.alias;
  if (fetches.empty() && !alias.fetch_at.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("`fetch_tensors` must be provided: the callable has ", alias.fetch_at.size()));
  }
  if (fetches.size() != alias.fetch_at.size()) {
    return absl::InvalidArgumentError(absl::StrCat("Expected room for ", alias.fetch_at.size(),
                                                   " fetch tensors, but got ", fetches.size()));
  }
  auto lease = [&]() -> absl::StatusOr<StepLease> {
    if (auto slot = alias.signature->slots.take()) return StepLease(std::move(slot), &alias);
    LeaseRequest want;
    want.alias = callable.alias;
    return impl_->lease_new(std::move(want));
  };
  const RunOptions& options = callable.run_options;
  RunStats own;
  if (stats == nullptr && options.output_partition_graphs) stats = &own;
  TROUPE_RETURN_IF_ERROR(impl_->run(
      options, lease, feeds.size(), [&](size_t i) -> const Tensor& { return feeds[i]; }, fetches, stats));
  if (!options.output_partition_graphs) return absl::OkStatus();
  return impl_->add_graphs(callable.signature, stats);
}

absl::Status Session::release_callable(CallableHandle handle) {
  return impl_->core->release_callable(handle);
}

absl::Status Session::extend(Graph graph, const RunOptions& options) {
  auto shared = std::make_shared<const Graph>(std::move(graph));
  return impl_->ask<Done>(ExtendGraph{nullptr, std::move(shared)}, options).status();
}

absl::Status Session::extend(const GraphIncrement& increment) {
  Lent<GraphIncrement> lent;
  return impl_->ask<Done>(ExtendGraph{nullptr, nullptr, lent.share(increment)}).status();
}

absl::StatusOr<int> Session::cancel(absl::string_view reason) {
  TROUPE_ASSIGN_OR_RETURN(CancelReply reply, impl_->ask<CancelReply>(CancelRequest{0, std::string(reason)}));
  return reply.steps;
}

absl::Status Session::cancel_step(int64_t step_id, absl::string_view reason) {
  return impl_->ask<CancelReply>(CancelRequest{step_id, std::string(reason)}).status();
}

absl::Status Session::wait_idle(std::chrono::milliseconds timeout) {
  if (impl_->core->gate.wait_idle(timeout)) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat(impl_->core->gate.running(), " steps still run after ", timeout.count(), " ms"));
}

absl::StatusOr<std::vector<StepReport>> Session::inspect() {
  TROUPE_ASSIGN_OR_RETURN(InspectReply reply, impl_->ask<InspectReply>(InspectRequest{}));
  return std::move(reply.steps);
}

absl::StatusOr<StepSubscription> Session::subscribe(StepSubscription::Hear hear,
                                                    std::chrono::milliseconds slow_after) {
  return StepSubscription::begin(*impl_->core, std::move(hear), slow_after);
}

absl::StatusOr<std::vector<DeviceInfo>> Session::list_devices() {
  TROUPE_ASSIGN_OR_RETURN(ListDevicesReply reply, impl_->ask<ListDevicesReply>(ListDevicesRequest{}));
  return std::move(reply.devices);
}

SessionCounters Session::counters() const { return impl_->core->counters(); }

const DeviceSet& Session::local_devices() const { return *impl_->core->devices; }

absl::Status Session::close(const RunOptions& options) {
  auto reply = impl_->ask<Done>(CloseRequest{}, options);
  // Closing twice is no error, and a SESSION that is gone is closed.
  if (!reply.ok() && !absl::IsCancelled(reply.status()) && !absl::IsUnavailable(reply.status()))
    return reply.status();
  return absl::OkStatus();
}

absl::Status Session::clear_containers(const std::vector<std::string>& containers) {
  return impl_->ask<Done>(ClearContainers{containers}).status();
}

}  // namespace troupe
