#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troupe {

/// Frees what OpenSSL has made.
template <auto Free>
struct FreeBy {
  template <class T>
  void operator()(T* made) const {
    Free(made);
  }
};
using Certificate = std::unique_ptr<X509, FreeBy<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;

/// The certificates in a text in PEM format, in their order; what else is there is passed over. None when one of them is malformed.
std::vector<Certificate> certificates_in(absl::string_view pem);
/// The first private key; null when there is none, or a pass phrase keeps it.
PrivateKey private_key_in(absl::string_view pem);
/// "CN=node 7,O=us".
std::string subject_of(const X509& certificate);
/// "Nov 23 15:04:05 2026 GMT".
std::string text_of(const ASN1_TIME& time);

}  // namespace troupe
