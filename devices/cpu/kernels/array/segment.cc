// SegmentSum and its like over sorted ids, UnsortedSegment* over any.
#include "devices/cpu/kernels/array/segment.h"

#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "devices/cpu/kernels/array/indexing.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Columns that one task of a reduction over rows takes.
constexpr int64_t kColumnBlock = 256;

bool is_half(DataType t) { return t == DataType::kHalf || t == DataType::kBfloat16; }

template <class From, class To>
void convert(const Tensor& from, Tensor* to) {
  auto f = from.flat<From>();
  auto t = to->flat<To>();
  for (size_t i = 0; i < f.size(); ++i) t[i] = static_cast<To>(f[i]);
}

template <class T>
Tensor identity_of(Combine op) {
  using Limits = std::numeric_limits<T>;
  switch (op) {
    case Combine::kMul: return Tensor::scalar<T>(T(1));
    case Combine::kMax: return Tensor::scalar<T>(Limits::lowest());
    case Combine::kMin: return Tensor::scalar<T>(Limits::max());
    default: return Tensor::scalar<T>(T(0));
  }
}

template <class T>
void divide(void* data, int64_t count, double n) {
  T* p = static_cast<T*>(data);
  if constexpr (std::is_integral_v<T>) {
    auto d = static_cast<int64_t>(n);
    for (int64_t i = 0; i < count; ++i) {
      p[i] = std::is_signed_v<T> ? static_cast<T>(static_cast<int64_t>(p[i]) / d)
                                 : static_cast<T>(static_cast<uint64_t>(p[i]) / static_cast<uint64_t>(d));
    }
  } else {
    T d = static_cast<T>(n);
    for (int64_t i = 0; i < count; ++i) p[i] /= d;
  }
}

/// Rows [begin, end) of the data belong to segment `id`.
struct Run {
  int64_t begin, end, id;
};

absl::StatusOr<std::vector<Run>> sorted_runs(const Tensor& ids, int64_t rows) {
  std::vector<Run> runs;
  int64_t n = ids.num_elements();
  for (int64_t begin = 0; begin < n;) {
    int64_t id = int_at(ids, begin), end = begin + 1;
    while (end < n && int_at(ids, end) == id) ++end;
    if (end < n && int_at(ids, end) < id) return invalid("segment ids are not increasing");
    if (id < 0 || id >= rows) {
      return invalid("Segment id ", id, " out of range [0, ", rows,
                     "), possibly because 'segment_ids' input is not sorted.");
    }
    runs.push_back({begin, end, id});
    begin = end;
  }
  return runs;
}

/// Sorted ids. kDiv stands for the mean.
template <Combine kOp>
absl::Status segment(KernelContext& context) {
  constexpr bool kMean = kOp == Combine::kDiv;
  constexpr Combine kLoop = kMean ? Combine::kAdd : kOp;
  const Tensor& ids = context.input(1);
  if (!is_vector(ids)) return invalid("segment_ids should be a vector.");
  if (context.input(0).rank() < 1) return invalid("input must be at least rank 1");
  if (context.input(0).dim(0) != ids.dim(0)) {
    return invalid("segment_ids should be the same size as dimension 0 of input.");
  }
  int64_t n = ids.dim(0);
  int64_t last = n == 0 ? -1 : int_at(ids, n - 1);
  if (n > 0 && last < 0) return invalid("segment ids must be >= 0");
  if (last == std::numeric_limits<int64_t>::max()) return invalid("segment ids must be < 2**63 - 1");
  TROUPE_ASSIGN_OR_RETURN(std::vector<Run> runs, sorted_runs(ids, last + 1));
  bool widens = kLoop == Combine::kAdd || kLoop == Combine::kMul;
  Tensor data = context.input(0);
  if (widens) {
    TROUPE_ASSIGN_OR_RETURN(data, widen_halves(context, context.input(0)));
  }
  Indices dims(data.shape().dims().begin(), data.shape().dims().end());
  dims[0] = last + 1;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(data.dtype(), shape));
  Tensor gap = segment_identity(kLoop == Combine::kMul ? Combine::kMul : Combine::kAdd, data.dtype());
  if (static_cast<int64_t>(runs.size()) <= last) {
    fill_flat(context.parallel(), data.dtype(), gap.raw(), out.raw(), out.num_elements());
  }
  int64_t run = count_dims(shape, 1, shape.rank());
  if (run > 0 && n > 0) {
    CombineLoop loop = combine_loop(kLoop, data.dtype());
    if (loop == nullptr)
      return absl::UnimplementedError(absl::StrCat("Segments of ", dtype_name(data.dtype())));
    context.parallel().parallel_for(
        static_cast<int64_t>(runs.size()), run * n / static_cast<int64_t>(runs.size()) + 5,
        [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const Run& s = runs[r];
            void* to = element_at(out, s.id * run);
            copy_elements(data, s.begin * run, out, s.id * run, run);
            for (int64_t i = s.begin + 1; i < s.end; ++i)
              loop(to, element_at(static_cast<const Tensor&>(data), i * run), run);
            if (kMean) divide_run(data.dtype(), to, run, static_cast<double>(s.end - s.begin));
          }
        });
  }
  return set_narrowed_output(context, 0, std::move(out));
}

