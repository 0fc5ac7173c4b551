#pragma once

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

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
/// Nothing new is compiled from now on, and the graph's memory is given back. Answer: Done; FailedPrecondition without a graph, and twice.
struct FinalizeRequest {};
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
/// To the client: a run that was begun is over.
struct RunFinished {
  int64_t run = 0;
  absl::Status status;
  RunReply reply;
};
/// Whoever begins runs that he does not wait for.
using RunClient = caf::typed_actor<caf::reacts_to<RunFinished>>;
/// One step that nobody waits for. Answer: RunBegun, once its signature is compiled; or why it cannot begin, and no more. Its end is told to
/// `client`, whose death ends it.
struct BeginRun {
  RunRequest run;
  RunClient client;
};
struct RunBegun {
  /// This session's number for it.
  int64_t run = 0;
  /// For CancelRequest; in InspectReply it is listed under this. 0 of a run that was over before it had begun.
  int64_t step_id = 0;
};
/// Whoever is told what becomes of a session's steps.
using StepListener = caf::typed_actor<caf::reacts_to<StepEvent>>;
/// From now on `listener` gets a StepEvent for each step that begins and ends, until it or the session ends, or Unsubscribe. Answer: Done;
/// InvalidArgument for no listener, AlreadyExists for one that listens already.
struct Subscribe {
  StepListener listener;
  /// Steps that run for longer are told of while they run; zero: none.
  std::chrono::milliseconds slow_after{0};
};
/// Answer: Done, also when it does not listen. Events that are on their way still come.
struct Unsubscribe {
  StepListener listener;
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
  /// Not empty: the bytes of a CallableOptions proto, which take the place of `options`.
  std::string proto = {};
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
