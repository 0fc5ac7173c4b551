#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "actors/tls/tls_options.h"

namespace troupe {

/// Which ends of connections a process is at: what its certificate must allow.
enum class TlsUse { kServer, kClient, kBoth };

/// What a process shows its peers, and what it holds theirs against: PEM that was checked. A value.
struct TlsIdentity {
  /// The own one first.
  std::string certificates;
  std::string key;
  std::string authorities;

  /// Reads the files and checks that a peer with the same authorities would take it. In one line, which names the file, what is in it and what
  /// was expected: NotFound or PermissionDenied for a file that cannot be read; InvalidArgument for one that is not named or has no PEM, a
  /// key of another certificate, a certificate that is not valid now, is for another use, or that none of the authorities has signed.
  static absl::StatusOr<TlsIdentity> load(const TlsOptions& files, TlsUse use);
};

}  // namespace troupe
