#pragma once

#include <string>
#include <vector>

#include "graph/ir/graph.h"

namespace troupe {

struct DotOptions {
  /// Names of the devices that Node::device counts; without them nodes are grouped by the device that they ask for.
  std::vector<std::string> devices = {};
  /// Writes dtypes beside data edges.
  bool types = false;
  /// Larger graphs are cut after so many nodes, and say so: no picture of more can be read.
  int max_nodes = 5000;
};

/// The graph in Graphviz's language: a box per node, a frame per device, control edges dashed.
std::string to_dot(const Graph& graph, const DotOptions& options = {});

}  // namespace troupe
