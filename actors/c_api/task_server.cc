#include "actors/c_api/task_server.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "actors/c_api/handles.h"
#include "actors/grpc_door/server_def.h"
#include "actors/node/cluster_node.h"
#include "actors/runtime.h"
#include "graph/status.h"

namespace troupe::c_api {
namespace {

/// TensorFlow's tasks wait for each other for as long as it takes, and are started by people and scripts.
constexpr std::chrono::hours kOpenPatience{24};
/// Their processes may be stopped for a while, and share their cores with others: what ends is noticed at once by its connections.
constexpr LeaseOptions kLease{std::chrono::seconds(10), std::chrono::seconds(1), std::chrono::seconds(5)};

RuntimeOptions runtime_options() {
  RuntimeOptions options;
  options.ops = &process_ops();
  options.kernels = &process_kernels();
  return options;
}

absl::StatusOr<ClusterNodeOptions> node_options(const ServerTask& task) {
  TROUPE_ASSIGN_OR_RETURN(const SessionOptions config, SessionOptions::from_config(task.server.default_config));
  ClusterNodeOptions options;
  options.cluster = task.cluster;
  options.task = {task.server.job, task.server.task_index};
  options.lease = kLease;
  options.open_patience = kOpenPatience;
  options.intra_op_threads = config.intra_op_threads;
  if (const auto cpus = config.device_count.find("CPU"); cpus != config.device_count.end())
    options.num_cpus = cpus->second;
  return options;
}

/// The same host at the port that the task has.
std::string at_port(const std::string& address, int port) {
  return absl::StrCat(address.substr(0, address.rfind(':') + 1), port);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TaskServer>> TaskServer::start(const tensorflow::ServerDef& def) {
  TROUPE_ASSIGN_OR_RETURN(ServerTask task, server_task(def));
  task.server.tls = TlsOptions::of_environment();
  std::unique_ptr<TaskServer> made(new TaskServer);
  Runtime* runtime = nullptr;
  if (task.cluster.empty()) {
    made->runtime_ = Runtime::create(runtime_options());
    runtime = made->runtime_.get();
  } else if (task.server.tls.given()) {
    return absl::UnimplementedError(absl::StrCat(
        "The ServerDef of job \"", task.server.job, "\", task ", task.server.task_index, ", has ",
        task.cluster.num_tasks(),
        " tasks: with TLS a task needs a port for TensorFlow's clients and another for the other tasks (troupe serve --cluster --grpc)"));
  } else {
    TROUPE_ASSIGN_OR_RETURN(ClusterNodeOptions options, node_options(task));
    options.http2 = [server = &made->server_](int socket) { server->adopt(socket); };
    TROUPE_ASSIGN_OR_RETURN(made->node_, ClusterNode::start(runtime_options(), std::move(options)));
    runtime = &made->node_->runtime();
    task.server.listens = false;
    task.server.address = at_port(task.server.address, made->node_->port());
    task.server.target = made->node_->target();
  }
  TROUPE_ASSIGN_OR_RETURN(auto server, GrpcServer::start(*runtime, task.server));
  made->target_ = server->target();
  made->server_.set(std::move(server));
  return made;
}

TaskServer::~TaskServer() { stop(); }

std::string TaskServer::target() const { return target_; }

void TaskServer::stop() {
  // The server first, whose sessions are the node's.
  server_.stop();
  std::lock_guard lock(mu_);
  node_ = nullptr;
}

}  // namespace troupe::c_api
