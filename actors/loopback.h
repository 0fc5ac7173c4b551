#pragma once

#include "absl/strings/string_view.h"

namespace troupe {

/// Whether a host is this machine, and reached from nowhere else: "localhost", an IPv4 address of 127.0.0.0/8, "::1".
bool is_loopback(absl::string_view host);

}  // namespace troupe
