#pragma once

#include <string>

namespace troupe {

/// The files by which a process shows its peers who it is, and by which it knows them. All are PEM; none is named: there is no TLS. A value.
struct TlsOptions {
  /// The process's own certificate, then those between it and an authority, if there are any.
  std::string certificate;
  /// Its key, which no pass phrase keeps.
  std::string key;
  /// The authorities that sign the certificates of peers, and the own one.
  std::string authority;

  bool given() const { return !certificate.empty() || !key.empty() || !authority.empty(); }
  /// TROUPE_TLS_CERT, TROUPE_TLS_KEY and TROUPE_TLS_CA, as they are now.
  static TlsOptions of_environment();
};

}  // namespace troupe
