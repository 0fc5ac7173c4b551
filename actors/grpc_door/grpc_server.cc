#include "actors/grpc_door/grpc_server.h"

#include <caf/all.hpp>
#include <grpcpp/grpcpp.h>
#include <grpcpp/server_posix.h>
#include <unistd.h>

#include <mutex>

#include "absl/strings/str_cat.h"
#include "actors/ask.h"
#include "actors/grpc_door/door_actor.h"
#include "actors/grpc_door/grpc_log.h"
#include "actors/grpc_door/master_service.h"
#include "actors/grpc_door/server_address.h"
#include "actors/grpc_door/server_credentials.h"
#include "actors/loopback.h"
#include "actors/runtime_impl.h"
#include "graph/ir/device_name.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// gRPC's own end, once all calls are answered: what is left is to send the answers.
constexpr std::chrono::milliseconds kSendPatience{500};
/// Its turns are short.
constexpr std::chrono::seconds kDoorPatience{1};
/// Who has connected shows his certificate within this time, or is nobody.
constexpr int kHandshakePatienceMs = 10'000;

absl::StatusOr<std::string> task_of(const GrpcServerOptions& options) {
  const std::string task = absl::StrCat("/job:", options.job, "/replica:0/task:", options.task_index);
  const auto parsed = DeviceName::parse(task);
  if (options.task_index >= 0 && parsed && parsed->job == options.job) return task;
  return absl::InvalidArgumentError(absl::StrCat("A server's task is a job and a number, not \"", options.job,
                                                 "\" and ", options.task_index));
}

absl::StatusOr<DoorParts> door_parts(Runtime& runtime, const GrpcServerOptions& options) {
  DoorParts parts;
  if (!parts.default_config.ParseFromString(options.default_config))
    return absl::InvalidArgumentError("The server's default session config is no ConfigProto.");
  TROUPE_ASSIGN_OR_RETURN(const SessionOptions defaults, SessionOptions::from_config(options.default_config));
  TROUPE_ASSIGN_OR_RETURN(parts.task, task_of(options));
  parts.target = options.target;
  parts.brought_target = options.brought_target;
  if (parts.target.empty()) {
    parts.make_devices = [impl = runtime.impl().shared_from_this(), defaults, task = parts.task] {
      return impl->make_devices(defaults, task);
    };
    TROUPE_ASSIGN_OR_RETURN(parts.devices, parts.make_devices());
  }
  parts.runtime = runtime_actor(runtime);
  parts.sessions = std::make_shared<DoorSessions>(options.max_sessions, options.max_sessions_per_client);
  parts.idle_limit = options.session_idle_limit;
  parts.close_patience = options.close_patience;
  return parts;
}

}  // namespace

struct GrpcServer::Impl {
  caf::actor_system* system = nullptr;
  ServerAddress address;
  std::shared_ptr<::grpc::ServerCredentials> credentials;
  int max_message_bytes = 0;
  bool listens = true;
  std::shared_ptr<DoorSessions> sessions;
  DoorActor door;
  std::unique_ptr<MasterService> service;
  std::mutex mu;
  std::unique_ptr<::grpc::Server> server;  // guarded by mu; null once it is stopped

  /// Where it listens and for whom: before anything of it is there.
  absl::Status prepare(const GrpcServerOptions& options) {
    TROUPE_ASSIGN_OR_RETURN(address, ServerAddress::parse(options.address));
    TROUPE_RETURN_IF_ERROR(check_listening(address.host, options.tls.given(), options.insecure));
    if (options.max_message_bytes < 1 || options.max_message_bytes > INT32_MAX) {
      return absl::InvalidArgumentError(absl::StrCat("The limit of a request is 1 to ", INT32_MAX,
                                                     " bytes, not ", options.max_message_bytes));
    }
    max_message_bytes = static_cast<int>(options.max_message_bytes);
    listens = options.listens;
    if (!listens && (options.tls.given() || address.port == 0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "A server that does not listen itself has an address with a port, and no TLS: ", options.address));
    }
    TROUPE_ASSIGN_OR_RETURN(credentials, server_credentials(options.tls));
    return absl::OkStatus();
  }

  absl::Status listen() {
    ::grpc::ServerBuilder builder;
    int port = 0;
    if (listens)
      builder.AddListeningPort(address.with_port(address.port), credentials, &port);
    else
      port = address.port;
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakePatienceMs);
    builder.SetMaxReceiveMessageSize(max_message_bytes);
    builder.SetMaxSendMessageSize(-1);
    builder.RegisterService(&service->service());
    server = builder.BuildAndStart();
    if (server == nullptr || port == 0) {
      return absl::FailedPreconditionError(absl::StrCat("Could not start gRPC server on ",
                                                        address.with_port(address.port),
                                                        ": the port is in use, or not ours to have"));
    }
    address.port = port;
    return absl::OkStatus();
  }

  void adopt(int socket) {
    // Who brings it must not wait for a stop.
    const std::unique_lock lock(mu, std::try_to_lock);
    if (!lock || server == nullptr || listens)
      ::close(socket);
    else
      ::grpc::AddInsecureChannelFromFd(server.get(), socket);
  }

  void stop() {
    std::lock_guard lock(mu);
    if (server == nullptr) return;
    sessions->stop();
    (void)ask<Done>(*system, door, CloseDoor{});
    service->finish_all(absl::AbortedError("The server is shutting down."));
    server->Shutdown(std::chrono::system_clock::now() + kSendPatience);
    server->Wait();
    server = nullptr;
  }

  ~Impl() {
    stop();
    if (!door) return;
    // It lets go of the devices: their resources are gone when the server is.
    caf::scoped_actor self{*system};
    self->monitor(door);
    self->send_exit(door, caf::exit_reason::user_shutdown);
    self->receive([](const caf::down_msg&) {}, caf::after(kDoorPatience) >> [] {});
  }
};

GrpcServer::GrpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcServer::~GrpcServer() = default;

bool GrpcServer::available() { return true; }

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::start(Runtime& runtime,
                                                              const GrpcServerOptions& options) {
  TROUPE_RETURN_IF_ERROR(runtime.impl().check_running());
  quiet_grpc();
  auto impl = std::make_unique<Impl>();
  TROUPE_RETURN_IF_ERROR(impl->prepare(options));
  TROUPE_ASSIGN_OR_RETURN(DoorParts parts, door_parts(runtime, options));
  impl->system = &runtime.system();
  impl->sessions = parts.sessions;
  impl->door = spawn_door(runtime.system(), std::move(parts));
  impl->service = make_master_service(impl->door, impl->sessions);
  TROUPE_RETURN_IF_ERROR(impl->listen());
  return std::unique_ptr<GrpcServer>(new GrpcServer(std::move(impl)));
}

int GrpcServer::port() const { return impl_->address.port; }

std::string GrpcServer::target() const {
  return absl::StrCat("grpc://", impl_->address.with_port(impl_->address.port));
}

void GrpcServer::adopt(int socket) { impl_->adopt(socket); }

void GrpcServer::stop() { impl_->stop(); }

}  // namespace troupe