template <Combine kOp>
absl::Status unsorted_segment(KernelContext& context) {
  const Tensor& ids = context.input(1);
  const Tensor& count = context.input(2);
  if (!is_scalar(count))
    return invalid("num_segments should be a scalar, not shape ", count.shape().to_string());
  bool prefix = context.input(0).rank() >= ids.rank();
  for (int i = 0; prefix && i < ids.rank(); ++i) prefix = context.input(0).dim(i) == ids.dim(i);
  if (!prefix) {
    return invalid("data.shape = ", context.input(0).shape().to_string(),
                   " does not start with segment_ids.shape = ", ids.shape().to_string());
  }
  int64_t segments = int_at(count, 0);
  if (segments < 0) return invalid("Input num_segments == ", segments, " must not be negative.");
  int64_t n = ids.num_elements();
  for (int64_t i = 0; i < n; ++i) {
    if (int_at(ids, i) >= segments) {
      return invalid("segment_ids", position_text(ids.shape(), i), " = ", int_at(ids, i),
                     " is out of range [0, ", segments, ")");
    }
  }
  Tensor data = context.input(0);
  if (kOp == Combine::kAdd || kOp == Combine::kMul) {
    TROUPE_ASSIGN_OR_RETURN(data, widen_halves(context, context.input(0)));
  }
  Indices dims = {segments};
  for (int i = ids.rank(); i < data.rank(); ++i) dims.push_back(data.dim(i));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(data.dtype(), shape));
  Tensor start = segment_identity(kOp, data.dtype());
  fill_flat(context.parallel(), data.dtype(), start.raw(), out.raw(), out.num_elements());
  int64_t run = count_dims(shape, 1, shape.rank());
  CombineLoop loop = combine_loop(kOp, data.dtype());
  if (loop == nullptr)
    return absl::UnimplementedError(absl::StrCat("Segments of ", dtype_name(data.dtype())));
  if (run > 0 && segments > 0) {
    int64_t blocks = (run + kColumnBlock - 1) / kColumnBlock;
    context.parallel().parallel_for(blocks, n * kColumnBlock, [&](int64_t begin, int64_t end) {
      int64_t first = begin * kColumnBlock;
      int64_t length = std::min(run, end * kColumnBlock) - first;
      for (int64_t i = 0; i < n; ++i) {
        int64_t id = int_at(ids, i);
        if (id < 0) continue;
        loop(element_at(out, id * run + first), element_at(static_cast<const Tensor&>(data), i * run + first),
             length);
      }
    });
  }
  return set_narrowed_output(context, 0, std::move(out));
}

