#pragma once

#include <caf/all.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/node/cluster_sessions.h"
#include "actors/runtime.h"
#include "tools/bench/cluster_simulation/hand_scheduler.h"
#include "tools/bench/cluster_simulation/modelled_node.h"

namespace troupe::simulation {

/// A master and N WORKERs in one process, one runtime and one thread, each behind a modelled node of its own: task 0 of the job "master", whose host is
/// 0, and tasks 0 to N - 1 of "worker", whose hosts are 1 to N. The master has a WORKER, too, as every node has. Messages between tasks take virtual time;
/// between two of them all actors come to rest.
class SimulatedCluster {
 public:
  static constexpr int kMaster = 0;

  SimulatedCluster(int workers, const NetworkModel& model);
  ~SimulatedCluster();
  SimulatedCluster(const SimulatedCluster&) = delete;

  int num_workers() const { return static_cast<int>(tasks_.size()) - 1; }
  VirtualNetwork& net() { return fabric_.net; }
  Nanos now() const { return fabric_.net.now(); }
  ModelledNode& node(int host) { return *tasks_[host].node; }
  ClusterSessions& sessions() { return *sessions_; }
  static TaskId task_of(int host);
  int host_of(const TaskId& task) const { return fabric_.hosts.at(task); }

  /// @name What becomes of a task; `host` is a WORKER's
  /// Its process ends; its system says so at once to whoever is connected, unless the machine is gone with it.
  void fail(int host, bool with_machine);
  /// It takes no new sessions.
  void drain(int host);
  /// Its process says goodbye and ends.
  void leave(int host);
  /// Another life of it.
  void start(int host);
  bool serves(int host) const { return fabric_.nodes[host] != nullptr; }

  /// @name Time
  /// Calls `function` on a thread that may wait, for a client of the master, while time goes on. Returns the CPU time that it took there.
  Nanos on_client_thread(const std::function<void()>& function);
  /// Work of the master, then all that comes until `is_done`. False when that is not in so much time.
  bool work_until(const std::function<void()>& work, const std::function<bool()>& is_done,
                  Nanos patience = 60 * kSecond);

  /// @name What there is
  /// Sessions of masters on a WORKER that serves.
  size_t sessions_on(int host);
  /// Of all tasks: steps in their directories, values that wait in them.
  size_t steps_open() const;
  size_t values_waiting() const;
  /// Of the one runtime that all share.
  int64_t sessions_of_runtime();
  int64_t slots_alive() const;

 private:
  struct Config : caf::actor_system_config {
    Config();
  };
  struct Task {
    uint64_t incarnation = 0;
    std::shared_ptr<ModelledNode> node;
    caf::actor node_actor;
    caf::actor worker;
    std::shared_ptr<NodeSendQueue> words;
    std::shared_ptr<StepDirectory> steps;
    std::shared_ptr<DeviceSet> devices;
  };
  void settle();
  void end(int host, caf::exit_reason why);
  void open_master();

  Config config_;
  caf::actor_system system_{config_};
  std::unique_ptr<Runtime> runtime_;
  ClusterSpec spec_;
  Fabric fabric_;
  std::vector<Task> tasks_;
  uint64_t last_incarnation_ = 0;
  std::shared_ptr<ClusterSessions> sessions_;
};

}  // namespace troupe::simulation
