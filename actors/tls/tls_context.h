#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "actors/tls/tls_identity.h"

struct ssl_ctx_st;

namespace troupe {

/// What all TLS connections of a process have in common: each end shows its certificate and asks for the other's, and none is older than TLS 1.3.
/// Immutable, thread-safe.
class TlsContext {
 public:
  /// Of an identity that was checked. Internal when OpenSSL does not take it.
  static absl::StatusOr<std::shared_ptr<const TlsContext>> make(const TlsIdentity& identity);
  /// Of these files, for that use; null without files. As TlsIdentity::load, and `make`.
  static absl::StatusOr<std::shared_ptr<const TlsContext>> load(const TlsOptions& files, TlsUse use);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;

  /// INTERNAL: OpenSSL's.
  ssl_ctx_st* get() const { return context_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* const context_;
};

}  // namespace troupe
