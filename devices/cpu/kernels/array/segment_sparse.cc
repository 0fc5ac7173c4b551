// SparseSegmentSum, Mean and SqrtN: rows of the data by index, summed by segment; and their gradients.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "devices/cpu/kernels/array/segment.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {
namespace {

enum class Scale { kSum, kMean, kSqrtN };

double divisor(Scale scale, int64_t n) {
  return scale == Scale::kMean ? static_cast<double>(n) : std::sqrt(static_cast<double>(n));
}

absl::Status check_vectors(const Tensor& indices, const Tensor& ids) {
  if (!is_vector(indices)) return invalid("indices should be a vector.");
  if (!is_vector(ids)) return invalid("segment_ids should be a vector.");
  if (indices.dim(0) != ids.dim(0)) return invalid("segment_ids and indices should have same size.");
  return absl::OkStatus();
}

/// How many rows come out: num_segments, or one more than the last id.
absl::StatusOr<int64_t> count_rows(KernelContext& context, const Tensor& ids) {
  int64_t n = ids.dim(0);
  int64_t last = n == 0 ? -1 : int_at(ids, n - 1);
  if (n > 0 && last < 0) return invalid("segment ids must be >= 0");
  if (last == std::numeric_limits<int64_t>::max()) return invalid("segment ids must be < 2**63 - 1");
  const bool counted = context.num_inputs() > 3;
  if (!counted && ids.dtype() == DataType::kInt32 && last == std::numeric_limits<int32_t>::max())
    return invalid("Last segment id must be < kintmax, got ", last, " limit ", last);
  if (!counted) return last + 1;
  const Tensor& count = context.input(3);
  if (!is_scalar(count))
    return invalid("num_segments should be a scalar, not shape ", count.shape().to_string());
  int64_t rows = int_at(count, 0);
  if (rows < 0) return invalid("segment ids must be >= 0");
  if (last >= rows) return invalid("segment ids must be < num_segments");
  return rows;
}

template <Scale kScale>
absl::Status sparse_segment(KernelContext& context) {
  const Tensor& indices = context.input(1);
  const Tensor& ids = context.input(2);
  if (context.input(0).rank() < 1) return invalid("Shape must be at least rank 1");
  TROUPE_RETURN_IF_ERROR(check_vectors(indices, ids));
  TROUPE_ASSIGN_OR_RETURN(int64_t rows, count_rows(context, ids));
  TROUPE_ASSIGN_OR_RETURN(Tensor data, widen_halves(context, context.input(0)));
  Indices dims(data.shape().dims().begin(), data.shape().dims().end());
  dims[0] = rows;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(data.dtype(), shape));
  fill_zero(context.parallel(), data.dtype(), out.raw(), out.num_elements());
  int64_t run = count_dims(shape, 1, shape.rank()), n = ids.dim(0), limit = data.dim(0);
  CombineLoop loop = combine_loop(Combine::kAdd, data.dtype());
  const Tensor& source = data;
  for (int64_t begin = 0; begin < n;) {
    int64_t id = int_at(ids, begin), end = begin + 1;
    while (end < n && int_at(ids, end) == id) ++end;
    if (end < n && int_at(ids, end) < id) return invalid("segment ids are not increasing");
    if (id < 0 || id >= rows) {
      return invalid("Segment id ", id, " out of range [0, ", rows,
                     "), possibly because 'segment_ids' input is not sorted.");
    }
    for (int64_t i = begin; i < end; ++i) {
      int64_t row = int_at(indices, i);
      if (row < 0 || row >= limit)
        return invalid("Bad: indices[", i, "] == ", row, " out of range [0, ", limit, ")");
      loop(element_at(out, id * run), element_at(source, row * run), run);
    }
    if (kScale != Scale::kSum)
      divide_run(data.dtype(), element_at(out, id * run), run, divisor(kScale, end - begin));
    begin = end;
  }
  return set_narrowed_output(context, 0, std::move(out));
}

