#pragma once

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/dtype.h"

namespace tensorflow {
class GraphDef;
}  // namespace tensorflow

namespace troupe {

class Graph;

/// The dtypes of a graph's tensors, by name, for values that are typed by hand. Keeps a reference to the graph.
class FeedTypes {
 public:
  explicit FeedTypes(const tensorflow::GraphDef& graph);
  ~FeedTypes();

  /// NotFound when there is no such tensor; InvalidArgument when the graph has to be imported to tell and cannot be.
  absl::StatusOr<DataType> of(absl::string_view tensor);

 private:
  const tensorflow::GraphDef& graph_;
  /// Dtype attrs of placeholders, which need no import.
  std::map<std::string, DataType> placeholders_;
  std::unique_ptr<Graph> imported_;
};

}  // namespace troupe
