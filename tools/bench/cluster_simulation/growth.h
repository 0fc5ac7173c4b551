#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "tools/bench/cluster_simulation/virtual_network.h"

namespace troupe::simulation {

struct GrowthOptions {
  std::vector<int> workers = {10, 30, 100, 300, 1000};
  int steps = 1000;
  /// Of the value that goes to each worker, and comes back.
  int floats = 1024;
  NetworkModel network;
};

/// A cluster for each number: a session over all workers is opened and given its graph, and steps are run one after the other. An entry for each.
nlohmann::json measure_growth(const GrowthOptions& options);

}  // namespace troupe::simulation
