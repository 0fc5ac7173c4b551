#include "tools/bench/cluster_simulation/growth.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "tools/bench/cluster_simulation/master_client.h"

namespace troupe::simulation {
namespace {

using nlohmann::json;

double micros(Nanos t) { return static_cast<double>(t) / kMicro; }

json to_json(const Span& s) {
  return {{"virtual_us", micros(s.virtual_time)},
          {"master_cpu_us", micros(s.master_cpu)},
          {"workers_cpu_us", micros(s.workers_cpu)},
          {"client_cpu_us", micros(s.client_cpu)},
          {"real_us", micros(s.real_time)},
          {"messages", s.messages},
          {"requests", s.requests},
          {"values", s.values},
          {"heartbeats", s.heartbeats},
          {"bytes", s.bytes}};
}

json measure(const GrowthOptions& options, int workers) {
  SimulatedCluster cluster(workers, options.network);
  std::vector<int> hosts(workers);
  std::iota(hosts.begin(), hosts.end(), 1);
  MasterClient client(&cluster, options.floats);
  Span open, first;
  json out = {{"workers", workers}};
  if (const absl::Status status = client.open(hosts, nullptr, &open); !status.ok()) {
    out["error"] = status.ToString();
    return out;
  }
  out["open"] = to_json(open);
  if (const absl::Status status = client.step(&first); !status.ok()) {
    out["error"] = status.ToString();
    return out;
  }
  out["first_step"] = to_json(first);
  std::fprintf(stderr, "%d opened\n%s\n", workers, out.dump(1).c_str());
  for (int i = 0; i < options.steps; ++i) {
    Span s;
    if (const absl::Status status = client.step(&s); !status.ok()) {
      out["error"] = status.ToString();
      return out;
    }
    if (i == options.steps - 1) out["step"] = to_json(s);
  }
  return out;
}

}  // namespace

json measure_growth(const GrowthOptions& options) {
  json out = json::array();
  for (const int workers : options.workers) out.push_back(measure(options, workers));
  return out;
}

}  // namespace troupe::simulation
