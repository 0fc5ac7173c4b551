#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph/ir/graph.h"
#include "graph/passes/device_catalog.h"
#include "graph/passes/evaluator.h"

namespace troupe {

struct PassStats;

/// What one kind of run asks of a graph: tensor names as the caller wrote them ("x", "x:0"), in his order.
struct PlanSignature {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

struct PlanOptions {
  /// Optimiser level of ConfigProto: false leaves every node in place (opt_level L0, rewriting off).
  bool optimize = true;
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  /// Constants larger than this are not folded.
  int64_t max_folded_constant_bytes = 10 << 20;
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

}  // namespace troupe
