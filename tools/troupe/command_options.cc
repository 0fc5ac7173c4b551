#include "tools/troupe/command_options.h"

#include "CLI/CLI.hpp"

namespace troupe {

CLI::Option* add_texts(CLI::App* app, const std::string& name, std::vector<std::string>* out,
                       const std::string& help) {
  return app
      ->add_option_function<std::vector<std::string>>(
          name, [out](const std::vector<std::string>& values) { *out = values; }, help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

}  // namespace troupe
