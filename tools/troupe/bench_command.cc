#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/messages.h"

namespace troupe {
namespace {

/// The benchmarks are a program of their own, beside this one: they count every heap allocation of their process.
constexpr char kProgram[] = "troupe-bench";
/// Models beside other engines: a script, where it and the C API's library are as seen from the folder of this program.
constexpr char kModels[] = "--models";
constexpr char kScript[] = "../share/troupe/bench/models/models.py";
constexpr char kLibrary[] = "../lib/libtroupe_c.so.2";
/// Where the library is in a folder of the system, the loader knows it by this name.
constexpr char kLibraryName[] = "libtroupe_c.so.2";

/// Becomes `program`, a path or a name of the PATH; returns only when it cannot.
int become(const std::string& program, std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  ::execvp(program.c_str(), argv.data());
  return fail("bench", absl::ErrnoToStatus(errno, absl::StrCat("cannot start ", program)));
}

int run_models(const std::string& folder, const std::vector<std::string>& arguments) {
  const std::string script = folder + kScript;
  if (::access(script.c_str(), R_OK) != 0) return fail("bench", absl::ErrnoToStatus(errno, script));
  const std::string library = folder + kLibrary;
  // First, so that a --library of the user's counts.
  std::vector<std::string> all = {"python3", script, "--library",
                                  ::access(library.c_str(), R_OK) == 0 ? library : kLibraryName};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return become("python3", std::move(all));
}

int run_bench(std::vector<std::string> arguments) {
  char self[4096];
  const ssize_t n = ::readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (n <= 0) return fail("bench", absl::ErrnoToStatus(errno, "cannot find this program's own file"));
  std::string folder(self, static_cast<size_t>(n));
  folder.resize(folder.rfind('/') + 1);
  if (auto models = std::find(arguments.begin(), arguments.end(), kModels); models != arguments.end()) {
    arguments.erase(models);
    return run_models(folder, arguments);
  }
  arguments.insert(arguments.begin(), "troupe bench");
  return become(folder + kProgram, std::move(arguments));
}

}  // namespace

void add_bench_command(CLI::App& app, Command* chosen) {
  CLI::App* sub = app.add_subcommand(
      "bench", "Times the runtime's own workloads, see bench --help, or models (--models FOLDER)");
  sub->prefix_command();
  sub->set_help_flag();
  sub->callback([sub, chosen] { *chosen = [sub] { return run_bench(sub->remaining()); }; });
}

}  // namespace troupe
