#include "tools/bench/cluster_simulation/growth.h"

#include <cstdio>
#include <numeric>
#include <string>

#include "graph/status.h"
#include "tools/bench/cluster_simulation/figures.h"
#include "tools/bench/cluster_simulation/master_client.h"
#include "tools/bench/resident_memory.h"

namespace troupe::simulation {
namespace {

using nlohmann::json;

constexpr int kMaster = SimulatedCluster::kMaster;

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
          {"bytes", s.bytes}};
}

/// Of many steps.
struct StepFigures {
  Figures virtual_time, master_cpu, workers_cpu, real_time, messages, bytes;
  void add(const Span& s) {
    virtual_time.add(s.virtual_time);
    master_cpu.add(s.master_cpu);
    workers_cpu.add(s.workers_cpu);
    real_time.add(s.real_time);
    messages.add(s.messages);
    bytes.add(s.bytes);
  }
  json to_json() const {
    return {{"virtual_us", virtual_time.to_json(kMicro)},
            {"master_cpu_us", master_cpu.to_json(kMicro)},
            {"workers_cpu_us", workers_cpu.to_json(kMicro)},
            {"real_us", real_time.to_json(kMicro)},
            {"messages", messages.to_json(1)},
            {"bytes", bytes.to_json(1)}};
  }
};

/// Heartbeats that come and go at the master in a second in which no step runs, and what they take there.
json measure_rest(SimulatedCluster& cluster) {
  const auto usage = [&] { return cluster.net().usage(kMaster, Load::kHeartbeat); };
  const auto before = usage();
  cluster.net().run_until(cluster.now() + kSecond);
  const auto after = usage();
  return {{"heartbeats", after.messages - before.messages},
          {"cpu_us", micros(after.cpu - before.cpu)},
          {"busy_us", micros(after.busy - before.busy)},
          {"connections", cluster.node(kMaster).num_connections()}};
}

absl::Status run_steps(MasterClient& client, int steps, StepFigures* figures) {
  for (int i = 0; i < steps; ++i) {
    Span s;
    TROUPE_RETURN_IF_ERROR(client.step(&s));
    figures->add(s);
  }
  return absl::OkStatus();
}

absl::Status measure(const GrowthOptions& options, int workers, json* out) {
  const int64_t without = bench::resident_kib();
  SimulatedCluster cluster(workers, options.network);
  (*out)["kib_a_worker"] = static_cast<double>(bench::resident_kib() - without) / workers;
  std::vector<int> hosts(workers);
  std::iota(hosts.begin(), hosts.end(), 1);
  MasterClient client(&cluster, options.floats);
  const int64_t closed = bench::resident_kib();
  Span open, first;
  TROUPE_RETURN_IF_ERROR(client.open(hosts, nullptr, &open));
  TROUPE_RETURN_IF_ERROR(client.step(&first));
  (*out)["session_kib_a_worker"] = static_cast<double>(bench::resident_kib() - closed) / workers;
  (*out)["open"] = to_json(open);
  (*out)["first_step"] = to_json(first);
  StepFigures warm, figures;
  TROUPE_RETURN_IF_ERROR(run_steps(client, std::max(1, options.steps / 20), &warm));
  TROUPE_RETURN_IF_ERROR(run_steps(client, options.steps, &figures));
  (*out)["step"] = figures.to_json();
  (*out)["rest"] = measure_rest(cluster);
  client.close();
  cluster.net().run_until(cluster.now() + kSecond);
  size_t left = 0;
  for (int host = 0; host <= workers; ++host) left += cluster.sessions_on(host);
  (*out)["left"] = {{"sessions_on_workers", left},
                    {"sessions", cluster.sessions_of_runtime()},
                    {"slots", cluster.slots_alive()},
                    {"steps", cluster.steps_open()},
                    {"values", cluster.values_waiting()}};
  return absl::OkStatus();
}

/// The same steps where processors take no time for them: what links and distances alone make of it.
absl::Status measure_network(GrowthOptions options, int workers, json* out) {
  options.network.handling = 0;
  options.network.node_cost = 0;
  options.steps = std::max(1, options.steps / 50);
  json alone;
  TROUPE_RETURN_IF_ERROR(measure(options, workers, &alone));
  (*out)["network_alone_us"] = alone["step"]["virtual_us"]["median"];
  return absl::OkStatus();
}

}  // namespace

json measure_growth(const GrowthOptions& options) {
  json out = json::array();
  for (const int workers : options.workers) {
    std::fprintf(stderr, "%d workers\n", workers);
    json entry = {{"workers", workers}, {"steps", options.steps}};
    absl::Status status = measure(options, workers, &entry);
    if (status.ok()) status = measure_network(options, workers, &entry);
    if (!status.ok()) entry["error"] = status.ToString();
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace troupe::simulation
