#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// Whether a host is this machine, and reached from nowhere else: "localhost", an IPv4 address of 127.0.0.0/8, "::1".
bool is_loopback(absl::string_view host);
/// Whether a server may listen there: on the loopback any may, elsewhere who has TLS, and who was told to do without (`insecure`). PermissionDenied, which
/// says what was expected.
absl::Status check_listening(absl::string_view host, bool has_tls, bool insecure);

}  // namespace troupe
