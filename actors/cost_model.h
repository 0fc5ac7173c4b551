#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "actors/step/executor_state.h"

namespace tensorflow {
class CostGraphDef;
}

namespace troupe {

/// What the nodes of a signature cost, gathered over the runs that were measured: of each the longest time and the most memory. Lives as long
/// as the signature. Thread-safe.
class CostModel {
 public:
  using States = std::span<const std::unique_ptr<ExecutorState>>;

  /// Adds a run of the signature that collected statistics; its executors, one a partition, have ended.
  void add(States states);
  /// The nodes of all partitions, numbered through; of an output that never came the size is -1.
  void describe(States states, tensorflow::CostGraphDef* to) const;

 private:
  struct Output {
    int64_t bytes = -1;
    DataType dtype = DataType::kInvalid;
    Shape shape;
    /// The input whose memory it was in the last such run; -1: its own.
    int alias = -1;
  };
  struct Node {
    int64_t micros = 0;
    int64_t temporary_bytes = 0;
    int64_t persistent_bytes = 0;
    std::vector<Output> outputs;
  };

  void add_partition(const ExecutorState& state, std::vector<Node>* nodes);

  mutable std::mutex mu_;
  /// By partition and node.
  std::vector<std::vector<Node>> partitions_;  // guarded by mu_
};

}  // namespace troupe
