#include "devices/cuda/kernels/segment.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/common/array_values.h"
#include "devices/cuda/copy_engine.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/enqueue.h"

namespace troupe {
namespace {

enum class Fold { kSum, kProd, kMin, kMax };
/// What a segment's rows are divided by: nothing, their number, its root.
enum class Scale : int32_t { kNone = 0, kMean = 1, kSqrtN = 2 };

const char* name_of(Fold fold) {
  switch (fold) {
    case Fold::kSum: return "sum";
    case Fold::kProd: return "prod";
    case Fold::kMin: return "min";
    default: return "max";
  }
}

int32_t is_wide(const Tensor& indices) { return indices.dtype() == DataType::kInt64 ? 1 : 0; }
bool is_narrow(DataType t) { return t == DataType::kHalf || t == DataType::kBfloat16; }

absl::StatusOr<Shape> with_rows(int64_t rows, const Shape& shape, int first) {
  Indices dims = {rows};
  for (int i = first; i < shape.rank(); ++i) dims.push_back(shape.dim(i));
  return Shape::make({dims.data(), dims.size()});
}

/// Puts `sums` out as output 0, rounded when it was kept in float.
absl::Status set_narrowed_output(KernelContext& context, Tensor sums) {
  if (sums.dtype() == context.output_type(0)) {
    context.set_output(0, std::move(sums));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, sums.shape()));
  return enqueue(context, with_suffix("narrow", out->dtype()), out->num_elements(), sums.raw(), out->raw(),
                 out->num_elements());
}

template <class T>
absl::Status fill(KernelContext& context, T value, Tensor* t) {
  // As kernels of source/array_copy.cu that move elements of a size take them.
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  static_assert(sizeof(Bits) == sizeof(T));
  Bits bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return enqueue(context, absl::StrCat("fill_", sizeof(T)), t->num_elements(), bits, t->raw(),
                 t->num_elements());
}

template <class T>
absl::Status fill_identity(KernelContext& context, Fold fold, Tensor* t) {
  using Limits = std::numeric_limits<T>;
  switch (fold) {
    case Fold::kProd: return fill(context, T(1), t);
    case Fold::kMin: return fill(context, Limits::max(), t);
    case Fold::kMax: return fill(context, Limits::lowest(), t);
    default: return enqueue_zeros(context, t);
  }
}

/// What a segment without members holds: 0, 1, the highest or the lowest number of the output's dtype.
absl::Status fill_identity(KernelContext& context, Fold fold, DataType dtype, Tensor* t) {
  switch (dtype) {
    case DataType::kInt32: return fill_identity<int32_t>(context, fold, t);
    case DataType::kInt64: return fill_identity<int64_t>(context, fold, t);
    case DataType::kDouble: return fill_identity<double>(context, fold, t);
    case DataType::kFloat: return fill_identity<float>(context, fold, t);
    default: break;
  }
  if (fold == Fold::kProd) return fill(context, 1.0F, t);
  if (fold == Fold::kSum) return enqueue_zeros(context, t);
  // Kept in float: the greatest half, or bfloat16.
  const float most = dtype == DataType::kHalf ? 65504.0F : std::ldexp(255.0F, 120);
  return fill(context, fold == Fold::kMin ? most : -most, t);
}

template <Fold kFold>
absl::Status unsorted_segment(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  const Tensor& count = context.input(2);
  if (!is_scalar(count))
    return invalid("num_segments should be a scalar, not shape ", count.shape().to_string());
  bool prefix = data.rank() >= ids.rank();
  for (int i = 0; prefix && i < ids.rank(); ++i) prefix = data.dim(i) == ids.dim(i);
  if (!prefix) {
    return invalid("data.shape = ", data.shape().to_string(),
                   " does not start with segment_ids.shape = ", ids.shape().to_string());
  }
  const int64_t segments = int_at(count, 0);
  if (segments < 0) return invalid("Input num_segments == ", segments, " must not be negative.");
  TROUPE_ASSIGN_OR_RETURN(Shape shape, with_rows(segments, data.shape(), ids.rank()));
  const DataType kept = is_narrow(data.dtype()) ? DataType::kFloat : data.dtype();
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(kept, shape));
  TROUPE_RETURN_IF_ERROR(fill_identity(context, kFold, data.dtype(), &out));
  if (segments > 0) {
    const std::string kernel = with_suffix(absl::StrCat("unsorted_segment_", name_of(kFold)), data.dtype());
    TROUPE_RETURN_IF_ERROR(enqueue(context, kernel, data.num_elements(), data.raw(), ids.raw(), is_wide(ids),
                                   out.raw(), segments, count_dims(shape, 1, shape.rank()),
                                   data.num_elements()));
  }
  return set_narrowed_output(context, std::move(out));
}

