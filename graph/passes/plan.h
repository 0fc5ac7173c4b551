#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

class FunctionDifferentiator;
class Placement;
class StatefulPlaces;
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
  /// By name: feeds and fetches that are in the memory of a device, in full, instead of the client's.
  std::map<std::string, std::string> feed_devices = {};
  std::map<std::string, std::string> fetch_devices = {};
};

/// The attr of an `_Arg` or `_Retval` whose value is in the memory of the device that it names.
inline constexpr char kClientDevice[] = "_client_device";

struct PlanOptions {
  /// False leaves every node in place, whatever the next say.
  bool optimize = true;
  bool fold_constants = true;
  bool take_known_branches = true;
  bool rewrite_arithmetic = true;
  bool merge_common_subexpressions = true;
  bool bypass_identities = true;
  /// Several nodes become one with a kernel of its own: products with what is done to their results, element-wise operations.
  bool fuse = true;
  /// Asked before one of these passes replaces a node; false leaves it in place. Null: all may be replaced.
  std::function<bool(const Node&)> may_replace = nullptr;
  /// In drafts of fewer nodes none of these passes runs.
  int min_graph_nodes = 0;
  /// False: calls of functions stay calls; of function bodies only those of loops and lowered branches are put in.
  bool inline_functions = true;
  bool allow_soft_placement = false;
  /// Where the nodes of the graph are; null: the plan decides for those that it needs. make_plan only.
  const Placement* placement = nullptr;
  /// Cut by task, for a master whose workers cut what they get by device (partition_by_task.h). make_plan only.
  bool by_task = false;
  /// Without a placement: where nodes with state are in other plans of the graph, and from now on in this one's. Null: wherever this plan
  /// puts them. make_plan only.
  StatefulPlaces* stateful_places = nullptr;
  /// Told of each node for which the plan itself chose a device.
  std::function<void(const Node&)> placed = nullptr;
  /// Constants larger than this are not folded.
  int64_t max_folded_constant_bytes = 10 << 20;
  /// Makes the gradients that SymbolicGradient nodes ask for and the library does not have; null: Unimplemented.
  const FunctionDifferentiator* differentiator = nullptr;
  /// Asked between passes: planning ends with the first error that it answers, which says why nobody wants the plan any more. Any
  /// thread's business to make it answer one.
  std::function<absl::Status()> stopped = nullptr;
  /// How many times each pass ran and what it did are appended here when set.
  std::vector<std::string>* log = nullptr;
  /// Called after each pass but the last, partition, with what it did and the graph that it left; Node::device counts the
  /// catalog's entries.
  std::function<void(const PassStats& done, const Graph& after)> observer = nullptr;
};

/// The part of a plan that runs on one device, or in one task: a graph with `_Arg` (attr index: position among PlanSignature::feeds),
/// `_Retval` (index: position among fetches) and `_Send`/`_Recv` nodes.
struct PlanPartition {
  /// Index into the catalog; of a part with several devices, that of its first node.
  int device = 0;
  Graph graph;
};

/// A signature compiled: immutable.
struct Plan {
  std::vector<PlanPartition> partitions;
  std::vector<DataType> feed_types;
  std::vector<DataType> fetch_types;
};

/// A function to be planned as a graph of its own, to be called at run time.
struct FunctionInstance {
  FunctionRef function;
  /// Where the caller is: of nodes that ask for no device, and of arguments and results.
  std::string device;
  /// By argument, where that is elsewhere: resources stay where they are. May be shorter.
  std::vector<std::string> arg_devices;
};

}  // namespace troupe
