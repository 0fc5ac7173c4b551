#include "tools/troupe/command_options.h"

#include "CLI/CLI.hpp"
#include "actors/tls/tls_options.h"

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

void add_tls_options(CLI::App* app, TlsOptions* out) {
  CLI::Option_group* tls = app->add_option_group("TLS", "All three, PEM; both ends show a certificate");
  tls->add_option("--tls-cert", out->certificate, "This process's certificate")
      ->envname("TROUPE_TLS_CERT")
      ->type_name("FILE");
  tls->add_option("--tls-key", out->key, "Its key")->envname("TROUPE_TLS_KEY")->type_name("FILE");
  tls->add_option("--tls-ca", out->authority, "Who signs certificates")
      ->envname("TROUPE_TLS_CA")
      ->type_name("FILE");
}

}  // namespace troupe
