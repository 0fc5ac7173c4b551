// How parsed features become tensors.
#include "absl/strings/escaping.h"
#include "devices/cpu/kernels/parsing/example.h"

namespace troupe {

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
