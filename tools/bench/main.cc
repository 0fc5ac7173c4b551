#include <cstdio>
#include <fstream>
#include <regex>
#include <thread>

#include "CLI/CLI.hpp"
#include "nlohmann/json.hpp"
#include "tools/bench/bench.h"

namespace {

using troupe::bench::BenchOptions;
using troupe::bench::Samples;
using troupe::bench::Workload;

constexpr char kExamples[] = R"(
Figures for people go to standard error, JSON to standard output or --json FILE.

Examples:
  troupe bench
  troupe bench --list
  troupe bench --only '^chain_' --seconds 3
  troupe bench --only cancel --json cancel.json
)";

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

nlohmann::json to_json(const Workload& w, const Samples& s) {
  nlohmann::json out = {
      {"name", w.name}, {"what", w.what}, {"unit", s.unit}, {"samples", s.nanoseconds.size()}};
  if (!s.nanoseconds.empty()) {
    out["median_ns"] = s.median();
    out["p10_ns"] = s.quantile(0.1);
    out["p90_ns"] = s.quantile(0.9);
    out["p99_ns"] = s.quantile(0.99);
    out["min_ns"] = s.quantile(0);
  }
  for (const auto& [key, value] : s.figures) out[key] = value;
  for (const auto& [bound, count] : s.histogram) out["histogram_us"].push_back({bound, count});
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Times the runtime's own workloads.", "troupe bench");
  app.footer(kExamples);
  BenchOptions options;
  std::string only, json_path;
  bool list = false;
  app.add_option("--only", only, "Workloads whose name matches this regular expression");
  app.add_option("--seconds", options.seconds, "Time to measure each workload")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--cancel-tries", options.cancel_tries, "Cancels of each scene")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--steps", options.memory_steps, "Steps of million_steps and runs_flat")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--idle-sessions", options.idle_sessions, "Sessions of sessions_idle")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--signatures", options.signatures, "Signatures of signatures_flat")
      ->check(CLI::Range(5'000, 131'071))
      ->capture_default_str();
  app.add_option("--target", options.target,
                 "For cancel_cluster: caf://HOST:PORT, a node of a cluster of two tasks of the job 'worker'");
  app.add_option("--json", json_path, "Write the JSON to this file");
  app.add_flag("--list", list, "Only name the workloads");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "troupe bench: %s\n", e.what());
    return 1;
  }
  std::regex filter;
  try {
    filter = std::regex(only);
  } catch (const std::regex_error& e) {
    std::fprintf(stderr, "troupe bench: bad regular expression '%s'\n", only.c_str());
    return 1;
  }

  nlohmann::json results = nlohmann::json::array();
  int failed = 0;
  for (const Workload& w : troupe::bench::all_workloads()) {
    if (!only.empty() && !std::regex_search(w.name, filter)) continue;
    if (list) {
      std::printf("%-24s %s\n", w.name.c_str(), w.what.c_str());
      continue;
    }
    if (w.needs_cluster && options.target.empty()) {
      std::fprintf(stderr, "%-28s left out: it needs --target\n", w.name.c_str());
      continue;
    }
    const absl::StatusOr<Samples> samples = w.run(options);
    if (!samples.ok()) {
      std::fprintf(stderr, "%-28s FAILED: %s\n", w.name.c_str(),
                   std::string(samples.status().message()).c_str());
      results.push_back({{"name", w.name}, {"error", std::string(samples.status().message())}});
      ++failed;
      continue;
    }
    std::fprintf(stderr, "%s\n", troupe::bench::to_text(w.name, *samples).c_str());
    results.push_back(to_json(w, *samples));
  }
  if (list) return 0;
  const nlohmann::json report = {{"cpu", cpu_model()},
                                 {"cores", std::thread::hardware_concurrency()},
                                 {"seconds", options.seconds},
                                 {"workloads", results}};
  const std::string text = report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (json_path.empty()) {
    std::fputs(text.c_str(), stdout);
  } else {
    std::ofstream(json_path) << text;
  }
  return failed == 0 ? 0 : 1;
}
