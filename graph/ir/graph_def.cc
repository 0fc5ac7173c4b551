#include "graph/ir/graph_def.h"

#include <algorithm>

#include "graph/ir/attr_proto.h"
#include "graph/ir/function_library.h"
#include "graph/ir/names.h"

#include "proto/graph.pb.h"

namespace troupe {

void to_node_def(const Graph& graph, const Node& node, pb::NodeDef* out) {
  out->set_name(node.name);
  out->set_op(node.op->name);
  out->set_device(node.requested_device);
  for (Endpoint e : node.inputs) out->add_input(input_text(graph.node(e.node).name, e.slot));
  for (int c : node.control_inputs) out->add_input(input_text(graph.node(c).name, -1));
  for (const auto& [name, value] : node.attrs) to_proto(value, &(*out->mutable_attr())[name]);
}

void to_graph_def(const Graph& graph, pb::GraphDef* out, int first_id) {
  out->Clear();
  out->mutable_node()->Reserve(std::max(0, graph.num_nodes() - first_id));
  for (int i = first_id; i < graph.num_ids(); ++i) {
    if (!graph.node(i).removed()) to_node_def(graph, graph.node(i), out->add_node());
  }
  auto* versions = out->mutable_versions();
  versions->set_producer(graph.versions().producer);
  versions->set_min_consumer(graph.versions().min_consumer);
  for (int v : graph.versions().bad_consumers) versions->add_bad_consumers(v);
  if (graph.library() == nullptr) return;
  graph.library()->to_proto(out->mutable_library());
  if (out->library().ByteSizeLong() == 0) out->clear_library();
}

}  // namespace troupe
