#include "actors/grpc_client/grpc_sessions.h"

#include <caf/all.hpp>

#include "absl/strings/match.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/grpc_client/grpc_master.h"
#include "actors/grpc_door/grpc_log.h"
#include "actors/remote_session_actor.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "actors/session_factories.h"
#include "actors/tls/tls_identity.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// How long the end of a runtime waits for calls that have been cancelled.
constexpr std::chrono::seconds kEndPatience{1};

absl::StatusOr<tensorflow::ConfigProto> config_of(const SessionOptions& options) {
  tensorflow::ConfigProto config;
  if (!config.ParseFromString(options.config)) return absl::InvalidArgumentError("Unparseable ConfigProto");
  return config;
}

/// What the client shows servers.
absl::StatusOr<std::shared_ptr<::grpc::ChannelCredentials>> channel_credentials(const TlsOptions& tls) {
  if (!tls.given()) return ::grpc::InsecureChannelCredentials();
  TROUPE_ASSIGN_OR_RETURN(const TlsIdentity identity, TlsIdentity::load(tls, TlsUse::kClient));
  return ::grpc::SslCredentials({identity.authorities, identity.key, identity.certificates});
}

class GrpcSessionFactory final : public SessionFactory {
 public:
  GrpcSessionFactory(RuntimeActor runtime, const TlsOptions& tls)
      : runtime_(std::move(runtime)), credentials_(channel_credentials(tls)) {
    quiet_grpc();
  }
  ~GrpcSessionFactory() override { calls_->wait(kEndPatience); }

  bool accepts(const SessionOptions& options) const override {
    return absl::StartsWith(options.target, "grpc://");
  }

  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override {
    TROUPE_ASSIGN_OR_RETURN(tensorflow::ConfigProto config, config_of(options));
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<MasterClient> client, client_to(options.target));
    auto master = make_grpc_master(std::move(client), std::move(config));
    TROUPE_ASSIGN_OR_RETURN(const SessionActor opened,
                            ask<SessionActor>(runtime_.home_system(), runtime_,
                                              OpenSession{options_of_client(options, std::move(master))}));
    return adopt_session(opened);
  }

  absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers) override {
    TROUPE_ASSIGN_OR_RETURN(const tensorflow::ConfigProto config, config_of(options));
    TROUPE_ASSIGN_OR_RETURN(const std::shared_ptr<MasterClient> client, client_to(options.target));
    tensorflow::ResetRequest request;
    request.mutable_container()->Add(containers.begin(), containers.end());
    *request.mutable_device_filters() = config.device_filters();
    return client->reset(request, options.operation_timeout);
  }

 private:
  absl::StatusOr<std::shared_ptr<MasterClient>> client_to(const std::string& target) const {
    TROUPE_RETURN_IF_ERROR(credentials_.status());
    return MasterClient::make(target, *credentials_, calls_);
  }

  const RuntimeActor runtime_;
  /// The same for all, so that gRPC shares its connections.
  const absl::StatusOr<std::shared_ptr<::grpc::ChannelCredentials>> credentials_;
  const std::shared_ptr<CallsUnderWay> calls_ = std::make_shared<CallsUnderWay>();
};

}  // namespace

absl::Status add_grpc_sessions(Runtime& runtime, const TlsOptions& tls) {
  return runtime.session_factories().add(kGrpcSession,
                                         std::make_shared<GrpcSessionFactory>(runtime_actor(runtime), tls));
}

}  // namespace troupe
