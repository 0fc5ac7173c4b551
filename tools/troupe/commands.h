#pragma once

#include <functional>

namespace CLI {
class App;
}  // namespace CLI

namespace troupe {

/// What a subcommand does once its options are parsed: the exit code.
using Command = std::function<int()>;

/// Each adds its subcommand to `app` and sets `*chosen` when it was the one on the command line.
void add_run_command(CLI::App& app, Command* chosen);
void add_inspect_command(CLI::App& app, Command* chosen);
void add_verify_command(CLI::App& app, Command* chosen);
/// Hidden: the child processes of verify.
void add_verify_worker_command(CLI::App& app, Command* chosen);
void add_ops_command(CLI::App& app, Command* chosen);
void add_serve_command(CLI::App& app, Command* chosen);
void add_cluster_command(CLI::App& app, Command* chosen);
void add_top_command(CLI::App& app, Command* chosen);
void add_bench_command(CLI::App& app, Command* chosen);

}  // namespace troupe
