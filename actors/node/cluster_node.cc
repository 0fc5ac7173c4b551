#include "actors/node/cluster_node.h"

#include <caf/all.hpp>
#include <caf/io/middleman.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/loopback.h"
#include "actors/node/clients_actor.h"
#include "actors/node/cluster_sessions.h"
#include "actors/node/messages.h"
#include "actors/node/node_actor.h"
#include "actors/node/node_staff.h"
#include "actors/node/worker_actor.h"
#include "actors/runtime.h"
#include "actors/runtime_impl.h"
#include "actors/session.h"
#include "actors/units/quiet_clock.h"
#include "actors/tls/tls_context.h"
#include "devices/cpu/cpu_device.h"
#include "devices/services.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// How long ~ClusterNode waits for its actors.
constexpr std::chrono::seconds kStopPatience{5};
/// Between two looks whether a draining node has sessions.
constexpr std::chrono::milliseconds kDrainPause{20};

}  // namespace

/// Of a node that was given no runtime. The system goes last.
struct OwnRuntime {
  struct Config final : caf::actor_system_config {
    Config() {
      configure(*this);
      configure_network(*this);
      use_quiet_clock(*this);
      set("scheduler.max-threads", size_t{2});
    }
  };
  explicit OwnRuntime(const RuntimeOptions& options) : runtime(Runtime::create(system, options)) {}
  Config config;
  caf::actor_system system{config};
  std::unique_ptr<Runtime> runtime;
};

struct ClusterNode::Impl {
  std::unique_ptr<OwnRuntime> own;
  Runtime* runtime = nullptr;
  ClusterNodeOptions options;
  uint64_t incarnation = 0;
  uint16_t port = 0;
  std::shared_ptr<NodeSendQueue> words = std::make_shared<NodeSendQueue>();
  std::shared_ptr<StepDirectory> steps = std::make_shared<StepDirectory>();
  std::shared_ptr<DeviceSet> devices;
  std::shared_ptr<ClusterView> cluster;
  /// Who leaves need not be told that it has left.
  std::atomic<bool> leaves = false;
  caf::actor node;
  caf::actor worker;
  caf::actor clients;
  std::shared_ptr<ClusterSessions> sessions;

  /// Another life of the task in the same runtime has another.
  std::string target() const { return absl::StrCat("cluster://", absl::Hex(incarnation, absl::kZeroPad16)); }
  absl::Status add_sessions();
  /// How many sessions of others there are, or are left.
  template <class Question>
  absl::StatusOr<size_t> ask_worker(Question question) const;
  void stop();
  absl::StatusOr<std::shared_ptr<DeviceSet>> make_devices() const {
    SessionOptions want;
    want.device_count["CPU"] = options.num_cpus;
    want.intra_op_threads = options.intra_op_threads;
    return runtime->make_devices(want, options.task.to_string());
  }
};

void ClusterNodeOptions::take_devices(const SessionOptions& config) {
  intra_op_threads = config.intra_op_threads;
  if (const auto cpus = config.device_count.find("CPU"); cpus != config.device_count.end())
    num_cpus = cpus->second;
}

void configure_network(caf::actor_system_config& config) {
  config.load<caf::io::middleman>();
  // Ours read and write on the middleman's own thread; its helpers are for another protocol.
  config.set("middleman.workers", size_t{0});
}

