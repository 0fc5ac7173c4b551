#pragma once

#include <string>
#include <vector>

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

/// What differs between two graphs, node by node, found by name.
struct GraphDifference {
  /// "name (Op)", in the order of their graph.
  std::vector<std::string> removed;
  std::vector<std::string> added;
  /// "name (Mul): op -> Const, inputs a b ->, device -> /job:...": what changed of a node that is in both.
  std::vector<std::string> changed;

  bool empty() const { return removed.empty() && added.empty() && changed.empty(); }
};

/// Linear in both graphs.
GraphDifference difference(const tensorflow::GraphDef& before, const tensorflow::GraphDef& after);

/// Lines "  - name (Op)", "  + ...", "  ~ ...", at most `most` of each kind.
std::string to_text(const GraphDifference& difference, size_t most);

}  // namespace troupe
