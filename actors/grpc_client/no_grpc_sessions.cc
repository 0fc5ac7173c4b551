// Sessions with the target "grpc://..." of a build without gRPC.
#include "absl/strings/match.h"
#include "actors/grpc_client/grpc_sessions.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "actors/session_factories.h"

namespace troupe {
namespace {

absl::Status no_grpc() {
  return absl::UnimplementedError(
      "This build opens no sessions with the target grpc://...: it was built without gRPC (TROUPE_WITH_GRPC, "
      "libgrpc++-dev).");
}

class NoGrpcFactory final : public SessionFactory {
 public:
  bool accepts(const SessionOptions& options) const override {
    return absl::StartsWith(options.target, "grpc://");
  }
  absl::StatusOr<std::unique_ptr<Session>> new_session(const SessionOptions&) override { return no_grpc(); }
  absl::Status reset(const SessionOptions&, const std::vector<std::string>&) override { return no_grpc(); }
};

}  // namespace

absl::Status add_grpc_sessions(Runtime& runtime, const TlsOptions&) {
  return runtime.session_factories().add(kGrpcSession, std::make_shared<NoGrpcFactory>());
}

}  // namespace troupe
