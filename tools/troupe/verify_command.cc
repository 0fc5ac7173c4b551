#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include "CLI/CLI.hpp"
#include "actors/runtime.h"
#include "tools/troupe/commands.h"
#include "tools/troupe/files.h"
#include "tools/troupe/messages.h"
#include "tools/troupe/verify.h"
#include "tools/troupe/worker_process.h"

namespace troupe {
namespace {

constexpr char kExamples[] = R"(
Each case is a graph with its feeds and the outputs that it must give; each script is a session with steps
that must go as they say, errors too; see the README of the list. One line tells of each failure, and of
each error of a script whose message lacks a text; the last line is "N passed, N failed, N skipped". All run
in child processes: one that crashes or hangs is a failure like another.

Examples:
  troupe verify --cases ../shared/data/cases.tsv
  troupe verify --cases ../shared/refcases/cases.tsv --filter '^ops/Conv2D' --report conv.json
  troupe verify --cases cases.tsv --min-passed 680 --allow-failures
  troupe verify --scripts ../shared/refcases/scripts.tsv --filter '^session/'
)";

struct Flags {
  VerifyOptions options;
  std::string cases;
  std::string scripts;
  std::string report;
  bool allow_failures = false;
  int min_passed = 0;
  bool quiet = false;
};

VerifyList list_of(const std::string& cases, const std::string& scripts, const std::string& root,
                   bool as_written) {
  return {scripts.empty() ? cases : scripts, !scripts.empty(), root, as_written};
}

void print_result(const VerifyItem& item, const CaseResult& r) {
  if (r.outcome == CaseResult::Outcome::kFailed) {
    std::printf("FAILED %s: %s: %s\n", item.id.c_str(), r.kind.c_str(), r.message.c_str());
  } else if (r.kind == "known_difference") {
    std::printf("DIFFERS %s: %s\n", item.id.c_str(), r.message.c_str());
  } else if (!r.text_difference.empty()) {
    std::printf("TEXT %s: %s\n", item.id.c_str(), r.text_difference.c_str());
  }
  std::fflush(stdout);
}

void print_areas(const VerifySummary& summary) {
  for (const auto& [area, n] : summary.by_area()) {
    std::printf("%-8s %4d of %4d passed, %4d with all texts\n", area.c_str(), n.passed,
                n.passed + n.failed + n.skipped, n.with_all_texts);
  }
}

int run_verify(Flags flags) {
  flags.options.list =
      list_of(flags.cases, flags.scripts, flags.options.list.root, flags.options.list.as_written);
  const auto summary = verify(flags.options, [&](const VerifyItem& item, const CaseResult& r) {
    if (!flags.quiet) print_result(item, r);
  });
  if (!summary.ok()) return fail("verify", summary.status());
  const bool is_scripts = flags.options.list.is_scripts;
  if (!flags.report.empty()) {
    const absl::Status written = write_file(flags.report, verify_report(*summary, is_scripts));
    if (!written.ok()) return fail("verify", written);
  }
  if (is_scripts && !flags.quiet) print_areas(*summary);
  const VerifyCounts& n = summary->total;
  const bool enough = n.passed >= flags.min_passed;
  if (!enough) std::printf("only %d passed, at least %d were asked for\n", n.passed, flags.min_passed);
  if (is_scripts) std::printf("%d of those that passed have all texts\n", n.with_all_texts);
  std::printf("%d passed, %d failed, %d skipped\n", n.passed, n.failed, n.skipped);
  return enough && (n.failed == 0 || flags.allow_failures) ? 0 : 1;
}

int run_worker(const VerifyList& list, int answers_fd) {
  const std::unique_ptr<Runtime> runtime = Runtime::create();
  VerifyWorker worker(list, *runtime);
  if (const absl::Status loaded = worker.load(); !loaded.ok()) return fail("verify-worker", loaded);
  return serve_lines(answers_fd, [&](const std::string& line) { return worker.answer(line); });
}

/// Exactly one of the two lists.
void add_list_options(CLI::App* sub, std::string* cases, std::string* scripts) {
  CLI::Option_group* lists = sub->add_option_group("list");
  lists->add_option("--cases", *cases, "A list of cases, tab-separated");
  lists->add_option("--scripts", *scripts, "A list of scripts of several steps, tab-separated");
  lists->require_option(1);
}

}  // namespace

void add_verify_command(CLI::App& app, Command* chosen) {
  auto flags = std::make_shared<Flags>();
  flags->options.jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::App* sub =
      app.add_subcommand("verify", "Runs a list of cases or scripts and compares with the expected outputs");
  sub->footer(kExamples);
  add_list_options(sub, &flags->cases, &flags->scripts);
  sub->add_option("--root", flags->options.list.root,
                  "Folder in which its paths begin (default: the list's own)");
  sub->add_flag("--as-written", flags->options.list.as_written, "Without any pass that rewrites graphs");
  sub->add_option("--filter", flags->options.filter, "Only those whose id matches this regular expression");
  sub->add_option("--jobs", flags->options.jobs, "Child processes")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->add_option("--timeout", flags->options.timeout_s, "Seconds after which one counts as hung")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sub->add_option("--known-differences", flags->options.known_differences,
                  "A file of ids and reasons: these may fail, and must not pass");
  sub->add_option("--report", flags->report, "Write every result to this file, as JSON");
  sub->add_option("--min-passed", flags->min_passed, "Exit with 1 when fewer pass");
  sub->add_flag("--allow-failures", flags->allow_failures, "Exit with 0 though some failed");
  sub->add_flag("--quiet", flags->quiet, "Only the last line");
  sub->callback([flags, chosen] { *chosen = [flags] { return run_verify(*flags); }; });
}

void add_verify_worker_command(CLI::App& app, Command* chosen) {
  auto cases = std::make_shared<std::string>();
  auto scripts = std::make_shared<std::string>();
  auto root = std::make_shared<std::string>();
  auto as_written = std::make_shared<bool>(false);
  auto answers = std::make_shared<int>(-1);
  CLI::App* sub = app.add_subcommand("verify-worker", "")->group("");
  add_list_options(sub, cases.get(), scripts.get());
  sub->add_option("--root", *root)->required();
  sub->add_flag("--as-written", *as_written);
  sub->add_option("--answers", *answers)->required();
  sub->callback(
      [=] { *chosen = [=] { return run_worker(list_of(*cases, *scripts, *root, *as_written), *answers); }; });
}

}  // namespace troupe
