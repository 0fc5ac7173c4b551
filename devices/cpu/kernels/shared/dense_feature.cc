#include "devices/cpu/kernels/shared/dense_feature.h"

#include <algorithm>
#include <vector>

#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

absl::StatusOr<DenseSpec> DenseSpec::make(size_t i, const PartialShape& shape, bool allow_variable) {
  DenseSpec spec;
  spec.declared = shape;
  if (!allow_variable && !shape.fully_defined()) {
    return invalid("Shape ", shape.to_string(), " is not fully defined");
  }
  bool good = shape.known_rank();
  std::vector<int64_t> dims = good ? shape.dims() : std::vector<int64_t>();
  if (!dims.empty() && dims[0] == PartialShape::kUnknownDim) {
    spec.variable = true;
    dims.erase(dims.begin());
  }
  good = good && std::find(dims.begin(), dims.end(), PartialShape::kUnknownDim) == dims.end();
  if (!good) {
    return invalid("dense_shapes[", i, "] has unknown rank or unknown inner dimensions: ", shape.to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(spec.row, Shape::make(dims));
  spec.elements = spec.row.num_elements();
  return spec;
}

absl::Status check_default(size_t i, const DenseSpec& spec, const Tensor& value) {
  if (spec.variable) {
    if (value.num_elements() == 1) return absl::OkStatus();
    return invalid("dense_shape[", i, "] is a variable length shape: ", spec.declared.to_string(),
                   ", therefore def_value[", i,
                   "] must contain a single element (the padding element).  But its shape is: ",
                   value.shape().to_string());
  }
  if (value.num_elements() == 0 || spec.declared.compatible_with(PartialShape(value.shape())))
    return absl::OkStatus();
  return invalid("def_value[", i, "].shape() == ", value.shape().to_string(),
                 " is not compatible with dense_shapes_[", i, "] == ", spec.declared.to_string());
}

}  // namespace troupe