/// The gradient: row indices[i] of the output collects row segment_ids[i] of `grad`, scaled.
template <Scale kScale>
absl::Status sparse_segment_grad(KernelContext& context) {
  bool unique_rows = context.num_outputs() > 1;
  const Tensor& indices = context.input(1);
  const Tensor& ids = context.input(2);
  const Tensor& dim0 = context.input(3);
  TROUPE_RETURN_IF_ERROR(check_vectors(indices, ids));
  if (context.input(0).rank() < 1) return invalid("grad must be at least rank 1");
  if (!is_scalar(dim0))
    return invalid(unique_rows ? "dense_output_dim0" : "output_dim0", " should be a scalar.");
  int64_t limit = int_at(dim0, 0), n = ids.dim(0), segments = context.input(0).dim(0);
  if (limit < 0) return invalid("output_dim0 must not be negative: ", limit);
  if (limit == 0) n = 0;
  if (n > 0 && int_at(ids, n - 1) >= segments) return invalid("Invalid number of segments");
  std::vector<int64_t> counts(static_cast<size_t>(segments), 0);
  std::vector<int64_t> rows;  // sorted, without repetition
  for (int64_t i = 0; i < n; ++i) {
    int64_t id = int_at(ids, i), row = int_at(indices, i);
    if (id < 0 || id >= segments) return invalid("Segment id ", id, " out of range [0, ", segments, ").");
    if (row < 0 || row >= limit) return invalid("Index ", row, " out of range [0, ", limit, ").");
    ++counts[id];
    if (unique_rows) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  TROUPE_ASSIGN_OR_RETURN(Tensor grad, widen_halves(context, context.input(0)));
  Indices dims(grad.shape().dims().begin(), grad.shape().dims().end());
  dims[0] = unique_rows ? static_cast<int64_t>(rows.size()) : limit;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(grad.dtype(), shape));
  fill_zero(context.parallel(), grad.dtype(), out.raw(), out.num_elements());
  int64_t run = count_dims(shape, 1, shape.rank());
  CombineLoop loop = combine_loop(Combine::kAdd, grad.dtype());
  TROUPE_ASSIGN_OR_RETURN(Tensor scaled, context.allocate_temp(grad.dtype(), grad.shape()));
  copy_elements(grad, 0, scaled, 0, grad.num_elements());
  if (kScale != Scale::kSum) {
    for (int64_t s = 0; s < segments; ++s) {
      if (counts[s] > 0)
        divide_run(grad.dtype(), element_at(scaled, s * run), run, divisor(kScale, counts[s]));
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t row = int_at(indices, i);
    if (unique_rows) row = std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
    loop(element_at(out, row * run), element_at(static_cast<const Tensor&>(scaled), int_at(ids, i) * run),
         run);
  }
  if (unique_rows) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * sorted,
                            context.allocate_output(1, Shape{static_cast<int64_t>(rows.size())}));
    for (size_t i = 0; i < rows.size(); ++i) set_int(sorted, static_cast<int64_t>(i), rows[i]);
  }
  return set_narrowed_output(context, 0, std::move(out));
}

template <Scale kScale>
void add(KernelRegistry* registry, const std::string& suffix, const std::vector<DataType>& types) {
  const std::string name = "SparseSegment" + suffix;
  for (const std::string& op : {name, name + "WithNumSegments"}) {
    registry->add(KernelDef(op)
                      .types("T", types)
                      .types("Tidx", index_types())
                      .types("Tsegmentids", index_types())
                      .fn(sparse_segment<kScale>));
  }
  for (const std::string& op : {name + "Grad", name + "GradV2"}) {
    registry->add(KernelDef(op)
                      .types("T", float_types())
                      .types("Tidx", index_types())
                      .types("Tsegmentids", index_types())
                      .fn(sparse_segment_grad<kScale>));
  }
}

}  // namespace

void register_array_segment_sparse(KernelRegistry* registry) {
  add<Scale::kSum>(registry, "Sum", real_number_types());
  add<Scale::kMean>(registry, "Mean", float_types());
  add<Scale::kSqrtN>(registry, "SqrtN", float_types());
}

}  // namespace troupe
