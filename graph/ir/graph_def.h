#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/ir/graph.h"

namespace tensorflow {
class GraphDef;
class NodeDef;
}  // namespace tensorflow

namespace troupe {

namespace pb = ::tensorflow;

/// The version of GraphDefs that we read and write: that of TensorFlow 2.21.
inline constexpr int kGraphDefVersion = 2474;
/// Memory that the tensors of one GraphDef may take beyond the bytes that the message holds (short value lists are
/// expanded): more is taken for a malformed file.
inline constexpr int64_t kMaxExpandedBytesPerGraph = int64_t{4} << 30;

/// Tensor `second` (slot) of node `first`; -1: the node as a control input.
using NamedOutput = std::pair<std::string, int>;

struct ImportOptions {
  enum class Mode {
    /// Create and Extend of a session. Faults that do no harm while a node is not needed become the node's `defect` when
    /// the graph is empty before; Extend reports them at once, as it reports a name that exists.
    kSession,
    /// ImportGraphDef: every node is checked now, colocation must name nodes that exist, and the fields below count.
    kImport,
  };
  Mode mode = Mode::kSession;
  /// Node names that start with '_', which the runtime makes.
  bool allow_internal_names = false;
  /// Ops that start with '_' ("_Arg", "_Send"). TensorFlow's direct session takes them from anybody; a node that listens
  /// to others should not.
  bool allow_internal_ops = true;

  /// Put before every name, with a '/'.
  std::string prefix = {};
  /// Changes the prefix, or names, that are taken, rather than fail.
  bool uniquify_prefix = false;
  bool uniquify_names = false;
  /// Inputs of the GraphDef that are taken from nodes of the graph instead. Both sides are data or both control.
  std::map<NamedOutput, NamedOutput> input_map = {};
  /// kImport: refuses nodes that are to be colocated with a node that the GraphDef does not have.
  bool validate_colocation = true;
  /// Leaves out nodes all of whose outputs are mapped away.
  bool skip_mapped_nodes = false;
  /// Nodes of the graph that everything imported waits for.
  std::vector<std::string> control_dependencies = {};
  /// For nodes without a device.
  std::string default_device = {};
  /// What the caller wants to have back, by the names of the GraphDef.
  std::vector<NamedOutput> return_tensors = {};
  std::vector<std::string> return_nodes = {};
};

struct ImportResults {
  std::vector<Endpoint> return_tensors;
  std::vector<int> return_nodes;
  /// Keys of input_map that name no output of the GraphDef and that no node used.
  std::vector<NamedOutput> unused_input_map_keys;
};

/// Adds the nodes and functions of `def` to `graph`, in their order, and takes over its versions. On an error the graph
/// is as before. Errors have TensorFlow's codes and phrases: NotFound for an unknown op, otherwise InvalidArgument for
/// names that are malformed or taken, unknown inputs, outputs that do not exist, types that do not fit ("Input 0 of node y
/// was passed float from a:0 incompatible with expected float_ref."), cycles ("2 nodes in a cycle"; an edge from
/// NextIteration to Merge does not count), functions or gradients that differ, versions that we cannot read.
absl::Status import_graph_def(const pb::GraphDef& def, const ImportOptions& options, Graph* graph,
                              ImportResults* results = nullptr);

/// The graph with its functions and versions; all attrs, defaults too. `device` is the requested one. Of the nodes those from `first_id` on.
void to_graph_def(const Graph& graph, pb::GraphDef* out, int first_id = 0);

/// One node, as to_graph_def writes it.
void to_node_def(const Graph& graph, const Node& node, pb::NodeDef* out);

}  // namespace troupe
