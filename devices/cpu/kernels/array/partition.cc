// DynamicPartition, DynamicStitch, ParallelDynamicStitch.
#include <algorithm>

#include "devices/common/array/stitch_shape.h"
#include "devices/cpu/kernels/array/indexing.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

bool starts_with(const Shape& shape, const Shape& prefix) {
  if (shape.rank() < prefix.rank()) return false;
  for (int i = 0; i < prefix.rank(); ++i) {
    if (shape.dim(i) != prefix.dim(i)) return false;
  }
  return true;
}

absl::Status dynamic_partition(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& partitions = context.input(1);
  if (!starts_with(data.shape(), partitions.shape())) {
    return invalid("data.shape must start with partitions.shape, got data.shape = ", data.shape().to_string(),
                   ", partitions.shape = ", partitions.shape().to_string());
  }
  int count = context.num_outputs();
  auto part = partitions.flat<int32_t>();
  absl::InlinedVector<int64_t, 8> sizes(count, 0), next(count, 0);
  for (size_t i = 0; i < part.size(); ++i) {
    if (part[i] < 0 || part[i] >= count) {
      return invalid("partitions", position_text(partitions.shape(), static_cast<int64_t>(i)), " = ", part[i],
                     " is not in [0, ", count, ")");
    }
    ++sizes[part[i]];
  }
  Shape row;
  for (int i = partitions.rank(); i < data.rank(); ++i) row.add_dim(data.dim(i));
  int64_t run = count_dims(row, 0, row.rank());
  absl::InlinedVector<Tensor*, 8> outputs;
  for (int p = 0; p < count; ++p) {
    Shape shape = row;
    shape.insert_dim(0, sizes[p]);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(p, shape));
    outputs.push_back(out);
  }
  if (data.num_elements() == 0) return absl::OkStatus();
  // Neighbours that go to the same output are copied together.
  for (size_t i = 0; i < part.size();) {
    size_t end = i + 1;
    while (end < part.size() && part[end] == part[i]) ++end;
    int p = part[i];
    int64_t rows = static_cast<int64_t>(end - i);
    copy_elements(data, static_cast<int64_t>(i) * run, *outputs[p], next[p] * run, rows * run);
    next[p] += rows;
    i = end;
  }
  return absl::OkStatus();
}

absl::Status dynamic_stitch(KernelContext& context) {
  const int n = context.num_inputs() / 2;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, stitched_shape(context));
  const int64_t rows = shape.dim(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  int64_t run = count_dims(shape, 1, shape.rank());
  std::vector<bool> written(static_cast<size_t>(rows), false);
  for (int k = 0; k < n; ++k) {
    auto index = context.input(k).flat<int32_t>();
    for (size_t i = 0; i < index.size(); ++i) {
      copy_elements(context.input(n + k), static_cast<int64_t>(i) * run, *out, index[i] * run, run);
      written[index[i]] = true;
    }
  }
  // Rows that nothing was stitched to are zero, never memory of others.
  for (int64_t r = 0; r < rows; ++r) {
    if (!written[r]) fill_zero(context.parallel(), out->dtype(), element_at(*out, r * run), run);
  }
  return absl::OkStatus();
}

}  // namespace

void register_array_partition(KernelRegistry* registry) {
  auto stitched =
      with(value_types(), {DataType::kVariant, DataType::kQint8, DataType::kQuint8, DataType::kQint32});
  registry->add(KernelDef("DynamicPartition").types("T", every_type()).fn(dynamic_partition));
  registry->add(KernelDef("DynamicStitch").types("T", stitched).fn(dynamic_stitch));
  registry->add(KernelDef("ParallelDynamicStitch").types("T", stitched).fn(dynamic_stitch));
}

}  // namespace troupe
