#include "actors/grpc_door/server_credentials.h"

#include "actors/tls/tls_identity.h"
#include "graph/status.h"

namespace troupe {

absl::StatusOr<std::shared_ptr<::grpc::ServerCredentials>> server_credentials(const TlsOptions& tls) {
  if (!tls.given()) return ::grpc::InsecureServerCredentials();
  TROUPE_ASSIGN_OR_RETURN(const TlsIdentity identity, TlsIdentity::load(tls, TlsUse::kServer));
  ::grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = identity.authorities;
  options.pem_key_cert_pairs.push_back({identity.key, identity.certificates});
  return ::grpc::SslServerCredentials(options);
}

}  // namespace troupe
