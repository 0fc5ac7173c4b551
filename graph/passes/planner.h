#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/ir/graph.h"
#include "graph/passes/device_catalog.h"
#include "graph/passes/evaluator.h"

namespace troupe {

class FunctionDifferentiator;
class Placement;
struct PassStats;

/// What one kind of run asks of a graph: tensor names as the caller wrote them ("x", "x:0"), in his order.
struct PlanSignature {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// Feeds and fetches pass through the step's rendezvous, one at a time, instead of being there when it begins and ends.
  bool partial = false;
  /// (from, to): whoever uses output `to` gets the value of output `from`.
  std::vector<std::pair<std::string, std::string>> connections = {};
};

/// Where a partial run's client leaves the value of a feed, or waits for that of a fetch: the rendezvous key of a tensor
/// by the name that the signature gives it.
std::string partial_run_key(const DeviceCatalog& devices, const std::string& tensor);

struct PlanOptions {
  /// False leaves every node in place, whatever the next two say.
  bool optimize = true;
  bool fold_constants = true;
  bool merge_common_subexpressions = true;
  bool allow_soft_placement = false;
  /// Where the nodes of the graph are; null: the plan decides for those that it needs. make_plan only.
  const Placement* placement = nullptr;
  /// Told of each node for which the plan itself chose a device.
  std::function<void(const Node&)> placed = nullptr;
  /// Constants larger than this are not folded.
  int64_t max_folded_constant_bytes = 10 << 20;
  /// Makes the gradients that SymbolicGradient nodes ask for and the library does not have; null: Unimplemented.
  const FunctionDifferentiator* differentiator = nullptr;
  /// Asked between passes; once it says true, planning ends with Cancelled. Any thread's business to make it say so.
  std::function<bool()> stopped = nullptr;
  /// How many times each pass ran and what it did are appended here when set.
  std::vector<std::string>* log = nullptr;
  /// Called after each pass but the last, partition, with what it did and the graph that it left; Node::device counts the
  /// catalog's entries.
  std::function<void(const PassStats& done, const Graph& after)> observer = nullptr;
};

/// The part of a plan that runs on one device: a graph with `_Arg` (attr index: position among PlanSignature::feeds),
/// `_Retval` (index: position among fetches) and `_Send`/`_Recv` nodes.
struct PlanPartition {
  int device = 0;
  Graph graph;
};

/// A signature compiled: immutable.
struct Plan {
  std::vector<PlanPartition> partitions;
  std::vector<DataType> feed_types;
  std::vector<DataType> fetch_types;
};

/// Checks a signature against the graph, in TensorFlow's order and with its texts (see tf_semantics "Feeds,
/// fetches, targets and pruning"), then prunes, lowers functions, optimises, places and partitions.
/// `evaluator` may be null: no folding. `client_device` is where feeds arrive and fetches leave.
absl::StatusOr<Plan> make_plan(const Graph& graph, const PlanSignature& signature,
                               const DeviceCatalog& devices, const Evaluator* evaluator,
                               const PlanOptions& options);

/// A function to be planned as a graph of its own, to be called at run time.
struct FunctionInstance {
  FunctionRef function;
  /// Where the caller is: of nodes that ask for no device, and of arguments and results.
  std::string device;
  /// By argument, where that is elsewhere: resources stay where they are. May be shorter.
  std::vector<std::string> arg_devices;
};

/// The same for the body of a function of the graph's library: its `_Arg` and `_Retval` nodes count arguments and
/// results. Nodes keep the names that they have in the body.
absl::StatusOr<Plan> plan_function(const Graph& graph, const FunctionInstance& instance,
                                   const DeviceCatalog& devices, const Evaluator* evaluator,
                                   const PlanOptions& options);

}  // namespace troupe
