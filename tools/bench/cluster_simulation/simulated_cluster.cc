#include "tools/bench/cluster_simulation/simulated_cluster.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "absl/strings/str_cat.h"
#include "actors/ask.h"
#include "actors/node/worker_actor.h"
#include "actors/runtime_impl.h"

namespace troupe::simulation {
namespace {

/// As ClusterSessions waits between two questions to tasks that are not there.
constexpr Nanos kRetryAfter = 50 * kMilli;

HandScheduler& scheduler_of(caf::actor_system& system) {
  return dynamic_cast<HandScheduler&>(system.scheduler());
}

/// Whether a thread of this process waits for something.
bool is_asleep(pid_t thread) {
  const std::string path = absl::StrCat("/proc/self/task/", thread, "/stat");
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return false;
  char line[256] = {};
  const size_t size = std::fread(line, 1, sizeof(line) - 1, file);
  std::fclose(file);
  line[size] = 0;
  // The name of the program may have parentheses of its own.
  const char* const name_end = std::strrchr(line, ')');
  return name_end != nullptr && name_end[1] != 0 && name_end[2] == 'S';
}

}  // namespace

SimulatedCluster::Config::Config() {
  load<HandScheduler>();
  configure(*this);
}

TaskId SimulatedCluster::task_of(int host) {
  return host == kMaster ? TaskId{"master", 0} : TaskId{"worker", host - 1};
}

SimulatedCluster::SimulatedCluster(int workers, const NetworkModel& model)
    : fabric_{VirtualNetwork(model, [this] { settle(); }), {}, 2 * kSecond, {}, {}, 0} {
  RuntimeOptions options;
  options.inter_op_threads = 1;
  options.intra_op_threads = 1;
  runtime_ = Runtime::create(system_, options);
  Runtime::Impl& impl = runtime_->impl();
  impl.default_pool->stop();
  impl.default_pool = std::make_shared<NamedPool>(&system_, "by hand", NamedPool::kByHand);
  // What comes then goes to the scheduler.
  impl.compilers->stop();
  tasks_.resize(static_cast<size_t>(workers) + 1);
  fabric_.nodes.resize(tasks_.size());
  for (int host = 0; host <= workers; ++host) {
    const TaskId task = task_of(host);
    fabric_.net.add_host();
    fabric_.hosts[task] = host;
    const absl::Status added = spec_.add(task, absl::StrCat("h", host, ":1"));
    if (!added.ok()) throw std::runtime_error(added.ToString());
  }
  for (int host = 0; host <= workers; ++host) start(host);
  open_master();
}

void SimulatedCluster::open_master() {
  ClusterSessionsParts parts;
  parts.runtime = runtime_.get();
  parts.node = tasks_[kMaster].node_actor;
  parts.cluster = std::make_shared<ClusterView>(spec_);
  parts.task = task_of(kMaster);
  parts.words = tasks_[kMaster].words;
  parts.steps = tasks_[kMaster].steps;
  parts.devices = tasks_[kMaster].devices;
  parts.own_devices = [this] { return runtime_->make_devices({}, task_of(kMaster).to_string()); };
  // Of the machine's clock: a guard alone.
  parts.open_patience = std::chrono::minutes(30);
  sessions_ = std::make_shared<ClusterSessions>(std::move(parts));
}

SimulatedCluster::~SimulatedCluster() {
  for (size_t host = 0; host < tasks_.size(); ++host) {
    if (tasks_[host].node) end(static_cast<int>(host), caf::exit_reason::user_shutdown);
  }
  sessions_->stop();
  sessions_ = nullptr;
  caf::anon_send_exit(runtime_->impl().actor, caf::exit_reason::user_shutdown);
  for (const auto& [name, device] : runtime_->impl().devices())
    caf::anon_send_exit(device, caf::exit_reason::user_shutdown);
  settle();
  runtime_ = nullptr;
}

void SimulatedCluster::settle() {
  HandScheduler& scheduler = scheduler_of(system_);
  NamedPool& pool = *runtime_->impl().default_pool;
  while (scheduler.run_one() || pool.run_next_kernel()) {
  }
}

// --- tasks ---

void SimulatedCluster::start(int host) {
  Task& task = tasks_[host];
  const TaskId id = task_of(host);
  task.incarnation = ++last_incarnation_;
  task.words = std::make_shared<NodeSendQueue>();
  task.steps = std::make_shared<StepDirectory>();
  auto devices = runtime_->make_devices({}, id.to_string());
  if (!devices.ok()) throw std::runtime_error(devices.status().ToString());
  task.devices = *std::move(devices);
  task.node =
      std::make_shared<ModelledNode>(&fabric_, host, PeerId{id, task.incarnation}, task.words, task.steps);
  task.node_actor = spawn_modelled_node(system_, task.node);
  WorkerParts parts;
  parts.task = id;
  parts.incarnation = task.incarnation;
  parts.runtime = runtime_actor(*runtime_);
  parts.node = task.node_actor;
  parts.words = task.words;
  parts.steps = task.steps;
  parts.devices = task.devices;
  parts.own_devices = [this, id] { return runtime_->make_devices({}, id.to_string()); };
  task.worker = spawn_worker(system_, std::move(parts));
  task.node->begin(task.node_actor, {task.worker, nullptr});
  fabric_.net.join(host);
  settle();
}

void SimulatedCluster::end(int host, caf::exit_reason why) {
  Task& task = tasks_[host];
  task.node->end();
  caf::anon_send_exit(task.worker, why);
  settle();
  caf::anon_send_exit(task.node_actor, why);
  settle();
  task = {};
}

void SimulatedCluster::fail(int host, bool with_machine) {
  const auto connections = tasks_[host].node->connections();
  if (with_machine) fabric_.net.cut(host);
  end(host, caf::exit_reason::user_shutdown);
  if (with_machine) return;
  VirtualNetwork& net = fabric_.net;
  for (const auto& [connection, other] : connections) {
    net.at(net.now() + net.model().latency, [this, connection, other] {
      ModelledNode* const peer = fabric_.nodes[other];
      if (peer == nullptr) return;
      fabric_.net.work(other, Load::kWork, [&] { peer->closed(connection); });
    });
  }
}

void SimulatedCluster::drain(int host) { caf::anon_send(tasks_[host].worker, WorkerDrain{}); }

void SimulatedCluster::leave(int host) {
  fabric_.net.work(host, Load::kWork, [&] { tasks_[host].node->leave(); });
  end(host, caf::exit_reason::user_shutdown);
}

// --- time ---

bool SimulatedCluster::work_until(const std::function<void()>& work, const std::function<bool()>& is_done,
                                  Nanos patience) {
  const Nanos until = now() + patience;
  fabric_.net.work(kMaster, Load::kWork, work);
  while (!is_done() && now() < until && fabric_.net.run_next()) {
  }
  return is_done();
}

Nanos SimulatedCluster::on_client_thread(const std::function<void()>& function) {
  std::atomic<bool> done{false};
  std::atomic<pid_t> id{0};
  Nanos cpu = 0;
  std::thread thread([&] {
    id = static_cast<pid_t>(::syscall(SYS_gettid));
    function();
    cpu = thread_cpu_ns();
    done = true;
  });
  HandScheduler& scheduler = scheduler_of(system_);
  bool has_slept = false;
  while (!done) {
    if (scheduler.has_jobs()) {
      has_slept = false;
      fabric_.net.work(kMaster, Load::kWork, [] {});
      continue;
    }
    // While it does something, time stands still.
    const bool asleep = id != 0 && is_asleep(id);
    if (scheduler.has_jobs() || done) continue;
    if (!asleep) {
      scheduler.wait_for_jobs(std::chrono::microseconds(20));
    } else if (node(kMaster).questions_of_opening() > 0) {
      fabric_.net.run_next();
    } else if (!std::exchange(has_slept, true)) {
      // Between two questions, by the machine's clock: once by ours.
      fabric_.net.run_until(now() + kRetryAfter);
    } else {
      scheduler.wait_for_jobs(std::chrono::milliseconds(1));
    }
  }
  thread.join();
  if (scheduler.has_jobs()) fabric_.net.work(kMaster, Load::kWork, [] {});
  return cpu;
}

// --- what there is ---

size_t SimulatedCluster::sessions_on(int host) {
  caf::scoped_actor self{system_};
  size_t number = 0;
  self->request(tasks_[host].worker, caf::infinite, WorkerCount{})
      .receive([&](const WorkerSessions& m) { number = m.number; }, [](caf::error&) {});
  return number;
}

size_t SimulatedCluster::steps_open() const {
  size_t n = 0;
  for (const Task& task : tasks_) n += task.steps ? task.steps->num_open() : 0;
  return n;
}

size_t SimulatedCluster::values_waiting() const {
  size_t n = 0;
  for (const Task& task : tasks_) n += task.steps ? task.steps->num_early() : 0;
  return n;
}

int64_t SimulatedCluster::sessions_of_runtime() {
  return static_cast<int64_t>(runtime_->impl().known_sessions().size());
}

int64_t SimulatedCluster::slots_alive() const { return runtime_->impl().live_slots->load(); }

}  // namespace troupe::simulation