ClusterNode::ClusterNode(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<ClusterNode>> ClusterNode::start(Runtime& runtime,
                                                                ClusterNodeOptions options) {
  TROUPE_ASSIGN_OR_RETURN(TaskAddress address, options.cluster.address(options.task));
  TROUPE_RETURN_IF_ERROR(check_listening(address.host, options.tls.given(), options.insecure));
  TROUPE_ASSIGN_OR_RETURN(auto tls, TlsContext::load(options.tls, TlsUse::kBoth));
  auto impl = std::make_unique<Impl>();
  impl->runtime = &runtime;
  impl->options = std::move(options);
  impl->incarnation = new_incarnation();
  TROUPE_ASSIGN_OR_RETURN(impl->devices, impl->make_devices());
  NodeParts parts;
  impl->cluster = std::make_shared<ClusterView>(impl->options.cluster);
  parts.view = impl->cluster;
  parts.changes = impl->options.changes;
  if (impl->options.expelled) {
    parts.expelled = [impl = impl.get()](const absl::Status& why) {
      if (!impl->leaves) impl->options.expelled(why);
    };
  }
  parts.task = impl->options.task;
  parts.incarnation = impl->incarnation;
  parts.lease = impl->options.lease;
  parts.client_lease = impl->options.client_lease;
  parts.max_clients = impl->options.max_clients;
  parts.connect_patience = impl->options.connect_patience;
  parts.tls = std::move(tls);
  parts.memory = runtime.impl().host_memory.get();
  parts.limits.value_bytes = impl->options.max_message_bytes;
  parts.limits.open_bytes = 2 * parts.limits.value_bytes;
  parts.max_connections = impl->options.max_connections;
  parts.words = impl->words;
  parts.steps = impl->steps;
  parts.waiting = &runtime.impl().services->blocking;
  parts.listens = !impl->options.brought_port;
  parts.is_guest = impl->options.is_guest;
  if (impl->options.brought_port) address.port = *impl->options.brought_port;
  TROUPE_ASSIGN_OR_RETURN(const SpawnedNode spawned, spawn_node(runtime.system(), address, std::move(parts)));
  impl->node = spawned.actor;
  impl->port = spawned.port;
  WorkerParts worker;
  worker.task = impl->options.task;
  worker.incarnation = impl->incarnation;
  worker.runtime = runtime_actor(runtime);
  worker.node = impl->node;
  worker.words = impl->words;
  worker.steps = impl->steps;
  worker.devices = impl->devices;
  worker.own_devices = [impl = impl.get()] { return impl->make_devices(); };
  impl->worker = spawn_worker(runtime.system(), std::move(worker));
  impl->clients = spawn_clients(runtime.system(), {impl->options.task, runtime_actor(runtime), impl->target(),
                                                   impl->options.max_sessions_of_client});
  auto started = std::unique_ptr<ClusterNode>(new ClusterNode(std::move(impl)));
  TROUPE_RETURN_IF_ERROR(started->impl_->add_sessions());
  // Requests come from now on.
  set_worker(started->impl_->node, started->impl_->worker, started->impl_->clients);
  return started;
}

absl::StatusOr<std::unique_ptr<ClusterNode>> ClusterNode::start(const RuntimeOptions& runtime,
                                                                ClusterNodeOptions options) {
  auto own = std::make_unique<OwnRuntime>(runtime);
  TROUPE_ASSIGN_OR_RETURN(auto node, start(*own->runtime, std::move(options)));
  node->impl_->own = std::move(own);
  return node;
}

absl::Status ClusterNode::Impl::add_sessions() {
  ClusterSessionsParts parts;
  parts.runtime = runtime;
  parts.node = node;
  parts.cluster = cluster;
  parts.task = options.task;
  parts.words = words;
  parts.steps = steps;
  parts.devices = devices;
  parts.own_devices = [this] { return make_devices(); };
  parts.open_patience = options.open_patience;
  parts.target = target();
  sessions = std::make_shared<ClusterSessions>(std::move(parts));
  return runtime->session_factories().add(target(), sessions);
}

template <class Question>
absl::StatusOr<size_t> ClusterNode::Impl::ask_worker(Question question) const {
  caf::scoped_actor self{runtime->system()};
  absl::StatusOr<size_t> number = absl::UnavailableError("the worker has ended");
  self->request(worker, kStopPatience, question)
      .receive([&](const WorkerSessions& m) { number = m.number; },
               [&](const caf::error& error) { number = to_status(error); });
  return number;
}

void ClusterNode::adopt(int socket) {
  caf::anon_send(impl_->node, NodeArrived{std::make_shared<Socket>(socket)});
}

size_t ClusterNode::num_sessions() const {
  return impl_->ask_worker(WorkerCount{}).value_or(0) + impl_->sessions->num_open();
}

absl::Status ClusterNode::drain(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  impl_->sessions->drain();
  for (;;) {
    TROUPE_ASSIGN_OR_RETURN(const size_t of_others, impl_->ask_worker(WorkerDrain{}));
    const size_t own = impl_->sessions->num_open();
    if (of_others + own == 0) return absl::OkStatus();
    if (std::chrono::steady_clock::now() + kDrainPause > until) {
      return absl::DeadlineExceededError(absl::StrCat(impl_->options.task.to_string(), " drains: ", of_others,
                                                      " sessions of other tasks and ", own,
                                                      " of its own are open"));
    }
    std::this_thread::sleep_for(kDrainPause);
  }
}

ClusterSpec ClusterNode::cluster() const { return impl_->cluster->get(); }

absl::Status ClusterNode::leave() {
  impl_->leaves = true;
  return impl_->sessions->leave();
}

ClusterNode::~ClusterNode() { impl_->stop(); }

void ClusterNode::Impl::stop() {
  caf::scoped_actor self{runtime->system()};
  for (const caf::actor& a : {worker, clients, node}) self->monitor(a);
  for (const caf::actor& a : {worker, clients}) caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
  caf::anon_send(node, NodeStop{});
  runtime->session_factories().remove(target());
  sessions->stop();
  sessions = nullptr;
  const auto until = std::chrono::steady_clock::now() + kStopPatience;
  bool late = false;
  for (int ended = 0; ended < 3 && !late;) {
    const auto left =
        std::max(until - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration(1));
    self->receive([&](const caf::down_msg&) { ++ended; }, caf::after(left) >> [&] { late = true; });
  }
  // They refer to the system, which may go with this.
  worker = clients = node = nullptr;
}

uint16_t ClusterNode::port() const { return impl_->port; }

uint64_t ClusterNode::incarnation() const { return impl_->incarnation; }

Runtime& ClusterNode::runtime() const { return *impl_->runtime; }

std::string ClusterNode::target() const { return impl_->target(); }

absl::StatusOr<std::unique_ptr<Session>> ClusterNode::open_session(const SessionOptions& options) {
  return impl_->sessions->new_session(options);
}

}  // namespace troupe
