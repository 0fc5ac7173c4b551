#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "absl/status/statusor.h"
#include "actors/tls/tls_options.h"

namespace troupe {

/// What a server shows its clients: with TLS its certificate, for which it wants one of the same authority; without, nothing. As TlsIdentity::load.
absl::StatusOr<std::shared_ptr<::grpc::ServerCredentials>> server_credentials(const TlsOptions& tls);

}  // namespace troupe
