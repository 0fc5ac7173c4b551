#include "actors/node/cluster_node.h"

#include <caf/all.hpp>
#include <caf/io/middleman.hpp>

#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/loopback.h"
#include "actors/node/cluster_tasks.h"
#include "actors/node/node_actor.h"
#include "actors/node/worker_actor.h"
#include "actors/runtime.h"
#include "actors/runtime_impl.h"
#include "actors/session.h"
#include "devices/cpu/cpu_device.h"
#include "devices/services.h"
#include "graph/status.h"
#include "proto/config.pb.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// How long ~ClusterNode waits for its actors.
constexpr std::chrono::seconds kStopPatience{5};
/// Between two questions to a task that is not there yet.
constexpr std::chrono::milliseconds kRetryAfter{50};

/// ConfigProto.isolate_session_state; a config that is none was refused when the options were made.
bool isolates(const SessionOptions& options) {
  tensorflow::ConfigProto config;
  return config.ParseFromString(options.config) && config.isolate_session_state();
}

/// A step that cannot send ends with the reason.
void fail_step(SessionCore& core, int64_t step, const absl::Status& why) {
  for (const auto& weak : core.slots()) {
    const auto slot = weak.lock();
    if (slot != nullptr && slot->life.cancel(step, why) != 0) caf::anon_send(slot->step, CancelStep{step});
  }
}

DeviceAttributes attributes_of(const tensorflow::DeviceAttributes& d) {
  DeviceAttributes a;
  a.name = d.name();
  a.type = d.device_type();
  a.memory_limit_bytes = d.memory_limit();
  a.incarnation = d.incarnation();
  a.physical_description = d.physical_device_desc();
  return a;
}

/// Answers to one question to several tasks, which their asker waits for.
class Answers {
 public:
  explicit Answers(size_t expected) : left_(expected) {}
  void add(const TaskId& task, absl::StatusOr<absl::Cord> answer) {
    std::lock_guard lock(mu_);
    answers_.insert_or_assign(task, std::move(answer));
    --left_;
    all_here_.notify_all();
  }
  /// Those that have come by then.
  std::map<TaskId, absl::StatusOr<absl::Cord>> wait(std::chrono::steady_clock::time_point until) {
    std::unique_lock lock(mu_);
    all_here_.wait_until(lock, until, [&] { return left_ == 0; });
    return answers_;
  }

 private:
  std::mutex mu_;
  std::condition_variable all_here_;
  // Guarded by mu_.
  size_t left_;
  std::map<TaskId, absl::StatusOr<absl::Cord>> answers_;
};

}  // namespace

