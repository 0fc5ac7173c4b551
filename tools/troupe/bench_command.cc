#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/messages.h"

namespace troupe {
namespace {

/// The benchmarks are a program of their own, beside this one: they count every heap allocation of their process.
constexpr char kProgram[] = "troupe-bench";

int run_bench(std::vector<std::string> arguments) {
  char self[4096];
  const ssize_t n = ::readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (n <= 0) return fail("bench", absl::ErrnoToStatus(errno, "cannot find this program's own file"));
  std::string path(self, static_cast<size_t>(n));
  path = path.substr(0, path.rfind('/') + 1) + kProgram;
  arguments.insert(arguments.begin(), "troupe bench");
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  return fail("bench", absl::ErrnoToStatus(errno, path));
}

}  // namespace

void add_bench_command(CLI::App& app, Command* chosen) {
  CLI::App* sub = app.add_subcommand("bench", "Times the runtime's own workloads; see bench --help");
  sub->prefix_command();
  sub->set_help_flag();
  sub->callback([sub, chosen] { *chosen = [sub] { return run_bench(sub->remaining()); }; });
}

}  // namespace troupe
