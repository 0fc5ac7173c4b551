#include "actors/tls/tls_options.h"

#include <cstdlib>

namespace troupe {
namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace

TlsOptions TlsOptions::of_environment() {
  return {variable("TROUPE_TLS_CERT"), variable("TROUPE_TLS_KEY"), variable("TROUPE_TLS_CA")};
}

}  // namespace troupe
