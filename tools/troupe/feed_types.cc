#include "tools/troupe/feed_types.h"

#include "graph/ir/graph.h"
#include "graph/ir/graph_def.h"
#include "graph/ir/names.h"
#include "graph/status.h"
#include "proto/attr_value.pb.h"
#include "proto/graph.pb.h"
#include "proto/node_def.pb.h"

#include "absl/strings/str_cat.h"

namespace troupe {

FeedTypes::FeedTypes(const tensorflow::GraphDef& graph) : graph_(graph) {
  for (const pb::NodeDef& node : graph.node()) {
    if (node.op() != "Placeholder" && node.op() != "PlaceholderV2" && node.op() != "PlaceholderWithDefault")
      continue;
    const auto dtype = node.attr().find("dtype");
    if (dtype != node.attr().end() && is_valid_dtype(dtype->second.type())) {
      placeholders_[node.name()] = static_cast<DataType>(dtype->second.type());
    }
  }
}

FeedTypes::~FeedTypes() = default;

absl::StatusOr<DataType> FeedTypes::of(absl::string_view tensor) {
  const TensorName name = parse_tensor_name(tensor);
  const auto placeholder = placeholders_.find(std::string(name.node));
  if (placeholder != placeholders_.end() && name.slot == 0) return placeholder->second;
  if (imported_ == nullptr) {
    auto imported = std::make_unique<Graph>();
    TROUPE_RETURN_IF_ERROR(import_graph_def(graph_, ImportOptions(), imported.get()));
    imported_ = std::move(imported);
  }
  const Node* node = imported_->find(name.node);
  if (node == nullptr || name.slot < 0 || name.slot >= node->num_outputs()) {
    return absl::NotFoundError(absl::StrCat("FeedInputs: unable to find feed output ", tensor));
  }
  return base_type(node->output_types[name.slot]);
}

}  // namespace troupe
