#include "actors/tls/tls_identity.h"

#include <openssl/x509v3.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "actors/tls/pem.h"
#include "graph/status.h"

namespace troupe {
namespace {

using Store = std::unique_ptr<X509_STORE, FreeBy<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, FreeBy<X509_STORE_CTX_free>>;

/// Does not own what is in it.
struct FreeStack {
  void operator()(STACK_OF(X509) * made) const { sk_X509_free(made); }
};
using Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;

absl::Status check_named(const TlsOptions& files) {
  const auto missing = [](const char* what) {
    return absl::InvalidArgumentError(absl::StrCat("TLS: no file with the ", what,
                                                   " is named; expected are a certificate, its key and the "
                                                   "certificates of the authority, each a PEM file"));
  };
  if (files.certificate.empty()) return missing("certificate");
  if (files.key.empty()) return missing("key");
  if (files.authority.empty()) return missing("authority");
  return absl::OkStatus();
}

absl::StatusOr<std::string> read(const char* what, const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return absl::ErrnoToStatus(
        errno, absl::StrCat("TLS ", what, " ", file, " cannot be read; a PEM file is expected"));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::StatusOr<std::vector<Certificate>> parse_certificates(const char* what, const std::string& file,
                                                            const std::string& pem) {
  std::vector<Certificate> out = certificates_in(pem);
  if (!out.empty()) return out;
  return absl::InvalidArgumentError(
      absl::StrCat("TLS ", what, " ", file, " is malformed; certificates in PEM format are expected"));
}

absl::Status check_key(const TlsOptions& files, const std::string& pem, const X509& certificate) {
  const PrivateKey key = private_key_in(pem);
  if (key == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("TLS key ", files.key,
                     " is malformed; a private key in PEM format, without a pass phrase, is expected"));
  }
  if (X509_check_private_key(&certificate, key.get()) == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("TLS key ", files.key, " does not fit the certificate ",
                                                 files.certificate, " (", subject_of(certificate),
                                                 "); that certificate's own key is expected"));
}

/// Why the certificate at which it ended is refused.
absl::Status refused(const TlsOptions& files, const StoreContext& context) {
  const X509* at = X509_STORE_CTX_get_current_cert(context.get());
  const std::string where =
      at == nullptr ? ""
                    : absl::StrCat(" (", subject_of(*at), ", valid from ", text_of(*X509_get0_notBefore(at)),
                                   " to ", text_of(*X509_get0_notAfter(at)), ")");
  return absl::InvalidArgumentError(absl::StrCat(
      "TLS certificate ", files.certificate,
      " is refused: ", X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get())), where,
      "; one that is valid now and signed by an authority of ", files.authority, " is expected"));
}

/// As a peer does that has the same authorities.
absl::Status verify(const TlsOptions& files, const std::vector<Certificate>& own,
                    const std::vector<Certificate>& authorities, int purpose) {
  const Store store(X509_STORE_new());
  for (const Certificate& a : authorities) X509_STORE_add_cert(store.get(), a.get());
  const Stack between(sk_X509_new_null());
  for (size_t i = 1; i < own.size(); ++i) sk_X509_push(between.get(), own[i].get());
  const StoreContext context(X509_STORE_CTX_new());
  if (X509_STORE_CTX_init(context.get(), store.get(), own[0].get(), between.get()) != 1)
    return absl::InternalError("TLS: OpenSSL cannot begin to verify a certificate");
  X509_STORE_CTX_set_purpose(context.get(), purpose);
  return X509_verify_cert(context.get()) == 1 ? absl::OkStatus() : refused(files, context);
}

}  // namespace

absl::StatusOr<TlsIdentity> TlsIdentity::load(const TlsOptions& files, TlsUse use) {
  TROUPE_RETURN_IF_ERROR(check_named(files));
  TlsIdentity out;
  TROUPE_ASSIGN_OR_RETURN(out.certificates, read("certificate", files.certificate));
  TROUPE_ASSIGN_OR_RETURN(out.key, read("key", files.key));
  TROUPE_ASSIGN_OR_RETURN(out.authorities, read("authority", files.authority));
  TROUPE_ASSIGN_OR_RETURN(const auto own,
                          parse_certificates("certificate", files.certificate, out.certificates));
  TROUPE_ASSIGN_OR_RETURN(const auto authorities,
                          parse_certificates("authority", files.authority, out.authorities));
  TROUPE_RETURN_IF_ERROR(check_key(files, out.key, *own[0]));
  if (use != TlsUse::kClient)
    TROUPE_RETURN_IF_ERROR(verify(files, own, authorities, X509_PURPOSE_SSL_SERVER));
  if (use != TlsUse::kServer)
    TROUPE_RETURN_IF_ERROR(verify(files, own, authorities, X509_PURPOSE_SSL_CLIENT));
  return out;
}

}  // namespace troupe
