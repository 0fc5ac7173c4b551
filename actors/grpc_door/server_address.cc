#include "actors/grpc_door/server_address.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<ServerAddress> ServerAddress::parse(absl::string_view text) {
  const size_t colon = text.rfind(':');
  ServerAddress out;
  if (colon == absl::string_view::npos || colon == 0 ||
      !absl::SimpleAtoi(text.substr(colon + 1), &out.port) || out.port < 0 || out.port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("Could not parse \"", text, "\": an address is HOST:PORT, and a port is 0 to 65535"));
  }
  absl::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  out.host = std::string(host);
  return out;
}

std::string ServerAddress::with_port(int other_port) const {
  const bool v6 = host.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", host, v6 ? "]:" : ":", other_port);
}

}  // namespace troupe
