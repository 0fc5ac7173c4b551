#include "actors/grpc_door/server_def.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "actors/cluster/cluster_proto.h"
#include "graph/status.h"
#include "proto/tensorflow_server.pb.h"

namespace troupe {
namespace {

/// "HOST:PORT" of the server's own task.
absl::StatusOr<std::string> address_of(const tensorflow::ServerDef& def) {
  for (const tensorflow::JobDef& job : def.cluster().job()) {
    if (job.name() != def.job_name()) continue;
    const auto task = job.tasks().find(def.task_index());
    if (task != job.tasks().end()) return task->second;
    return absl::InternalError(
        absl::StrCat("Task ", def.task_index(), " was not defined in job \"", def.job_name(), "\""));
  }
  return absl::InternalError(absl::StrCat("Job \"", def.job_name(), "\" was not defined in cluster"));
}

absl::Status check_port(const std::string& address) {
  const size_t colon = address.rfind(':');
  const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
  if (!port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos &&
      std::stoi(port) <= 65535) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Could not parse port for local server from \"", address, "\"."));
}

/// With the server's own address in place of its task's.
absl::StatusOr<ClusterSpec> cluster_of(const tensorflow::ServerDef& def, const std::string& address) {
  tensorflow::ClusterDef cluster = def.cluster();
  for (tensorflow::JobDef& job : *cluster.mutable_job()) {
    if (job.name() == def.job_name()) (*job.mutable_tasks())[def.task_index()] = address;
  }
  return from_proto(cluster);
}

}  // namespace

absl::StatusOr<ServerTask> server_task(const tensorflow::ServerDef& def) {
  if (def.protocol() != "grpc") {
    return absl::NotFoundError(
        absl::StrCat("No server factory registered for the given ServerDef: ", def.ShortDebugString(),
                     "\nThe available server factories are: [ GRPC_SERVER ]"));
  }
  ServerTask task;
  GrpcServerOptions& options = task.server;
  TROUPE_ASSIGN_OR_RETURN(options.address, address_of(def));
  TROUPE_RETURN_IF_ERROR(check_port(options.address));
  if (def.port() != 0)
    options.address = absl::StrCat(options.address.substr(0, options.address.rfind(':') + 1), def.port());
  options.job = def.job_name();
  options.task_index = def.task_index();
  options.default_config = def.default_session_config().SerializeAsString();
  TROUPE_ASSIGN_OR_RETURN(task.cluster, cluster_of(def, options.address));
  return task;
}

}  // namespace troupe
