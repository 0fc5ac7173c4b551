#include "actors/tls/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "actors/tls/pem.h"

namespace troupe {
namespace {

/// Whether OpenSSL took everything.
bool fill(SSL_CTX* context, const TlsIdentity& identity) {
  const std::vector<Certificate> own = certificates_in(identity.certificates);
  const PrivateKey key = private_key_in(identity.key);
  if (own.empty() || key == nullptr) return false;
  bool good =
      SSL_CTX_use_certificate(context, own[0].get()) == 1 && SSL_CTX_use_PrivateKey(context, key.get()) == 1;
  for (size_t i = 1; i < own.size(); ++i) good = good && SSL_CTX_add1_chain_cert(context, own[i].get()) == 1;
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (const Certificate& a : certificates_in(identity.authorities))
    good = good && X509_STORE_add_cert(store, a.get()) == 1;
  return good && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsOptions& files, TlsUse use) {
  if (!files.given()) return nullptr;
  TROUPE_ASSIGN_OR_RETURN(const TlsIdentity identity, TlsIdentity::load(files, use));
  return make(identity);
}

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsIdentity& identity) {
  SSL_CTX* const context = SSL_CTX_new(TLS_method());
  if (context == nullptr) return absl::InternalError("TLS: OpenSSL has no context to give");
  std::shared_ptr<const TlsContext> out(new TlsContext(context));
  if (!fill(context, identity)) {
    const char* why = ERR_reason_error_string(ERR_get_error());
    ERR_clear_error();
    return absl::InternalError(
        absl::StrCat("TLS: OpenSSL does not take the identity: ", why == nullptr ? "unknown" : why));
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // What could not be written is in a buffer that may grow until it can.
  SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Nodes connect once: sessions to resume would only be kept.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  return out;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

}  // namespace troupe
