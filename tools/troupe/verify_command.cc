#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "actors/runtime.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/files.h"
#include "tools/troupe/messages.h"
#include "tools/troupe/verify.h"
#include "tools/troupe/worker_process.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
Each case is a graph with its feeds and the outputs that it must give; see the README of the list. One line tells of
each failure, and the last line is "N passed, N failed, N skipped". Cases run in child processes: one that crashes or
hangs is a failure like another.

Examples:
  troupe verify --cases ../shared/data/cases.tsv
  troupe verify --cases ../shared/refcases/cases.tsv --filter '^ops/Conv2D' --report conv.json
  troupe verify --cases cases.tsv --min-passed 680 --allow-failures
)";

struct Flags {
  VerifyOptions options;
  std::string report;
  bool allow_failures = false;
  int min_passed = 0;
  bool quiet = false;
};

void print_failure(const Case& c, const CaseResult& r) {
  std::printf("FAILED %s: %s: %s\n", c.id.c_str(), r.kind.c_str(), r.message.c_str());
  std::fflush(stdout);
}

int run_verify(const Flags& flags) {
  const auto summary = verify(flags.options, [&](const Case& c, const CaseResult& r) {
    if (!flags.quiet) print_failure(c, r);
  });
  if (!summary.ok()) return fail("verify", summary.status());
  if (!flags.report.empty()) {
    const absl::Status written = write_file(flags.report, verify_report(*summary));
    if (!written.ok()) return fail("verify", written);
  }
  const bool enough = summary->passed >= flags.min_passed;
  if (!enough) std::printf("only %d passed, at least %d were asked for\n", summary->passed, flags.min_passed);
  std::printf("%d passed, %d failed, %d skipped\n", summary->passed, summary->failed, summary->skipped);
  return enough && (summary->failed == 0 || flags.allow_failures) ? 0 : 1;
}

int run_worker(const std::string& cases_path, const std::string& root, int answers_fd) {
  const absl::StatusOr<std::string> text = read_file(cases_path);
  if (!text.ok()) return fail("verify-worker", text.status());
  const absl::StatusOr<std::vector<Case>> cases = parse_cases(*text);
  if (!cases.ok()) return fail("verify-worker", cases.status());
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  return serve_lines(answers_fd, [&](const std::string& line) {
    int index = -1;
    if (!absl::SimpleAtoi(line, &index) || index < 0 || index >= static_cast<int>(cases->size())) {
      return absl::StrCat("no case ", line);
    }
    return to_json_line(run_case((*cases)[index], root, *runtime));
  });
}

}  // namespace

void add_verify_command(CLI::App& app, Command* chosen) {
  auto flags = std::make_shared<Flags>();
  flags->options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::App* sub = app.add_subcommand("verify", "Runs a list of cases and compares with the expected outputs");
  sub->footer(kExamples);
  sub->add_option("--cases", flags->options.cases_path, "The list, tab-separated")->required();
  sub->add_option("--root", flags->options.root, "Folder in which its paths begin (default: the list's own)");
  sub->add_option("--filter", flags->options.filter, "Only cases whose id matches this regular expression");
  sub->add_option("--jobs", flags->options.jobs, "Child processes")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->add_option("--timeout", flags->options.timeout_s, "Seconds after which a case counts as hung")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sub->add_option("--report", flags->report, "Write every result to this file, as JSON");
  sub->add_option("--min-passed", flags->min_passed, "Exit with 1 when fewer cases pass");
  sub->add_flag("--allow-failures", flags->allow_failures, "Exit with 0 though cases failed");
  sub->add_flag("--quiet", flags->quiet, "Only the last line");
  sub->callback([flags, chosen] { *chosen = [flags] { return run_verify(*flags); }; });
}

void add_verify_worker_command(CLI::App& app, Command* chosen) {
  auto cases = std::make_shared<std::string>();
  auto root = std::make_shared<std::string>();
  auto answers = std::make_shared<int>(-1);
  CLI::App* sub = app.add_subcommand("verify-worker", "")->group("");
  sub->add_option("--cases", *cases)->required();
  sub->add_option("--root", *root)->required();
  sub->add_option("--answers", *answers)->required();
  sub->callback([=] { *chosen = [=] { return run_worker(*cases, *root, *answers); }; });
}

}  // namespace troupe
