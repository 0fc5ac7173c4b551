#include "actors/runtime.h"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/actor_session_factory.h"
#include "actors/builtin_debugger.h"
#include "actors/environment.h"
#include "actors/log_memory.h"
#include "actors/message_types.h"
#include "actors/runtime_impl.h"
#include "actors/session_actor.h"
#include "actors/slot_calls.h"
#include "actors/units/quiet_clock.h"
#include "actors/units/thread_urgency.h"
#include "actors/end_idle_slots.h"
#include "devices/memory/host_allocator.h"
#include "devices/services.h"

namespace troupe {
namespace {

/// How long shutdown waits for steps to notice that they are cancelled before it says what is stuck.
constexpr std::chrono::seconds kShutdownPatience{10};
/// Threads that control actors need when a runtime has an actor system of its own: one to decide, one to compile.
constexpr size_t kControlThreads = 2;

/// More than any machine has cores: what bounds the threads, and the pools, that wishes of sessions can make.
constexpr int kMaxIntraOpThreads = 1024;

constexpr char kLocalTask[] = "/job:localhost/replica:0/task:0";

std::shared_ptr<Services> make_services(const RuntimeOptions& options) {
  const int threads = options.waiting_threads > 0 ? options.waiting_threads : BlockingPool::kMaxThreads;
  return std::make_shared<Services>(threads);
}

/// The threads of a system of control actors: a cancel that wakes one goes before a step's turn.
struct ShortTurns final : caf::thread_hook {
  void init(caf::actor_system&) override {}
  void thread_started() override { take_short_turns(); }
  void thread_terminates() override {}
};

/// An actor system of a runtime's own: nobody else's actors are in it.
struct OwnSystem {
  struct Config final : caf::actor_system_config {
    Config() {
      configure(*this);
      use_quiet_clock(*this);
      set("scheduler.max-threads", kControlThreads);
      add_thread_hook<ShortTurns>();
    }
  };
  Config config;
  caf::actor_system system{config};
};

template <class T>
void set_unless_set(caf::actor_system_config& config, const char* name, T value) {
  if (caf::get_if(&config.content, name) == nullptr) config.set(name, value);
}

absl::Status has_stopped() {
  return absl::FailedPreconditionError("The runtime has been shut down: it opens no sessions.");
}

/// Whether all of these actors have ended before the deadline.
bool await_ends(caf::actor_system& system, const std::vector<caf::actor>& actors,
                std::chrono::steady_clock::time_point deadline) {
  caf::scoped_actor self{system};
  for (const caf::actor& a : actors) self->monitor(a);
  bool late = false;
  for (size_t ended = 0; ended < actors.size() && !late;) {
    auto left = std::max(deadline - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration(1));
    self->receive([&](const caf::down_msg&) { ++ended; }, caf::after(left) >> [&] { late = true; });
  }
  return !late;
}

}  // namespace

void configure(caf::actor_system_config& config) {
  // Sharing wakes a sleeping worker in 10 us where stealing polls for 60; the bound on messages per turn keeps actors
  // that message themselves from starving the rest.
  set_unless_set(config, "scheduler.policy", caf::atom("sharing"));
  set_unless_set(config, "scheduler.max-throughput", size_t{200});
  add_message_types(config);
}

std::shared_ptr<NamedPool> Runtime::Impl::session_pool(int num_threads) {
  Pools unused;  // destroyed outside the lock
  Pools fresh{std::make_shared<NamedPool>(system, "session", num_threads)};
  const auto place = fresh.begin();
  {
    std::lock_guard lock(mu_);
    unused.swap(retired_pools_);
    session_pools_.splice(session_pools_.end(), fresh);
  }
  return {place->get(), [impl = shared_from_this(), place](NamedPool* pool) {
            pool->retire();
            std::lock_guard lock(impl->mu_);
            impl->retired_pools_.splice(impl->retired_pools_.end(), impl->session_pools_, place);
          }};
}

absl::StatusOr<std::shared_ptr<NamedPool>> Runtime::Impl::named_pool(const InterOpPoolOptions& want) {
  if (want.num_threads < 0) {
    return absl::InvalidArgumentError(absl::StrCat("SessionOptions.inter_op_pools: ", want.num_threads,
                                                   " is no number of threads for the pool '",
                                                   want.global_name, "'; 0: as many as cores"));
  }
  if (want.global_name.empty()) return session_pool(want.num_threads);
  std::lock_guard lock(mu_);
  auto [it, added] = pools_.try_emplace(want.global_name);
  if (added) {
    it->second = {want.num_threads, std::make_shared<NamedPool>(system, want.global_name, want.num_threads)};
  } else if (it->second.first != want.num_threads) {
    return absl::InvalidArgumentError(
        absl::StrCat("Pool ", want.global_name, " configured previously with num_threads=", it->second.first,
                     "; cannot re-configure with num_threads=", want.num_threads));
  }
  return it->second.second;
}

ParallelRunner* Runtime::Impl::intra_op_pool(int num_threads) {
  if (num_threads <= 0 || num_threads == intra_op->num_threads()) return intra_op.get();
  num_threads = std::min(num_threads, kMaxIntraOpThreads);
  std::lock_guard lock(mu_);
  std::unique_ptr<IntraOpPool>& pool = intra_op_pools_[num_threads];
  if (pool == nullptr) pool = std::make_unique<IntraOpPool>(num_threads);
  return pool.get();
}

std::shared_ptr<Services> Runtime::Impl::io_services(int num_threads) {
  if (num_threads <= 0) return services;
  num_threads = std::min(num_threads, BlockingPool::kMaxThreads);
  std::lock_guard lock(mu_);
  std::shared_ptr<Services>& own = io_services_[num_threads];
  if (own == nullptr) own = std::make_shared<Services>(num_threads);
  return own;
}

std::shared_ptr<const SessionOptions> Runtime::Impl::share(SessionOptions want) {
  if (want.inter_op_threads == 0 && options.inter_op_threads < 0 && !want.use_per_session_threads &&
      want.inter_op_pools.empty()) {
    want.inter_op_threads = options.inter_op_threads;
  }
  // Before the lock, so that options that nobody else has any more go after it.
  std::shared_ptr<const SessionOptions> last;
  std::lock_guard lock(mu_);
  last = last_options_.lock();
  if (last != nullptr && *last == want) return last;
  // Not in one block with its counts: the weak reference would keep its memory.
  std::shared_ptr<const SessionOptions> own(new SessionOptions(std::move(want)));
  last_options_ = own;
  return own;
}

absl::StatusOr<std::shared_ptr<SessionCore>> Runtime::Impl::make_core(const SessionOptions& want) {
  // Not in one block with its counts: those who refer to it weakly would keep its memory.
  std::shared_ptr<SessionCore> core(new SessionCore, [impl = shared_from_this()](SessionCore* gone) mutable {
    // Weak references keep this function, and the runtime has some (IdleSlots): the function must not keep the runtime.
    const std::shared_ptr<Impl> parts = std::move(impl);
    parts->sessions_.remove(*gone);
    delete gone;
  });
  core->runtime_parts = shared_from_this();
  core->id = next_session_.fetch_add(1, std::memory_order_relaxed);
  core->compilers = compilers;
  core->system = system;
  core->options = share(want);
  if (want.has_metadata) {
    core->metadata =
        std::make_unique<const SessionMetadata>(SessionMetadata{want.metadata_name, want.metadata_version});
  }
  core->memory_log = memory_log_of_environment();
  core->sync_on_finish = sync_on_finish;
  core->ops = ops;
  core->meter = meter;
  core->slot_counts.of_runtime = live_slots;
  core->idle_slots = idle_slots.get();
  core->functions = std::make_shared<FunctionCache>();
  core->make_calls = [](StepSlot* slot) -> std::shared_ptr<StepCalls> {
    return std::make_shared<SlotCalls>(slot);
  };
  core->services = io_services(want.io_threads);
  core->debugger = debugger;
  core->evaluator = std::make_unique<FoldingEvaluator>(kernels, &core->closing, folding_device);
  core->find_device_actor = [this](const Device& d) { return device(d); };
  core->devices = want.devices;
  core->exchange = want.exchange;
  core->remote = want.remote;
  core->master = want.master;
  if (core->devices == nullptr) {
    TROUPE_ASSIGN_OR_RETURN(core->devices, make_devices(want, kLocalTask));
  }
  // As TensorFlow's: the session opens, and says so when it is to have a graph.
  core->cannot_begin = add_pools(core.get());
  if (!core->cannot_begin.ok()) core->pools = {default_pool};
  return core;
}

absl::Status Runtime::Impl::add_pools(SessionCore* core) {
  const SessionOptions& want = *core->options;
  for (const InterOpPoolOptions& p : want.inter_op_pools) {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<NamedPool> pool, named_pool(p));
    core->pools.push_back(std::move(pool));
  }
  if (!core->pools.empty()) return absl::OkStatus();
  const bool own = want.use_per_session_threads || want.inter_op_threads > 0;
  core->pools.push_back(own ? session_pool(std::max(0, want.inter_op_threads)) : default_pool);
  return absl::OkStatus();
}

