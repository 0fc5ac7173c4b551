#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troupe {

/// Where a server listens.
struct ServerAddress {
  /// As it was written, without brackets.
  std::string host;
  int port = 0;

  /// "HOST:PORT". InvalidArgument when it is none.
  static absl::StatusOr<ServerAddress> parse(absl::string_view text);
  /// "HOST:PORT", with brackets where the host has colons.
  std::string with_port(int other_port) const;
};

}  // namespace troupe
