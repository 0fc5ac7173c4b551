#pragma once

#include <string>

#include "actors/c_api/handles.h"

namespace tensorflow {
class GraphDef;
class NodeDef;
}  // namespace tensorflow

namespace troupe::c_api {

/// A node as TF_OperationToNodeDef shows it, with what it carries; the graph's mutex held.
void node_to_proto(const TF_Graph& graph, const Node& node, tensorflow::NodeDef* out);
/// The graph as TF_GraphToGraphDef shows it: control inputs in the order of their names. Its mutex held.
void graph_to_proto(const TF_Graph& graph, tensorflow::GraphDef* out);

/// A message of any kind into an empty buffer.
template <class Message>
absl::Status message_to_buffer(const Message& message, TF_Buffer* out) {
  if (out == nullptr || out->data != nullptr) return to_buffer("", out);
  std::string bytes;
  if (!message.SerializeToString(&bytes)) {
    return absl::InvalidArgumentError(
        "Unable to serialize " + message.GetTypeName() + " protocol buffer, perhaps the serialized size (" +
        std::to_string(message.ByteSizeLong()) + " bytes) is over the limit of 2 GiB");
  }
  return to_buffer(bytes, out);
}

/// "Node 'x' (type: 'Neg', num of outputs: 1) does not have output 3" and its like when `output` is none of `graph`'s; its
/// mutex held.
absl::Status check_output(const TF_Graph& graph, const TF_Output& output);
/// The same for an operation alone.
absl::Status check_operation(const TF_Graph& graph, const TF_Operation* oper);

inline Endpoint endpoint_of(const TF_Output& output) { return {output.oper->id, output.index}; }

}  // namespace troupe::c_api
