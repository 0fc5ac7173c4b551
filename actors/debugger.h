#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "devices/debug_sink.h"
#include "graph/passes/tensor_watch.h"

namespace troupe {

class Graph;

/// What is told of a debugged run before it begins.
struct DebugMetadata {
  int64_t global_step = 0;
  /// How many runs the session has had, this one included.
  int64_t session_run_index = 0;
  /// How many debugged runs its signature has had before.
  int64_t executor_step_index = 0;
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

/// What becomes of runs whose options watch tensors: TensorFlow's DebuggerState, DebugGraphDecorator and debug IO in one. A runtime has one,
/// RuntimeOptions::debugger, for all of its sessions; an application's own derives from this. Thread-safe. An error is the run's.
class Debugger : public DebugSink {
 public:
  /// Once for each signature with these watches and each of its partitions, before it is compiled; changes the graph. This one adds debug
  /// ops (graph/passes/watch_tensors.h).
  virtual absl::Status decorate(std::span<const TensorWatch> watches, const std::string& device,
                                Graph* graph);
  /// The partition as it will run.
  virtual absl::Status publish_graph(const Graph& graph, const std::string& device,
                                     const std::vector<std::string>& urls);
  /// On the caller's thread; of a run that nobody waits for on one that may wait. The run begins when it returns.
  virtual absl::Status begin_run(const DebugMetadata& about, const std::vector<std::string>& urls);
};

/// All addresses of these watches, each once.
std::vector<std::string> urls_of(std::span<const TensorWatch> watches);

}  // namespace troupe
