#include "actors/node_client/caf_sessions.h"

#include <caf/all.hpp>

#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/node_client/caf_master.h"
#include "actors/remote_session_actor.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "actors/session_factories.h"
#include "actors/tls/tls_context.h"
#include "graph/status.h"
#include "proto/client_wire.pb.h"

namespace troupe {
namespace {

constexpr char kScheme[] = "caf://";

absl::StatusOr<TaskAddress> address_of(const std::string& target) {
  TROUPE_ASSIGN_OR_RETURN(TaskAddress address, TaskAddress::parse(absl::StripPrefix(target, kScheme)));
  if (address.port > 0) return address;
  return absl::InvalidArgumentError(
      absl::StrCat("Could not interpret \"", target, "\" as a target: it is caf://HOST:PORT, with a port"));
}

class CafSessionFactory final : public SessionFactory {
 public:
  CafSessionFactory(RuntimeActor runtime, const CafSessionsOptions& options)
      : runtime_(std::move(runtime)), options_(options),
        tls_(TlsContext::load(options.tls, TlsUse::kClient)) {}
  /// Actors outlive the threads that tell them answers.
  ~CafSessionFactory() override {
    for (const auto& [target, node] : nodes_) node->stop();
  }

  bool accepts(const SessionOptions& options) const override {
    return absl::StartsWith(options.target, kScheme);
  }

  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<NodeCaller> node, node_at(options.target));
    wire::OpenSession m;
    m.set_config(options.config);
    TROUPE_ASSIGN_OR_RETURN(absl::Cord body, pack(m));
    // The node bounds how long it takes.
    TROUPE_ASSIGN_OR_RETURN(const absl::Cord answer,
                            node->ask_and_wait(Method::kOpenSession, std::move(body)));
    wire::OpenedSession opened;
    TROUPE_RETURN_IF_ERROR(unpack(answer, &opened));
    std::vector<DeviceInfo> devices;
    for (const tensorflow::DeviceAttributes& d : opened.devices())
      devices.push_back({d.name(), d.device_type(), d.memory_limit(), d.incarnation()});
    auto master = make_caf_master(std::move(node), opened.session(), std::move(devices));
    TROUPE_ASSIGN_OR_RETURN(
        const SessionActor actor,
        ask<SessionActor>(runtime_.home_system(), runtime_,
                          troupe::OpenSession{options_of_client(options, std::move(master))}));
    return adopt_session(actor);
  }

  absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers) override {
    TROUPE_ASSIGN_OR_RETURN(const std::shared_ptr<NodeCaller> node, node_at(options.target));
    wire::ResetSessions m;
    m.mutable_containers()->Add(containers.begin(), containers.end());
    m.set_config(options.config);
    TROUPE_ASSIGN_OR_RETURN(absl::Cord body, pack(m));
    return node->ask_and_wait(Method::kResetSessions, std::move(body), options.operation_timeout).status();
  }

 private:
  /// A use of the one who asks the node of that target.
  absl::StatusOr<std::shared_ptr<NodeCaller>> node_at(const std::string& target) {
    TROUPE_RETURN_IF_ERROR(tls_.status());
    TROUPE_ASSIGN_OR_RETURN(const TaskAddress address, address_of(target));
    std::lock_guard lock(mu_);
    // Those whose last session has gone go when another opens.
    std::erase_if(nodes_,
                  [&](const auto& node) { return node.first != target && node.second.use_count() == 1; });
    auto& node = nodes_[target];
    if (node == nullptr) {
      NodeCallerOptions options;
      options.target = target;
      options.address = address;
      options.tls = *tls_;
      options.lease = options_.lease;
      options.connect_patience = options_.connect_patience;
      node = std::make_shared<NodeCaller>(std::move(options));
    }
    return NodeCaller::use(node);
  }

  const RuntimeActor runtime_;
  const CafSessionsOptions options_;
  const absl::StatusOr<std::shared_ptr<const TlsContext>> tls_;
  std::mutex mu_;
  /// By target.
  std::map<std::string, std::shared_ptr<NodeCaller>> nodes_;  // guarded by mu_
};

}  // namespace

absl::Status add_caf_sessions(Runtime& runtime, const CafSessionsOptions& options) {
  TROUPE_RETURN_IF_ERROR(options.lease.check());
  return runtime.session_factories().add(
      kCafSession, std::make_shared<CafSessionFactory>(runtime_actor(runtime), options));
}

}  // namespace troupe
