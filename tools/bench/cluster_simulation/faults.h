#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "tools/bench/cluster_simulation/virtual_network.h"

namespace troupe::simulation {

struct FaultOptions {
  std::vector<int> workers = {10, 30, 100, 300, 1000};
  /// Of the workers, in a minute of virtual time: every second of those that fail goes with its machine, so that only its silence tells.
  double failing_percent = 1;
  double draining_percent = 0.5;
  /// From the end of a process to the begin of the next.
  Nanos down_time = 10 * kSecond;
  /// From the begin of a step to that of the next, if it is over by then.
  Nanos step_every = 100 * kMilli;
  /// The simulation ends when so many have failed and are back.
  int failures = 20;
  int floats = 1024;
  uint64_t seed = 1;
  NetworkModel network;
};

/// A cluster for each number, over which steps are run while workers fail, come back, drain and are started again. The client knows what the master's node
/// knows; it opens another session when a task of its session is lost, when one drains, and when one has come back. An entry for each.
nlohmann::json measure_faults(const FaultOptions& options);

}  // namespace troupe::simulation
