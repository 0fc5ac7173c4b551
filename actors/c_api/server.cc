#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/str_cat.h"
#include "actors/c_api/border.h"
#include "actors/c_api/handles.h"
#include "actors/grpc_door/server_def.h"
#include "actors/task_server/task_server.h"
#include "actors/runtime.h"
#include "graph/status.h"
#include "proto/tensorflow_server.pb.h"

namespace c_api = troupe::c_api;

/// A server with a runtime of its own, so that neither sessions of this process nor TF_Reset meet its clients' sessions. Its port is open from
/// its making on, as TensorFlow's is. Owned by the client.
struct TF_Server {
  /// Of TLS, where a server is no task of a cluster.
  std::unique_ptr<troupe::Runtime> runtime;
  std::unique_ptr<troupe::GrpcServer> grpc_server;
  /// Else.
  std::unique_ptr<troupe::TaskServer> task_server;
  /// What TF_ServerTarget points into.
  std::string target;
  std::mutex mu;
  std::condition_variable stopped_now;
  // Guarded by mu.
  bool started = false;
  bool stopped = false;
};

namespace {

/// TensorFlow's tasks wait for each other for as long as it takes: they are started by people and scripts.
constexpr std::chrono::hours kOpenPatience{24};
/// Their processes may be stopped for a while, and share their cores with others; what ends is noticed at once, by its connections.
constexpr troupe::LeaseOptions kLease{std::chrono::seconds(10), std::chrono::seconds(1),
                                      std::chrono::seconds(5)};

troupe::RuntimeOptions runtime_options() {
  troupe::RuntimeOptions options;
  options.ops = &c_api::process_ops();
  options.kernels = &c_api::process_kernels();
  return options;
}

absl::StatusOr<troupe::TaskServerOptions> task_options(troupe::ServerTask task) {
  TROUPE_ASSIGN_OR_RETURN(const troupe::SessionOptions config,
                          troupe::SessionOptions::from_config(task.server.default_config));
  troupe::TaskServerOptions options;
  options.runtime = runtime_options();
  options.node.task = {task.server.job, task.server.task_index};
  options.node.cluster = std::move(task.cluster);
  options.node.lease = kLease;
  options.node.open_patience = kOpenPatience;
  options.node.take_devices(config);
  options.server = std::move(task.server);
  return options;
}

absl::Status start_by_tls(const troupe::ServerTask& task, TF_Server* out) {
  if (task.cluster.num_tasks() > 1) {
    return absl::UnimplementedError(absl::StrCat("The ServerDef of job \"", task.server.job, "\", task ",
                                                 task.server.task_index, ", has ", task.cluster.num_tasks(),
                                                 " tasks: by TLS a task needs a port for TensorFlow's "
                                                 "clients and another for the other tasks (troupe serve)"));
  }
  out->runtime = troupe::Runtime::create(runtime_options());
  TROUPE_ASSIGN_OR_RETURN(out->grpc_server, troupe::GrpcServer::start(*out->runtime, task.server));
  out->target = out->grpc_server->target();
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TF_Server>> make_server(const troupe::pb::ServerDef& def) {
  auto made = std::make_unique<TF_Server>();
  TROUPE_ASSIGN_OR_RETURN(troupe::ServerTask task, troupe::server_task(def));
  task.server.tls = troupe::TlsOptions::of_environment();
  if (task.server.tls.given()) {
    TROUPE_RETURN_IF_ERROR(start_by_tls(task, made.get()));
    return made;
  }
  TROUPE_ASSIGN_OR_RETURN(const troupe::TaskServerOptions options, task_options(std::move(task)));
  TROUPE_ASSIGN_OR_RETURN(made->task_server, troupe::TaskServer::start(options));
  made->target = made->task_server->target();
  return made;
}

absl::Status start(TF_Server* server) {
  if (server == nullptr) return absl::InvalidArgumentError("The server is null");
  std::lock_guard lock(server->mu);
  if (server->stopped) return absl::FailedPreconditionError("Server has stopped.");
  server->started = true;
  return absl::OkStatus();
}

absl::Status stop(TF_Server* server) {
  if (server == nullptr) return absl::InvalidArgumentError("The server is null");
  if (server->grpc_server != nullptr) server->grpc_server->stop();
  if (server->task_server != nullptr) server->task_server->stop();
  std::lock_guard lock(server->mu);
  server->stopped = true;
  server->stopped_now.notify_all();
  return absl::OkStatus();
}

/// Until another thread has stopped it. One that never started has nothing to be waited for: it is stopped, as TensorFlow's.
absl::Status join(TF_Server* server) {
  if (server == nullptr) return absl::InvalidArgumentError("The server is null");
  std::unique_lock lock(server->mu);
  if (!server->started) {
    lock.unlock();
    return stop(server);
  }
  server->stopped_now.wait(lock, [&] { return server->stopped; });
  return absl::OkStatus();
}

}  // namespace

extern "C" {

TF_Server* TF_NewServer(const void* proto, size_t proto_len, TF_Status* status) try {
  troupe::pb::ServerDef def;
  if ((proto == nullptr && proto_len > 0) || proto_len > INT32_MAX ||
      !def.ParseFromArray(proto, static_cast<int>(proto_len))) {
    c_api::set_invalid(status, "Could not parse provided bytes into a ServerDef protocol buffer");
    return nullptr;
  }
  absl::StatusOr<std::unique_ptr<TF_Server>> server = make_server(def);
  c_api::set_status(status, server.status());
  return server.ok() ? server->release() : nullptr;
}
TROUPE_BORDER_OR({}, status)

void TF_ServerStart(TF_Server* server, TF_Status* status) try { c_api::set_status(status, start(server)); }
TROUPE_BORDER(status)

void TF_ServerStop(TF_Server* server, TF_Status* status) try { c_api::set_status(status, stop(server)); }
TROUPE_BORDER(status)

void TF_ServerJoin(TF_Server* server, TF_Status* status) try { c_api::set_status(status, join(server)); }
TROUPE_BORDER(status)

const char* TF_ServerTarget(TF_Server* server) { return server == nullptr ? "" : server->target.c_str(); }

void TF_DeleteServer(TF_Server* server) { delete server; }

void TF_RegisterFilesystemPlugin(const char*, TF_Status* status) try {
  c_api::set_status(status,
                    absl::UnimplementedError(
                        "File system plug-ins are not part of this build: files are those of the machine"));
}
TROUPE_BORDER(status)

}  // extern "C"
