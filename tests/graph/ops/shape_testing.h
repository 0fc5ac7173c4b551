#pragma once

#include <string>
#include <vector>

#include "graph/ir/graph_builder.h"
#include "graph/passes/infer_shapes.h"

namespace troupe {

/// A graph under construction and what shape inference says of it.
class ShapeGraph {
 public:
  GraphBuilder b;

  Out input(const PartialShape& shape, DataType dtype = DataType::kFloat) {
    return b.placeholder(dtype, shape);
  }
  Out ints(std::vector<int32_t> values) {
    const auto n = static_cast<int64_t>(values.size());
    return b.constant(Tensor::from<int32_t>(Shape{n}, std::span<const int32_t>(values)));
  }

  /// The shape of an output, or the error that inferring its node gives.
  std::string shape(Out out) {
    if (!b.status().ok()) return std::string(b.status().message());
    ShapeInference inference(&b.graph());
    inference.add_all();
    if (absl::Status s = inference.add(b.graph().node(out.node())); !s.ok()) return std::string(s.message());
    return inference.shape(out.endpoint()).to_string();
  }
  /// The shape of the first output of an op of these inputs.
  std::string shape(const std::string& op, const std::vector<In>& inputs, AttrMap attrs = {}) {
    return shape(b.op(op, inputs, std::move(attrs), "it"));
  }
};

}  // namespace troupe