/// Of a node that was given no runtime. The system goes last.
struct OwnRuntime {
  struct Config final : caf::actor_system_config {
    Config() {
      configure(*this);
      configure_network(*this);
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
  std::shared_ptr<StepDirectory> steps = std::make_shared<StepDirectory>();
  std::shared_ptr<DeviceSet> devices;
  caf::actor node;
  caf::actor worker;

  void stop();
  absl::StatusOr<std::shared_ptr<DeviceSet>> make_devices() const {
    SessionOptions want;
    want.device_count["CPU"] = options.num_cpus;
    want.intra_op_threads = options.intra_op_threads;
    return runtime->make_devices(want, options.task.to_string());
  }
  std::vector<TaskId> others() const {
    std::vector<TaskId> out = options.cluster.tasks();
    std::erase(out, options.task);
    return out;
  }

  struct Life {
    uint64_t incarnation = 0;
    std::vector<DeviceAttributes> devices;
  };
  /// Asks all of these; those that have answered by then.
  std::map<TaskId, absl::StatusOr<absl::Cord>> ask(const std::vector<TaskId>& tasks, Method method,
                                                   const absl::Cord& body,
                                                   std::chrono::steady_clock::time_point until) const {
    auto answers = std::make_shared<Answers>(tasks.size());
    for (const TaskId& t : tasks) {
      caf::anon_send(node, NodeCall{t, 0, method, body, [answers, t](absl::StatusOr<absl::Cord> answer) {
                                      answers->add(t, std::move(answer));
                                    }});
    }
    return answers->wait(until);
  }
  absl::StatusOr<std::map<TaskId, Life>> meet(std::chrono::steady_clock::time_point until) const;
  absl::Status create_on(const std::vector<TaskId>& tasks, uint64_t session, const SessionOptions& options,
                         std::chrono::steady_clock::time_point until) const;
};

/// The devices of all other tasks, when all are there.
absl::StatusOr<std::map<TaskId, ClusterNode::Impl::Life>> ClusterNode::Impl::meet(
    std::chrono::steady_clock::time_point until) const {
  std::map<TaskId, Life> lives;
  std::vector<TaskId> missing = others();
  std::string last_words;
  while (!missing.empty()) {
    for (const auto& [task, answer] : ask(missing, Method::kGetStatus, *pack(wire::Status()), until)) {
      wire::TaskStatus status;
      absl::Status good = answer.ok() ? unpack(*answer, &status) : answer.status();
      if (!good.ok()) {
        last_words = std::string(good.message());
        continue;
      }
      Life& life = lives[task];
      life.incarnation = status.incarnation();
      for (const auto& d : status.devices()) life.devices.push_back(attributes_of(d));
      std::erase(missing, task);
    }
    if (missing.empty()) break;
    if (std::chrono::steady_clock::now() + kRetryAfter >= until) {
      return absl::DeadlineExceededError(absl::StrCat(
          "the session waits for ",
          absl::StrJoin(missing, ", ", [](std::string* out, const TaskId& t) { *out += t.to_string(); }),
          last_words.empty() ? "" : absl::StrCat(" (", last_words, ")")));
    }
    std::this_thread::sleep_for(kRetryAfter);
  }
  return lives;
}

absl::Status ClusterNode::Impl::create_on(const std::vector<TaskId>& tasks, uint64_t session,
                                          const SessionOptions& want,
                                          std::chrono::steady_clock::time_point until) const {
  wire::CreateWorkerSession m;
  m.set_session(session);
  m.set_isolate(isolates(want));
  m.set_config(want.config);
  TROUPE_ASSIGN_OR_RETURN(const absl::Cord body, pack(m));
  const auto answers = ask(tasks, Method::kCreateWorkerSession, body, until);
  for (const TaskId& t : tasks) {
    const auto answer = answers.find(t);
    if (answer == answers.end())
      return absl::DeadlineExceededError(absl::StrCat(t.to_string(), " does not answer"));
    if (!answer->second.ok())
      return annotate(answer->second.status(), absl::StrCat(t.to_string(), " does not open the session: "));
  }
  return absl::OkStatus();
}

void configure_network(caf::actor_system_config& config) {
  config.load<caf::io::middleman>();
  // Ours read and write on the middleman's own thread; its helpers are for another protocol.
  config.set("middleman.workers", size_t{0});
}

ClusterNode::ClusterNode(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<ClusterNode>> ClusterNode::start(Runtime& runtime,
                                                                ClusterNodeOptions options) {
  TROUPE_ASSIGN_OR_RETURN(const TaskAddress address, options.cluster.address(options.task));
  if (!is_loopback(address.host)) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.task.to_string(), " is to listen on ", address.to_string(),
        ", but nodes are not authenticated yet: only loopback addresses (127.0.0.1) are served"));
  }
  auto impl = std::make_unique<Impl>();
  impl->runtime = &runtime;
  impl->options = std::move(options);
  impl->incarnation = new_incarnation();
  TROUPE_ASSIGN_OR_RETURN(impl->devices, impl->make_devices());
  NodeParts parts;
  parts.cluster = impl->options.cluster;
  parts.task = impl->options.task;
  parts.incarnation = impl->incarnation;
  parts.lease = impl->options.lease;
  parts.connect_patience = impl->options.connect_patience;
  parts.steps = impl->steps;
  parts.waiting = &runtime.impl().services->blocking;
  TROUPE_ASSIGN_OR_RETURN(const SpawnedNode spawned, spawn_node(runtime.system(), address, std::move(parts)));
  impl->node = spawned.actor;
  impl->port = spawned.port;
  WorkerParts worker;
  worker.task = impl->options.task;
  worker.incarnation = impl->incarnation;
  worker.runtime = runtime_actor(runtime);
  worker.node = impl->node;
  worker.steps = impl->steps;
  worker.devices = impl->devices;
  worker.own_devices = [impl = impl.get()] { return impl->make_devices(); };
  impl->worker = spawn_worker(runtime.system(), std::move(worker));
  set_worker(impl->node, impl->worker);
  return std::unique_ptr<ClusterNode>(new ClusterNode(std::move(impl)));
}

