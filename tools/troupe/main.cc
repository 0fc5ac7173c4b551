#include <google/protobuf/stubs/logging.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>

#include "CLI/CLI.hpp"
#include "tools/troupe/commands.h"

namespace {

constexpr char kAbout[] = "Runs and examines TensorFlow graphs on actors.";
constexpr char kVersion[] = "troupe 0.1.0";
constexpr char kExamples[] = R"(
Examples:
  troupe run model.pb --feed x=[1,2,3] --fetch y
  troupe inspect saved_model
  troupe verify --cases cases.tsv

Every command explains itself: troupe run --help)";

}  // namespace

int main(int argc, char** argv) {
  // Files that do not parse are reported by the commands, once.
  google::protobuf::SetLogHandler(nullptr);
  // Standard output is for what a command was asked.
  spdlog::set_default_logger(spdlog::stderr_color_mt("troupe"));
  CLI::App app(kAbout, "troupe");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.set_version_flag("--version", kVersion);
  troupe::Command command;
  troupe::add_run_command(app, &command);
  troupe::add_inspect_command(app, &command);
  troupe::add_verify_command(app, &command);
  troupe::add_verify_worker_command(app, &command);
  troupe::add_ops_command(app, &command);
  troupe::add_serve_command(app, &command);
  troupe::add_cluster_command(app, &command);
  troupe::add_top_command(app, &command);
  troupe::add_bench_command(app, &command);
  const auto is_chosen = [&](const CLI::App* sub) { return sub->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_chosen).empty()) {
    std::fprintf(stderr, "troupe: no command '%s' (troupe --help tells more)\n", argv[1]);
    return 1;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "troupe: %s (troupe --help tells more)\n", e.what());
    return 1;
  }
  return command ? command() : 1;
}