/// Where the rows of each of `segments` segments begin in sorted ids, and where the last one ends.
absl::StatusOr<Tensor> segment_starts(const Tensor& ids, int64_t segments) {
  TROUPE_ASSIGN_OR_RETURN(Tensor starts, Tensor::make(DataType::kInt64, Shape{segments + 1}));
  int64_t* start = starts.flat<int64_t>().data();
  int64_t next = 0;
  const int64_t n = ids.num_elements();
  for (int64_t begin = 0; begin < n;) {
    const int64_t id = int_at(ids, begin);
    int64_t end = begin + 1;
    while (end < n && int_at(ids, end) == id) ++end;
    if (end < n && int_at(ids, end) < id) return invalid("segment ids are not increasing");
    if (id < 0 || id >= segments) {
      return invalid("Segment id ", id, " out of range [0, ", segments,
                     "), possibly because 'segment_ids' input is not sorted.");
    }
    while (next <= id) start[next++] = begin;
    begin = end;
  }
  while (next <= segments) start[next++] = n;
  return starts;
}

/// Output 0: segments of the data's rows, or of those that `indices` picks.
absl::Status enqueue_segments(KernelContext& context, Fold fold, Scale scale, const Tensor& data,
                              const Tensor* indices, const Tensor& ids, int64_t segments) {
  TROUPE_ASSIGN_OR_RETURN(Shape shape, with_rows(segments, data.shape(), 1));
  TROUPE_ASSIGN_OR_RETURN(Tensor host_starts, segment_starts(ids, segments));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  const int64_t n = out->num_elements();
  if (n == 0) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Tensor starts,
                          CudaDevice::of(context).copies().to_device(host_starts, context.allocator()));
  return enqueue(context, with_suffix(absl::StrCat("segment_", name_of(fold)), data.dtype()), n, data.raw(),
                 indices == nullptr ? nullptr : indices->raw(),
                 indices == nullptr ? int32_t{0} : is_wide(*indices), data.dim(0),
                 static_cast<const int64_t*>(starts.raw()), out->raw(), fold == Fold::kProd ? 1.0F : 0.0F,
                 static_cast<int32_t>(scale), count_dims(shape, 1, shape.rank()), n);
}

/// Ids that tell how many rows come out: one more than the last.
absl::StatusOr<int64_t> count_by_last(const Tensor& ids) {
  const int64_t n = ids.dim(0);
  const int64_t last = n == 0 ? -1 : int_at(ids, n - 1);
  if (n > 0 && last < 0) return invalid("segment ids must be >= 0");
  if (last == std::numeric_limits<int64_t>::max()) return invalid("segment ids must be < 2**63 - 1");
  return last + 1;
}

template <Fold kFold, Scale kScale = Scale::kNone>
absl::Status segment(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& ids = context.input(1);
  if (!is_vector(ids)) return invalid("segment_ids should be a vector.");
  if (data.rank() < 1) return invalid("input must be at least rank 1");
  if (data.dim(0) != ids.dim(0))
    return invalid("segment_ids should be the same size as dimension 0 of input.");
  TROUPE_ASSIGN_OR_RETURN(int64_t segments, count_by_last(ids));
  return enqueue_segments(context, kFold, kScale, data, nullptr, ids, segments);
}

absl::Status check_vectors(const Tensor& indices, const Tensor& ids) {
  if (!is_vector(indices)) return invalid("indices should be a vector.");
  if (!is_vector(ids)) return invalid("segment_ids should be a vector.");
  if (indices.dim(0) != ids.dim(0)) return invalid("segment_ids and indices should have same size.");
  return absl::OkStatus();
}

template <Scale kScale>
absl::Status sparse_segment(KernelContext& context) {
  const Tensor& data = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& ids = context.input(2);
  if (data.rank() < 1) return invalid("Shape must be at least rank 1");
  TROUPE_RETURN_IF_ERROR(check_vectors(indices, ids));
  TROUPE_ASSIGN_OR_RETURN(int64_t segments, count_by_last(ids));
  if (context.num_inputs() > 3) {
    const Tensor& count = context.input(3);
    if (!is_scalar(count))
      return invalid("num_segments should be a scalar, not shape ", count.shape().to_string());
    const int64_t given = int_at(count, 0);
    if (given < 0) return invalid("segment ids must be >= 0");
    if (segments > given) return invalid("segment ids must be < num_segments");
    segments = given;
  } else if (ids.dtype() == DataType::kInt32 && segments > std::numeric_limits<int32_t>::max()) {
    return invalid("Last segment id must be < kintmax, got ", segments - 1, " limit ", segments - 1);
  }
  return enqueue_segments(context, Fold::kSum, kScale, data, &indices, ids, segments);
}

