#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe {

struct TlsOptions;

/// An option that may be given again and again, with one value each time, taken as it stands: brackets and commas are
/// the value's own. `out` must live until the command line is parsed.
CLI::Option* add_texts(CLI::App* app, const std::string& name, std::vector<std::string>* out,
                       const std::string& help);

/// --tls-cert, --tls-key and --tls-ca, or what the environment says. `out` must live until the command line is parsed.
void add_tls_options(CLI::App* app, TlsOptions* out);

}  // namespace troupe
