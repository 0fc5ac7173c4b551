// A cluster of many WORKERs in one process, on a virtual clock and a modelled network.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/bench/cluster_simulation/growth.h"

namespace troupe::simulation {
namespace {

int run(int argc, char** argv) {
  CLI::App app{"Simulates clusters of many workers in one process."};
  GrowthOptions growth;
  app.add_option("--workers", growth.workers, "How many workers: one cluster for each number");
  app.add_option("--steps", growth.steps, "Of each cluster");
  CLI11_PARSE(app, argc, argv);
  nlohmann::json out;
  out["growth"] = measure_growth(growth);
  std::cout << out.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace troupe::simulation

int main(int argc, char** argv) { return troupe::simulation::run(argc, argv); }
