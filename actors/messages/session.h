#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/messages/in_process.h"
#include "actors/options.h"
#include "actors/run_values.h"
#include "graph/ir/graph.h"
#include "graph/tensor/tensor.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

struct GraphIncrement;

/// @name To a SESSION, from clients
/// Gives the session its graph. Answer: Done.
struct CreateGraph {
  std::shared_ptr<const tensorflow::GraphDef> proto;
  /// Used when proto is null.
  std::shared_ptr<const Graph> graph;
};
/// Adds nodes. Answer: Done.
struct ExtendGraph {
  std::shared_ptr<const tensorflow::GraphDef> proto;
  /// Used when proto is null: a graph that begins with all nodes that the session has.
  std::shared_ptr<const Graph> graph;
  /// Used when both are null: what the session's graph gets.
  std::shared_ptr<const GraphIncrement> increment = nullptr;
};
/// One step. Answer: RunReply.
struct RunRequest {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  RunOptions options;
};
struct RunReply {
  std::vector<Tensor> fetches;
  RunStats stats;
};
/// Cancels one step, or all of them when step_id is 0: the broadcast. Answer: CancelReply.
struct CancelRequest {
  int64_t step_id = 0;
  std::string reason;
};
struct CancelReply {
  int steps = 0;
};
/// Answer: InspectReply.
struct InspectRequest {};
struct InspectReply {
  std::vector<StepReport> steps;
};
struct ListDevicesRequest {};
struct ListDevicesReply {
  std::vector<DeviceInfo> devices;
};
/// Cancels what runs and refuses everything after. Answer: Done, at once.
struct CloseRequest {};
/// Drops the resources of these containers; none: the default one. Answer: Done.
struct ClearContainers {
  std::vector<std::string> containers;
};

/// Prepares a signature. Answer: CallableReply.
struct MakeCallable {
  CallableOptions options;
};
struct CallableReply {
  CallableHandle handle = 0;
};
/// Runs it; feeds and fetches in the order of its options. Answer: RunReply.
struct RunCallable {
  CallableHandle handle = 0;
  std::vector<Tensor> feeds;
};
/// Answer: Done.
struct ReleaseCallable {
  CallableHandle handle = 0;
};

}  // namespace troupe
