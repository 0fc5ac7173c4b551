// Clusters of many WORKERs in one process, on a virtual clock and a modelled network. JSON on standard output.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/bench/cluster_simulation/check_figures.h"
#include "tools/bench/cluster_simulation/faults.h"
#include "tools/bench/cluster_simulation/growth.h"

namespace troupe::simulation {
namespace {

using nlohmann::json;

json to_json(const NetworkModel& m) {
  return {{"latency_us", m.latency / kMicro},
          {"gbits", m.gbits},
          {"overhead_bytes", m.overhead_bytes},
          {"node_cost_us", static_cast<double>(m.node_cost) / kMicro},
          {"handling", m.handling < 0 ? json("measured") : json(static_cast<double>(m.handling) / kMicro)}};
}

int run(int argc, char** argv) {
  CLI::App app{"Simulates clusters of many workers in one process."};
  GrowthOptions growth;
  FaultOptions faults;
  NetworkModel network;
  double handling_us = -1, latency_us = 50;
  bool check = false;
  std::string file;
  app.add_option("--workers", growth.workers, "How many workers: one cluster for each number");
  app.add_option("--steps", growth.steps, "Of each cluster without faults; 0: none of these");
  app.add_option("--failures", faults.failures, "Of each cluster with faults; 0: none of these");
  app.add_option("--failing", faults.failing_percent, "Percent of the workers that fail in a minute");
  app.add_option("--draining", faults.draining_percent, "Percent of the workers that drain in a minute");
  app.add_option("--floats", growth.floats, "Elements of each value");
  app.add_option("--gbits", network.gbits, "Of each link, each way");
  app.add_option("--latency-us", latency_us, "From one link to the other");
  app.add_option("--handling-us", handling_us, "What actors do upon a message takes; below 0: as measured");
  app.add_option("--seed", faults.seed, "Of failures and drains");
  app.add_option("--json", file, "Where the figures go, instead of standard output");
  app.add_flag("--check", check, "Fail when a step is wrong or lost for ever, or something is left");
  CLI11_PARSE(app, argc, argv);
  network.latency = static_cast<Nanos>(latency_us * kMicro);
  network.handling = handling_us < 0 ? -1 : static_cast<Nanos>(handling_us * kMicro);
  growth.network = faults.network = network;
  faults.workers = growth.workers;
  faults.floats = growth.floats;
  json out = {{"model", to_json(network)}, {"floats", growth.floats}};
  if (growth.steps > 0) out["growth"] = measure_growth(growth);
  if (faults.failures > 0) out["faults"] = measure_faults(faults);
  if (file.empty()) {
    std::cout << out.dump(1) << "\n";
  } else {
    std::ofstream(file) << out.dump(1) << "\n";
  }
  if (!check) return 0;
  const std::vector<std::string> wrong = check_figures(out);
  for (const std::string& line : wrong) std::fprintf(stderr, "%s\n", line.c_str());
  return wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace troupe::simulation

int main(int argc, char** argv) { return troupe::simulation::run(argc, argv); }
