#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "actors/session.h"
#include "devices/cancellation.h"
#include "tools/bench/cluster_simulation/simulated_cluster.h"

namespace troupe::simulation {

/// Between two moments: virtual time, what the processors of master and workers were measured to take, and what came and went at the master.
struct Span {
  Nanos virtual_time = 0;
  Nanos master_cpu = 0;
  Nanos workers_cpu = 0;
  /// Of the client's own thread, where it waited for the master.
  Nanos client_cpu = 0;
  /// By the machine's clock.
  Nanos real_time = 0;
  int64_t messages = 0;
  int64_t requests = 0;
  int64_t values = 0;
  int64_t heartbeats = 0;
  int64_t bytes = 0;
};

/// What has been since it was made.
class Watch {
 public:
  explicit Watch(SimulatedCluster* cluster) : cluster_(cluster), before_(read()) {}
  Span so_far() const;

 private:
  Span read() const;
  SimulatedCluster* const cluster_;
  const Span before_;
};

/// A client of the master: sessions over hosts of the cluster that sum what these say, one at a time.
class MasterClient {
 public:
  MasterClient(SimulatedCluster* cluster, int floats) : cluster_(cluster), floats_(floats) {}
  ~MasterClient() { close(); }

  /// Opens a session over these hosts and gives it its graph. Cancelled when `given_up` is tripped before the tasks have answered. `span`: how long
  /// it took.
  absl::Status open(const std::vector<int>& hosts, const std::shared_ptr<CancellationToken>& given_up,
                    Span* span);
  /// One step, whose sum is looked at: DataLoss when it is wrong, DeadlineExceeded when it does not end in a minute.
  absl::Status step(Span* span);
  void close();

  bool is_open() const { return session_ != nullptr; }
  const std::vector<int>& hosts() const { return hosts_; }
  int64_t steps_begun() const { return steps_; }

 private:
  SimulatedCluster* const cluster_;
  const int floats_;
  std::vector<int> hosts_;
  std::unique_ptr<Session> session_;
  int64_t steps_ = 0;
};

}  // namespace troupe::simulation