std::vector<std::shared_ptr<SessionCore>> Runtime::Impl::live_sessions() const {
  std::vector<std::shared_ptr<SessionCore>> out = known_sessions();
  std::erase_if(out, [](const auto& core) { return core->closed(); });
  return out;
}

std::vector<PoolStatus> Runtime::Impl::pool_statuses() {
  std::vector<std::shared_ptr<NamedPool>> all{default_pool, compilers};
  {
    std::lock_guard lock(mu_);
    for (const auto& [name, pool] : pools_) all.push_back(pool.second);
    all.insert(all.end(), session_pools_.begin(), session_pools_.end());
  }
  std::vector<PoolStatus> out;
  for (const auto& p : all) {
    const NamedPool::Load l = p->load();
    out.push_back(
        {p->name(), p->num_threads(), l.threads, l.busy, l.turns_waiting, l.kernels_waiting, l.kernels_run});
  }
  PoolStatus waiting;
  waiting.name = "waiting";
  waiting.max_threads = options.waiting_threads > 0 ? options.waiting_threads : BlockingPool::kMaxThreads;
  waiting.threads = services->blocking.num_threads();
  out.push_back(std::move(waiting));
  return out;
}

absl::Status Runtime::Impl::check_running() const {
  std::lock_guard lock(mu_);
  return stopped_ ? has_stopped() : absl::OkStatus();
}