template <Combine kOp>
void add(KernelRegistry* registry, const std::string& suffix, const std::vector<DataType>& types,
         bool unsorted) {
  registry->add(
      KernelDef("Segment" + suffix).types("T", types).types("Tindices", index_types()).fn(segment<kOp>));
  if (!unsorted) return;
  if constexpr (kOp != Combine::kDiv) {
    registry->add(KernelDef("UnsortedSegment" + suffix)
                      .types("T", types)
                      .types("Tindices", with(index_types(), {DataType::kInt16}))
                      .fn(unsorted_segment<kOp>));
  }
}

}  // namespace

absl::StatusOr<Tensor> widen_halves(KernelContext& context, const Tensor& t) {
  if (!is_half(t.dtype())) return t;
  TROUPE_ASSIGN_OR_RETURN(Tensor wide, context.allocate_temp(DataType::kFloat, t.shape()));
  if (t.dtype() == DataType::kHalf) {
    convert<Eigen::half, float>(t, &wide);
  } else {
    convert<Eigen::bfloat16, float>(t, &wide);
  }
  return wide;
}

absl::Status set_narrowed_output(KernelContext& context, int i, Tensor t) {
  DataType want = context.output_type(i);
  if (t.dtype() == want) {
    context.set_output(i, std::move(t));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, t.shape()));
  if (want == DataType::kHalf) {
    convert<float, Eigen::half>(t, out);
  } else {
    convert<float, Eigen::bfloat16>(t, out);
  }
  return absl::OkStatus();
}

Tensor segment_identity(Combine op, DataType dtype) {
  switch (dtype) {
    case DataType::kFloat: return identity_of<float>(op);
    case DataType::kDouble: return identity_of<double>(op);
    case DataType::kHalf: return identity_of<Eigen::half>(op);
    case DataType::kBfloat16: return identity_of<Eigen::bfloat16>(op);
    case DataType::kInt8: return identity_of<int8_t>(op);
    case DataType::kInt16: return identity_of<int16_t>(op);
    case DataType::kInt32: return identity_of<int32_t>(op);
    case DataType::kInt64: return identity_of<int64_t>(op);
    case DataType::kUint8: return identity_of<uint8_t>(op);
    case DataType::kUint16: return identity_of<uint16_t>(op);
    case DataType::kUint32: return identity_of<uint32_t>(op);
    case DataType::kUint64: return identity_of<uint64_t>(op);
    case DataType::kComplex64: return Tensor::scalar(std::complex<float>(op == Combine::kMul ? 1 : 0));
    case DataType::kComplex128: return Tensor::scalar(std::complex<double>(op == Combine::kMul ? 1 : 0));
    default: return zeros(dtype, Shape());
  }
}

void divide_run(DataType dtype, void* data, int64_t count, double n) {
  switch (dtype) {
    case DataType::kFloat: return divide<float>(data, count, n);
    case DataType::kDouble: return divide<double>(data, count, n);
    case DataType::kInt8: return divide<int8_t>(data, count, n);
    case DataType::kInt16: return divide<int16_t>(data, count, n);
    case DataType::kInt32: return divide<int32_t>(data, count, n);
    case DataType::kInt64: return divide<int64_t>(data, count, n);
    case DataType::kUint8: return divide<uint8_t>(data, count, n);
    case DataType::kUint16: return divide<uint16_t>(data, count, n);
    case DataType::kUint32: return divide<uint32_t>(data, count, n);
    case DataType::kUint64: return divide<uint64_t>(data, count, n);
    case DataType::kComplex64: return divide<std::complex<float>>(data, count, n);
    case DataType::kComplex128: return divide<std::complex<double>>(data, count, n);
    default: return;
  }
}

void register_array_segment(KernelRegistry* registry) {
  add<Combine::kAdd>(registry, "Sum", number_types(), true);
  add<Combine::kDiv>(registry, "Mean", number_types(), false);
  add<Combine::kMul>(registry, "Prod", number_types(), true);
  add<Combine::kMin>(registry, "Min", real_number_types(), true);
  add<Combine::kMax>(registry, "Max", real_number_types(), true);
}

}  // namespace troupe
