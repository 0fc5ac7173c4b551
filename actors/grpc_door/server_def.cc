#include "actors/grpc_door/server_def.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
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

}  // namespace

absl::StatusOr<GrpcServerOptions> server_options(const tensorflow::ServerDef& def) {
  if (def.protocol() != "grpc") {
    return absl::NotFoundError(
        absl::StrCat("No server factory registered for the given ServerDef: ", def.ShortDebugString(),
                     "\nThe available server factories are: [ GRPC_SERVER ]"));
  }
  GrpcServerOptions options;
  TROUPE_ASSIGN_OR_RETURN(options.address, address_of(def));
  TROUPE_RETURN_IF_ERROR(check_port(options.address));
  int tasks = 0;
  for (const tensorflow::JobDef& job : def.cluster().job()) tasks += job.tasks_size();
  if (tasks != 1) {
    return absl::UnimplementedError(absl::StrCat(
        "Servers of clusters of several tasks are not part of this build: the ServerDef of job \"",
        def.job_name(), "\", task ", def.task_index(), ", has ", tasks, " tasks"));
  }
  if (def.port() != 0)
    options.address = absl::StrCat(options.address.substr(0, options.address.rfind(':') + 1), def.port());
  options.job = def.job_name();
  options.task_index = def.task_index();
  options.default_config = def.default_session_config().SerializeAsString();
  return options;
}

}  // namespace troupe
