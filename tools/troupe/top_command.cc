#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "CLI/CLI.hpp"
#include "graph/status.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/http_get.h"
#include "tools/troupe/messages.h"
#include "tools/troupe/top.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
SERVER is the console of a running program (ConsoleOptions, troupe run --console): HOST:PORT, or a port of this machine.

Examples:
  troupe top 8080
  troupe top http://10.0.0.7:8080 --interval 5
  troupe top 8080 --once
)";

constexpr std::chrono::seconds kPatience{10};
/// Clears the terminal and goes to its first line.
constexpr char kClear[] = "\033[H\033[2J";

struct Request {
  std::string server;
  double interval_seconds = 1;
  size_t max_steps = 20;
  bool once = false;
};

absl::Status show_once(const Request& request, Top* top, const char* before) {
  TROUPE_ASSIGN_OR_RETURN(const std::string answer, http_get(request.server, "/api/status", kPatience));
  TROUPE_ASSIGN_OR_RETURN(const std::string text, top->show(answer, request.max_steps));
  std::fputs(before, stdout);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  return absl::OkStatus();
}

int run(const Request& request) {
  Top top;
  while (true) {
    const absl::Status shown = show_once(request, &top, request.once ? "" : kClear);
    if (!shown.ok()) return fail("top", shown);
    if (request.once) return 0;
    std::this_thread::sleep_for(std::chrono::duration<double>(request.interval_seconds));
  }
}

}  // namespace

void add_top_command(CLI::App& app, Command* chosen) {
  auto request = std::make_shared<Request>();
  CLI::App* sub = app.add_subcommand("top", "Shows what a running program does: sessions, steps, pools");
  sub->footer(kExamples);
  sub->add_option("server", request->server, "Its console")->required()->type_name("SERVER");
  sub->add_option("--interval", request->interval_seconds, "Seconds between two looks")
      ->check(CLI::Range(0.1, 3600.0));
  sub->add_option("--steps", request->max_steps, "Running steps to list, the oldest first");
  sub->add_flag("--once", request->once, "Look once, and end");
  sub->callback([request, chosen] { *chosen = [request] { return run(*request); }; });
}

}  // namespace troupe
