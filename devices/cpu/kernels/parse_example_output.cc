// How parsed features become tensors.
#include <algorithm>

#include "absl/strings/escaping.h"
#include "devices/cpu/kernels/parse_example.h"

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

absl::StatusOr<Tensor*> allocate_rows(KernelContext& context, int i, std::initializer_list<int64_t> leading,
                                      const Shape& row) {
  Indices dims(leading.begin(), leading.end());
  dims.insert(dims.end(), row.dims().begin(), row.dims().end());
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  return context.allocate_output(i, shape);
}

absl::Status write_splits(KernelContext& context, int i, std::span<const int64_t> counts) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                          context.allocate_output(i, Shape{static_cast<int64_t>(counts.size()) + 1}));
  int64_t sum = 0;
  set_int(out, 0, 0);
  for (size_t k = 0; k < counts.size(); ++k) {
    sum += counts[k];
    if (out->dtype() == DataType::kInt32 && sum > INT32_MAX) {
      return invalid("Row splits of ", sum, " values do not fit in int32");
    }
    set_int(out, static_cast<int64_t>(k) + 1, sum);
  }
  return absl::OkStatus();
}

absl::Status write_values(KernelContext& context, int i, const FeatureColumn& column) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, Shape{column.size()}));
  column.copy_to(0, column.size(), out, 0);
  return absl::OkStatus();
}

absl::Status write_sparse(KernelContext& context, int i, int stride, const FeatureColumn& column,
                          std::span<const int64_t> counts, bool single) {
  const int64_t n = column.size(), rank = single ? 1 : 2;
  TROUPE_ASSIGN_OR_RETURN(Tensor * indices, context.allocate_output(i, Shape{n, rank}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * shape, context.allocate_output(i + 2 * stride, Shape{rank}));
  TROUPE_RETURN_IF_ERROR(write_values(context, i + stride, column));
  auto at = indices->flat<int64_t>();
  size_t next = 0;
  int64_t widest = 0;
  for (size_t row = 0; row < counts.size(); ++row) {
    widest = std::max(widest, counts[row]);
    for (int64_t k = 0; k < counts[row]; ++k) {
      if (!single) at[next++] = static_cast<int64_t>(row);
      at[next++] = k;
    }
  }
  if (!single) shape->flat<int64_t>()[0] = static_cast<int64_t>(counts.size());
  shape->flat<int64_t>()[rank - 1] = widest;
  return absl::OkStatus();
}

absl::Status malformed_example(absl::string_view bytes) {
  constexpr size_t kShown = 256;
  return invalid("Could not parse example input, value: '", absl::CEscape(bytes.substr(0, kShown)),
                 bytes.size() > kShown ? "..." : "", "'");
}

}  // namespace troupe