absl::Status Runtime::Impl::add_session(const std::shared_ptr<SessionCore>& core) {
  std::lock_guard lock(mu_);
  if (stopped_) return has_stopped();
  sessions_.add(core);
  return absl::OkStatus();
}

Runtime::Runtime(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

std::unique_ptr<Runtime> Runtime::create(const RuntimeOptions& options) {
  auto own = std::make_shared<OwnSystem>();
  auto runtime = create(own->system, options);
  runtime->own_system_ = std::move(own);
  return runtime;
}

std::unique_ptr<Runtime> Runtime::create(caf::actor_system& system, const RuntimeOptions& options) {
  auto impl = std::make_shared<Impl>();
  const Environment environment = Environment::read();
  quiet_log(environment);
  impl->options = options;
  if (options.inter_op_threads == 0) impl->options.inter_op_threads = environment.inter_op_threads;
  if (options.intra_op_threads == 0) impl->options.intra_op_threads = environment.intra_op_threads;
  impl->sync_on_finish = environment.sync_on_finish;
  impl->system = &system;
  impl->ops = options.ops != nullptr ? options.ops : &builtin_ops();
  impl->use_kernels(options.kernels);
  // The application's is not ours to delete.
  if (options.host_memory != nullptr) {
    impl->host_memory = std::shared_ptr<Allocator>(std::shared_ptr<void>(), options.host_memory);
  } else {
    impl->host_memory = make_host_allocator();
  }
  impl->debugger = options.debugger != nullptr ? options.debugger : make_debugger(system);
  impl->intra_op = std::make_unique<IntraOpPool>(impl->options.intra_op_threads);
  impl->services = make_services(options);
  impl->default_pool =
      std::make_shared<NamedPool>(&system, "default", std::max(0, impl->options.inter_op_threads));
  impl->default_pool->welcome_hands();
  impl->compilers =
      std::make_shared<NamedPool>(&system, "compile", options.compile_threads, NamedPool::Urgency::kLabour);
  impl->actor = spawn_runtime(system, impl);
  impl->idle_slots = std::make_unique<IdleSlots>(impl->actor, end_idle_slots);
  impl->direct_sessions = make_direct_session_factory(impl->actor);
  // The first: nobody has its name.
  (void)impl->factories.add(kDirectSession, impl->direct_sessions);
  return std::unique_ptr<Runtime>(new Runtime(std::move(impl)));
}

Runtime& Runtime::process_default() {
  // Never destroyed: sessions in static objects may still use it at exit.
  static Runtime* runtime = create().release();
  return *runtime;
}

caf::actor_system& Runtime::system() { return *impl_->system; }

SessionFactories& Runtime::session_factories() { return impl_->factories; }

absl::StatusOr<std::shared_ptr<DeviceSet>> Runtime::make_devices(const SessionOptions& want,
                                                                 const std::string& task) {
  return impl_->make_devices(want, task);
}

RuntimeActor runtime_actor(Runtime& runtime) { return runtime.impl().actor; }

void Runtime::shutdown() {
  {
    std::lock_guard lock(impl_->mu_);
    if (std::exchange(impl_->stopped_, true)) return;
  }
  const std::vector<SessionActor> sessions = impl_->end_sessions();
  // The actors of steps end on the pools: these must stay until the last one is gone.
  impl_->wait_for_slots();
  impl_->end_actors(sessions);
  // An actor that has let go of its slot may still be ending on a pool's thread: the threads go before the system.
  impl_->stop_pools();
}

std::vector<SessionActor> Runtime::Impl::end_sessions() {
  const std::vector<std::shared_ptr<SessionCore>> sessions = known_sessions();
  std::vector<SessionActor> actors;
  for (const auto& core : sessions) {
    // What is compiled ends without waiting for SESSION's turn.
    core->closing.cancel(absl::CancelledError("Session has been closed."));
    if (!core->actor) continue;
    caf::anon_send_exit(core->actor, caf::exit_reason::user_shutdown);
    actors.push_back(core->actor);
  }
  auto deadline = std::chrono::steady_clock::now() + kShutdownPatience;
  for (const auto& core : sessions) {
    const auto left = deadline - std::chrono::steady_clock::now();
    wait_for_runs(*core, std::max(std::chrono::milliseconds(0),
                                  std::chrono::duration_cast<std::chrono::milliseconds>(left)));
  }
  return actors;
}

void Runtime::Impl::wait_for_slots() const {
  auto deadline = std::chrono::steady_clock::now() + kShutdownPatience;
  while (live_slots->load(std::memory_order_acquire) > 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (int64_t stuck = live_slots->load(); stuck > 0) {
    spdlog::error("runtime: {} steps did not end within {} s", stuck, kShutdownPatience.count());
  }
}

void Runtime::Impl::end_actors(const std::vector<SessionActor>& sessions) {
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  std::vector<caf::actor> all{caf::actor_cast<caf::actor>(actor)};
  for (const SessionActor& s : sessions) all.push_back(caf::actor_cast<caf::actor>(s));
  if (!await_ends(*system, all, std::chrono::steady_clock::now() + kShutdownPatience)) {
    // They share what they use; only an actor system that ends before them would hurt them.
    spdlog::error("runtime: its actors did not end within {} s", kShutdownPatience.count());
  }
}

void Runtime::Impl::stop_services(Services& those) {
  those.timer.stop();
  if (!those.blocking.stop(kShutdownPatience)) {
    spdlog::error("runtime: datasets did not end within {} s", kShutdownPatience.count());
  }
}

void Runtime::Impl::stop_pools() {
  stop_services(*services);
  for (const auto& [threads, own] : io_services_) stop_services(*own);
  compilers->stop();
  default_pool->stop();
  // Not with the lock held: a session may end on one of these threads or with a DEVICE, and let go of its pool.
  Pools all;
  std::map<std::string, DeviceActor> devices;
  {
    std::lock_guard lock(mu_);
    devices.swap(devices_);
    all = session_pools_;
    all.insert(all.end(), retired_pools_.begin(), retired_pools_.end());
    for (const auto& [name, pool] : pools_) all.push_back(pool.second);
  }
  for (const auto& p : all) p->stop();
  for (const auto& [name, d] : devices) caf::anon_send_exit(d, caf::exit_reason::user_shutdown);
}

Runtime::~Runtime() { shutdown(); }

}  // namespace troupe
