#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "actors/c_api/border.h"
#include "actors/c_api/handles.h"
#include "actors/c_api/task_server.h"
#include "actors/runtime.h"

#include "graph/status.h"
#include "proto/tensorflow_server.pb.h"

namespace c_api = troupe::c_api;

/// Its port is open from its making on, as TensorFlow's is. Owned by the client.
struct TF_Server {
  std::unique_ptr<c_api::TaskServer> server;
  /// What TF_ServerTarget points into.
  std::string target;
  std::mutex mu;
  std::condition_variable stopped_now;
  // Guarded by mu.
  bool started = false;
  bool stopped = false;
};

namespace {

absl::StatusOr<std::unique_ptr<TF_Server>> make_server(const troupe::pb::ServerDef& def) {
  auto made = std::make_unique<TF_Server>();
  TROUPE_ASSIGN_OR_RETURN(made->server, c_api::TaskServer::start(def));
  made->target = made->server->target();
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
  server->server->stop();
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
