#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe {

/// An option that may be given again and again, with one value each time, taken as it stands: brackets and commas are
/// the value's own. `out` must live until the command line is parsed.
CLI::Option* add_texts(CLI::App* app, const std::string& name, std::vector<std::string>* out,
                       const std::string& help);

}  // namespace troupe
