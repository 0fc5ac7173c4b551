#include "actors/grpc_client/grpc_sessions.h"

#include <caf/all.hpp>

#include "absl/strings/match.h"
#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "actors/grpc_client/grpc_master.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "actors/session_factories.h"
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

/// What of a session's options is the client's own: all else is for the server.
SessionOptions local_options(const SessionOptions& options, std::shared_ptr<RemoteMaster> master) {
  SessionOptions out;
  out.operation_timeout = options.operation_timeout;
  out.max_signatures = options.max_signatures;
  out.close_patience = options.close_patience;
  out.master = std::move(master);
  return out;
}

class GrpcSessionFactory final : public SessionFactory {
 public:
  explicit GrpcSessionFactory(RuntimeActor runtime) : runtime_(std::move(runtime)) {}
  ~GrpcSessionFactory() override { calls_->wait(kEndPatience); }

  bool accepts(const SessionOptions& options) const override {
    return absl::StartsWith(options.target, "grpc://");
  }

  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions& options) override {
    TROUPE_ASSIGN_OR_RETURN(tensorflow::ConfigProto config, config_of(options));
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<MasterClient> client, MasterClient::make(options.target, calls_));
    auto master = make_grpc_master(std::move(client), std::move(config));
    TROUPE_ASSIGN_OR_RETURN(const SessionActor opened,
                            ask<SessionActor>(runtime_.home_system(), runtime_,
                                              OpenSession{local_options(options, std::move(master))}));
    return adopt_session(opened);
  }

  absl::Status reset(const SessionOptions& options, const std::vector<std::string>& containers) override {
    TROUPE_ASSIGN_OR_RETURN(const tensorflow::ConfigProto config, config_of(options));
    TROUPE_ASSIGN_OR_RETURN(const std::shared_ptr<MasterClient> client,
                            MasterClient::make(options.target, calls_));
    tensorflow::ResetRequest request;
    request.mutable_container()->Add(containers.begin(), containers.end());
    *request.mutable_device_filters() = config.device_filters();
    return client->reset(request, options.operation_timeout);
  }

 private:
  const RuntimeActor runtime_;
  const std::shared_ptr<CallsUnderWay> calls_ = std::make_shared<CallsUnderWay>();
};

}  // namespace

absl::Status add_grpc_sessions(Runtime& runtime) {
  return runtime.session_factories().add(kGrpcSession,
                                         std::make_shared<GrpcSessionFactory>(runtime_actor(runtime)));
}

}  // namespace troupe
