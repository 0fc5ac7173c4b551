#pragma once

#include <map>
#include <string>
#include <vector>

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

/// A tensor as a node's attrs describe it.
struct TensorSummary {
  std::string name;
  std::string op;
  /// "float", or "" when the node does not say.
  std::string dtype;
  /// "[2,?]", "<unknown>".
  std::string shape;
};

/// A while loop of the Switch and Merge kind: the frame that its Enter nodes open.
struct FrameSummary {
  std::string name;
  int enters = 0;
  int merges = 0;
  int exits = 0;
};

/// What a GraphDef contains, found without importing it, so that a broken one can be looked at too. Names are in the order
/// of the graph. Linear in its size.
struct GraphSummary {
  int nodes = 0;
  int64_t data_edges = 0;
  int64_t control_edges = 0;
  int producer = 0;
  int min_consumer = 0;
  std::map<std::string, int> ops;
  /// Placeholders and function arguments.
  std::vector<TensorSummary> inputs;
  /// Nodes whose outputs nobody takes.
  std::vector<TensorSummary> outputs;
  std::vector<TensorSummary> variables;
  /// Requested devices; "" for none.
  std::map<std::string, int> devices;
  /// Functions of the library and how many nodes they have.
  std::map<std::string, int> functions;
  std::vector<FrameSummary> frames;
  /// Groups of nodes that wait for each other. Loops through NextIteration are none.
  std::vector<std::vector<std::string>> cycles;
  /// "node <- input": inputs that no node provides.
  std::vector<std::string> dangling_inputs;
  /// Ops that are neither known nor functions of the library.
  std::vector<std::string> unknown_ops;
  /// Why a session would refuse the graph; "" when it would not.
  std::string import_error;
  /// Why the first node that cannot be run cannot, when only runs that need it are refused.
  std::string defect;
};

GraphSummary summarize(const tensorflow::GraphDef& graph);
/// For people: lists are cut after `most` entries.
std::string to_text(const GraphSummary& summary, size_t most = 20);
std::string to_json(const GraphSummary& summary);

}  // namespace troupe
