#include "actors/task_server/task_server.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "actors/node/hello.h"
#include "actors/session_factories.h"
#include "actors/task_server/brought_clusters.h"
#include "actors/task_server/guest_nodes.h"
#include "actors/task_server/shared_port.h"
#include "graph/status.h"

namespace troupe {

TaskServer::TaskServer() = default;

absl::StatusOr<std::unique_ptr<TaskServer>> TaskServer::start(const TaskServerOptions& options) {
  if (options.node.tls.given() || options.server.tls.given()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.node.task.to_string(),
                     ": by TLS clients of gRPC and the other tasks do not come to the same port"));
  }
  std::unique_ptr<TaskServer> made(new TaskServer);
  TROUPE_RETURN_IF_ERROR(made->begin(options));
  return made;
}

absl::Status TaskServer::begin(const TaskServerOptions& options) {
  TROUPE_ASSIGN_OR_RETURN(const TaskAddress address, options.node.cluster.address(options.node.task));
  TROUPE_ASSIGN_OR_RETURN(shared_port_, SharedPort::listen(address));
  port_ = shared_port_->port();
  ClusterNodeOptions node = options.node;
  node.brought_port = shared_port_->port();
  TROUPE_ASSIGN_OR_RETURN(node_, ClusterNode::start(options.runtime, node));
  Runtime& runtime = node_->runtime();
  guests_ = std::make_shared<GuestNodes>(&runtime, node, shared_port_->port());
  brought_target_ = absl::StrCat("brought-", node_->target());
  TROUPE_RETURN_IF_ERROR(runtime.session_factories().add(
      brought_target_, std::make_shared<BroughtClusters>(guests_, node.task, brought_target_)));
  GrpcServerOptions server = options.server;
  server.listens = false;
  server.address = TaskAddress{address.host, shared_port_->port()}.to_string();
  server.job = node.task.job;
  server.task_index = node.task.index;
  if (node.cluster.num_tasks() > 1 || options.may_grow) server.target = node_->target();
  server.brought_target = brought_target_;
  TROUPE_ASSIGN_OR_RETURN(auto door, GrpcServer::start(runtime, server));
  target_ = door->target();
  server_.set(std::move(door));
  shared_port_->serve([this](int socket) { server_.adopt(socket); },
                      [this](int socket, absl::string_view first) { take_peer(socket, first); });
  return absl::OkStatus();
}

void TaskServer::take_peer(int socket, absl::string_view first_message) {
  const Invitation invitation = peek_invitation(first_message);
  if (invitation.cluster.empty()) return node_->adopt(socket);
  const auto guest = guests_->invited(invitation.cluster, invitation.task);
  if (guest.ok()) return (*guest)->adopt(socket);
  spdlog::warn("{}: who asks it to be {} is turned away: {}", target_, invitation.task,
               std::string(guest.status().message()));
  ::close(socket);
}

TaskServer::~TaskServer() { stop(); }

void TaskServer::stop() {
  std::lock_guard lock(stop_mu_);
  shared_port_ = nullptr;
  server_.stop();
  if (guests_ != nullptr) guests_->stop();
  guests_ = nullptr;
  if (node_ != nullptr) node_->runtime().session_factories().remove(brought_target_);
  node_ = nullptr;
}

}  // namespace troupe