absl::StatusOr<std::unique_ptr<ClusterNode>> ClusterNode::start(const RuntimeOptions& runtime,
                                                                ClusterNodeOptions options) {
  auto own = std::make_unique<OwnRuntime>(runtime);
  TROUPE_ASSIGN_OR_RETURN(auto node, start(*own->runtime, std::move(options)));
  node->impl_->own = std::move(own);
  return node;
}

ClusterNode::~ClusterNode() { impl_->stop(); }

void ClusterNode::Impl::stop() {
  caf::scoped_actor self{runtime->system()};
  self->monitor(worker);
  self->monitor(node);
  caf::anon_send_exit(worker, caf::exit_reason::user_shutdown);
  caf::anon_send(node, NodeStop{});
  const auto until = std::chrono::steady_clock::now() + kStopPatience;
  bool late = false;
  for (int ended = 0; ended < 2 && !late;) {
    const auto left =
        std::max(until - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration(1));
    self->receive([&](const caf::down_msg&) { ++ended; }, caf::after(left) >> [&] { late = true; });
  }
  // They refer to the system, which may go with this.
  worker = node = nullptr;
}

uint16_t ClusterNode::port() const { return impl_->port; }

uint64_t ClusterNode::incarnation() const { return impl_->incarnation; }

absl::StatusOr<std::unique_ptr<Session>> ClusterNode::open_session(const SessionOptions& options) {
  const auto until = std::chrono::steady_clock::now() + impl_->options.open_patience;
  TROUPE_ASSIGN_OR_RETURN(auto lives, impl_->meet(until));
  const uint64_t key = new_incarnation();
  std::map<TaskId, uint64_t> incarnations;
  for (const auto& [task, life] : lives) incarnations[task] = life.incarnation;
  auto exchange = std::make_shared<NodeExchange>(impl_->node, impl_->options.task, key, impl_->steps);
  // First: when one task refuses the others are told with its end.
  auto tasks = std::make_shared<ClusterTasks>(impl_->node, key, std::move(incarnations), exchange);
  TROUPE_RETURN_IF_ERROR(impl_->create_on(impl_->others(), key, options, until));
  SessionOptions own = options;
  own.target.clear();
  // Here it has.
  std::erase_if(own.without_meaning,
                [](const std::string& text) { return text.starts_with("isolate_session_state"); });
  own.exchange = exchange;
  own.remote = std::move(tasks);
  std::shared_ptr<DeviceSet> local = impl_->devices;
  if (isolates(options)) {
    TROUPE_ASSIGN_OR_RETURN(local, impl_->make_devices());
  }
  own.devices = std::make_shared<DeviceSet>(impl_->runtime->impl().kernels);
  for (int i = 0; i < local->size(); ++i) own.devices->add(local->share(i), local->entries()[i].priority);
  for (auto& [task, life] : lives) {
    for (DeviceAttributes& d : life.devices) own.devices->add_elsewhere(std::move(d), kCpuPriority);
  }
  caf::actor_system& system = impl_->runtime->system();
  TROUPE_ASSIGN_OR_RETURN(const SessionActor actor,
                          ask<SessionActor>(system, runtime_actor(*impl_->runtime), OpenSession{own}));
  TROUPE_ASSIGN_OR_RETURN(const CoreReply reply, ask<CoreReply>(system, actor, CoreRequest{}));
  exchange->on_lost([core = std::weak_ptr<SessionCore>(reply.core)](int64_t step, const absl::Status& why) {
    if (const auto alive = core.lock()) fail_step(*alive, step, why);
  });
  return adopt_session(actor);
}

}  // namespace troupe
