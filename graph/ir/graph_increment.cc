#include "graph/ir/graph_increment.h"

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// The node as it is, though it may have a defect or fewer inputs than its op says.
absl::Status append_node(const Node& from, Graph* graph) {
  if (from.removed()) return absl::InternalError("a removed node cannot be handed over");
  TROUPE_ASSIGN_OR_RETURN(Node * node, graph->add_node(from.name, from.op, from.attrs));
  node->requested_device = from.requested_device;
  node->device = from.device;
  node->inputs = from.inputs;
  node->control_inputs = from.control_inputs;
  node->input_types = from.input_types;
  node->output_types = from.output_types;
  node->defect = from.defect;
  return absl::OkStatus();
}

absl::Status append_all(const GraphIncrement& increment, Graph* graph) {
  for (const Node& node : increment.nodes) TROUPE_RETURN_IF_ERROR(append_node(node, graph));
  graph->set_library(increment.library);
  graph->versions() = increment.versions;
  return absl::OkStatus();
}

}  // namespace

GraphIncrement increment_of(const Graph& graph, int first_id) {
  GraphIncrement increment;
  increment.first_id = first_id;
  increment.library = graph.library();
  increment.versions = graph.versions();
  for (int id = first_id; id < graph.num_ids(); ++id) increment.nodes.push_back(graph.node(id));
  return increment;
}

absl::Status append(const GraphIncrement& increment, Graph* graph) {
  if (graph->num_ids() != increment.first_id) {
    return absl::FailedPreconditionError(absl::StrCat("an increment that begins with node ",
                                                      increment.first_id, " does not follow a graph of ",
                                                      graph->num_ids(), " nodes"));
  }
  const GraphMark before(*graph);
  absl::Status status = append_all(increment, graph);
  if (!status.ok()) before.restore(graph);
  return status;
}

void GraphMark::restore(Graph* graph) const {
  graph->truncate(num_ids_);
  graph->set_library(library_);
  graph->versions() = versions_;
}

}  // namespace troupe