/// The gradient: row indices[i] of the output collects row segment_ids[i] of `grad`, scaled.
template <Scale kScale>
absl::Status sparse_segment_grad(KernelContext& context) {
  const Tensor& grad = context.input(0);
  const Tensor& indices = context.input(1);
  const Tensor& ids = context.input(2);
  const Tensor& dim0 = context.input(3);
  TROUPE_RETURN_IF_ERROR(check_vectors(indices, ids));
  if (grad.rank() < 1) return invalid("grad must be at least rank 1");
  if (!is_scalar(dim0)) return invalid("output_dim0 should be a scalar.");
  const int64_t rows = int_at(dim0, 0);
  if (rows < 0) return invalid("output_dim0 must not be negative: ", rows);
  const int64_t segments = grad.dim(0);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, with_rows(rows, grad.shape(), 1));
  TROUPE_ASSIGN_OR_RETURN(Tensor counts, context.allocate_temp(DataType::kInt32, Shape{segments}));
  TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, &counts));
  TROUPE_RETURN_IF_ERROR(enqueue(context, "count_segments", ids.num_elements(), ids.raw(), is_wide(ids),
                                 counts.raw(), segments, ids.num_elements()));
  const DataType kept = is_narrow(grad.dtype()) ? DataType::kFloat : grad.dtype();
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(kept, shape));
  TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, &out));
  const int64_t run = count_dims(shape, 1, shape.rank());
  const int64_t n = out.num_elements() == 0 ? 0 : indices.num_elements() * run;
  TROUPE_RETURN_IF_ERROR(enqueue(context, with_suffix("sparse_segment_grad", grad.dtype()), n, grad.raw(),
                                 indices.raw(), is_wide(indices), ids.raw(), is_wide(ids), counts.raw(),
                                 out.raw(), segments, rows, static_cast<int32_t>(kScale), run, n));
  return set_narrowed_output(context, std::move(out));
}

template <Fold kFold>
void add_unsorted(KernelRegistry* registry, const char* op, std::vector<DataType> types) {
  registry->add(KernelDef(op)
                    .device("GPU")
                    .types("T", std::move(types))
                    .types("Tindices", index_types())
                    .host_memory({"num_segments"})
                    .fn(unsorted_segment<kFold>));
}

template <Fold kFold, Scale kScale = Scale::kNone>
void add_sorted(KernelRegistry* registry, const char* op) {
  registry->add(KernelDef(op)
                    .device("GPU")
                    .types("T", float_types())
                    .types("Tindices", index_types())
                    .host_memory({"segment_ids"})
                    .fn(segment<kFold, kScale>));
}

template <Scale kScale>
void add_sparse(KernelRegistry* registry, const std::string& op) {
  auto def = [](const std::string& name, std::vector<std::string> host_args) {
    return KernelDef(name)
        .device("GPU")
        .types("T", float_types())
        .types("Tidx", index_types())
        .types("Tsegmentids", index_types())
        .host_memory(std::move(host_args));
  };
  registry->add(def(op, {"segment_ids"}).fn(sparse_segment<kScale>));
  registry->add(def(op + "WithNumSegments", {"segment_ids", "num_segments"}).fn(sparse_segment<kScale>));
  registry->add(def(op + "Grad", {"output_dim0"}).fn(sparse_segment_grad<kScale>));
}

}  // namespace

void register_cuda_segment_kernels(KernelRegistry* registry) {
  const std::vector<DataType> reals = with(float_types(), {DataType::kInt32, DataType::kInt64});
  add_unsorted<Fold::kSum>(registry, "UnsortedSegmentSum",
                           with(reals, {DataType::kComplex64, DataType::kComplex128}));
  add_unsorted<Fold::kProd>(registry, "UnsortedSegmentProd", reals);
  add_unsorted<Fold::kMin>(registry, "UnsortedSegmentMin", reals);
  add_unsorted<Fold::kMax>(registry, "UnsortedSegmentMax", reals);
  add_sorted<Fold::kSum>(registry, "SegmentSum");
  add_sorted<Fold::kSum, Scale::kMean>(registry, "SegmentMean");
  add_sorted<Fold::kProd>(registry, "SegmentProd");
  add_sorted<Fold::kMin>(registry, "SegmentMin");
  add_sorted<Fold::kMax>(registry, "SegmentMax");
  add_sparse<Scale::kNone>(registry, "SparseSegmentSum");
  add_sparse<Scale::kMean>(registry, "SparseSegmentMean");
  add_sparse<Scale::kSqrtN>(registry, "SparseSegmentSqrtN");
}

}  // namespace troupe
