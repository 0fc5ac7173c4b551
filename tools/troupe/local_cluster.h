#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"
#include "tools/troupe/node_process.h"

namespace troupe {

struct LocalClusterOptions {
  int nodes = 2;
  std::string job = "worker";
  /// ConfigProto in text format, of every node.
  std::string config;
  /// Where the first has a door for TensorFlow's clients, "HOST:PORT"; "" for none.
  std::string grpc;
};

/// The tasks of a cluster as processes of this machine, on ports that were free. One thread at a time.
class LocalCluster {
 public:
  /// All listen when it returns. Unavailable when one does not, with how it ended; DeadlineExceeded after half a minute. InvalidArgument for fewer nodes
  /// than one, and a job that is none.
  static absl::StatusOr<std::unique_ptr<LocalCluster>> start(const LocalClusterOptions& options);
  /// Tells them to end, kills those that have not after ten seconds.
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;

  const ClusterSpec& spec() const { return spec_; }
  /// Of the door: "grpc://127.0.0.1:2222"; "" without one.
  const std::string& target() const { return target_; }
  /// "/job:worker/replica:0/task:1 is process 4711", a line each.
  std::vector<std::string> processes() const;
  /// "/job:worker/replica:0/task:1 has ended: killed by SIGKILL", for each that has since the last call.
  std::vector<std::string> news();
  /// What the nodes have printed since the last call: their logs. To be called now and then.
  std::string output();
  /// Whether one still runs.
  bool any_alive();

 private:
  struct Node {
    TaskId task;
    std::unique_ptr<NodeProcess> process;
    bool told = false;
  };
  LocalCluster() = default;

  ClusterSpec spec_;
  std::string target_;
  std::vector<Node> nodes_;
};

}  // namespace troupe
