#include "actors/loopback.h"

#include <arpa/inet.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace troupe {

bool is_loopback(absl::string_view host) {
  if (host == "localhost") return true;
  const std::string text(host);
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::Status check_listening(absl::string_view host, bool has_tls, bool insecure) {
  if (has_tls || insecure || is_loopback(host)) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "Servers listen on the loopback only (localhost, 127.0.0.1, [::1]) without TLS, not on \"", host,
      "\", where whoever reaches the port could run any graph; a certificate, its key and the authority's "
      "certificate are expected"));
}

}  // namespace troupe
