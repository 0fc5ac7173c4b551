#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

/// Graphviz text: nodes grouped by device, data edges with slot numbers where there are several, control edges dashed.
std::string graph_picture(const tensorflow::GraphDef& graph);
/// One group per part: what is behind each title stays apart, whatever its nodes are called.
std::string parts_picture(const std::vector<std::pair<std::string, tensorflow::GraphDef>>& parts);

}  // namespace troupe
