// Rows combined by segment. Sums of 16-bit floats are kept in float.
#include "devices/cuda/kernels/source/array.h"
#include "devices/cuda/kernels/source/indices.h"
#include "devices/cuda/kernels/source/operations.h"

namespace troupe::launchable {
namespace {

/// Of a pair with a NaN the second unless the first is the smaller or larger one, as on CPUs.
struct Lesser {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Greater {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

/// out[ids[row]] op= data[row], in any order; ids out of range are passed over. `out` holds what op adds nothing to.
template <class Op, class T>
TROUPE_DEVICE_ONLY void unsorted_segment(const T* data, const void* ids, int32_t wide, compute_t<T>* out, int64_t segments,
                                         int64_t run, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t row = i;
    const int64_t k = take_coordinate(&row, run);
    const int64_t id = index_at(ids, wide, row);
    if (id < 0 || id >= segments) continue;
    compute_t<T>* to = out + id * run + k;
    if constexpr (std::is_same_v<Op, AddOp>) {
      atomic_add(to, static_cast<compute_t<T>>(data[i]));
    } else {
      atomic_apply(to, static_cast<compute_t<T>>(data[i]), Op());
    }
  }
}

/// What n numbers are divided by: 0: 1, 1: n, 2: its root. As SegmentScale.
template <class C>
TROUPE_DEVICE C divisor(int32_t scale, int64_t n) {
  return scale == 0 ? C(1) : scale == 1 ? static_cast<C>(n) : std::sqrt(static_cast<C>(n));
}

/// Segment s is the rows [starts[s], starts[s + 1]) of the data, in their order; or the rows that `indices` has there, of which those out of
/// range count as 0. Nothing gives `gap`.
template <class Op, class T>
TROUPE_DEVICE_ONLY void segment(const T* data, const void* indices, int32_t wide, int64_t limit, const int64_t* starts, T* out,
                                float gap, int32_t scale, int64_t run, int64_t n) {
  using C = compute_t<T>;
  TROUPE_FOR_EACH(i, n) {
    int64_t s = i;
    const int64_t k = take_coordinate(&s, run);
    const int64_t begin = starts[s];
    const int64_t end = starts[s + 1];
    C sum = static_cast<C>(gap);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = indices == nullptr ? r : index_at(indices, wide, r);
      const C value = row < 0 || row >= limit ? C(0) : static_cast<C>(data[row * run + k]);
      sum = r == begin ? value : Op()(sum, value);
    }
    out[i] = static_cast<T>(end > begin ? sum / divisor<C>(scale, end - begin) : sum);
  }
}

/// out[indices[i]] += grad[ids[i]], divided by what the segment has of rows.
template <class T>
TROUPE_DEVICE_ONLY void sparse_segment_grad(const T* grad, const void* indices, int32_t wide, const void* ids, int32_t wide_ids,
                                            const int32_t* counts, compute_t<T>* out, int64_t segments, int64_t rows,
                                            int32_t scale, int64_t run, int64_t n) {
  using C = compute_t<T>;
  TROUPE_FOR_EACH(i, n) {
    int64_t which = i;
    const int64_t k = take_coordinate(&which, run);
    const int64_t row = index_at(indices, wide, which);
    const int64_t id = index_at(ids, wide_ids, which);
    if (row < 0 || row >= rows || id < 0 || id >= segments) continue;
    atomic_add(out + row * run + k, static_cast<C>(grad[id * run + k]) / divisor<C>(scale, counts[id]));
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_UNSORTED_SEGMENT(name, Op, suffix, T)                                                               \
  TROUPE_KERNEL(unsorted_segment_##name##_##suffix, (const T* data, const void* ids, int32_t wide,                \
                                                     compute_t<T>* out, int64_t segments, int64_t run, int64_t n)) { \
    unsorted_segment<Op>(data, ids, wide, out, segments, run, n);                                                  \
  }
#define TROUPE_UNSORTED_SUM(suffix, T) TROUPE_UNSORTED_SEGMENT(sum, AddOp, suffix, T)
#define TROUPE_UNSORTED_SEGMENTS(suffix, T)               \
  TROUPE_UNSORTED_SUM(suffix, T)                          \
  TROUPE_UNSORTED_SEGMENT(prod, MulOp, suffix, T)         \
  TROUPE_UNSORTED_SEGMENT(min, Lesser, suffix, T)         \
  TROUPE_UNSORTED_SEGMENT(max, Greater, suffix, T)
TROUPE_EACH_FLOAT(TROUPE_UNSORTED_SEGMENTS)
TROUPE_UNSORTED_SEGMENTS(i32, int32_t)
TROUPE_UNSORTED_SEGMENTS(i64, int64_t)
TROUPE_EACH_COMPLEX(TROUPE_UNSORTED_SUM)

#define TROUPE_SEGMENT(name, Op, suffix, T)                                                                                  \
  TROUPE_KERNEL(segment_##name##_##suffix,                                                                                   \
                (const T* data, const void* indices, int32_t wide, int64_t limit, const int64_t* starts, T* out, float gap, \
                 int32_t scale, int64_t run, int64_t n)) {                                                                  \
    segment<Op>(data, indices, wide, limit, starts, out, gap, scale, run, n);                                               \
  }
#define TROUPE_SEGMENTS(suffix, T)              \
  TROUPE_SEGMENT(sum, AddOp, suffix, T)         \
  TROUPE_SEGMENT(prod, MulOp, suffix, T)        \
  TROUPE_SEGMENT(min, Lesser, suffix, T)        \
  TROUPE_SEGMENT(max, Greater, suffix, T)
TROUPE_EACH_FLOAT(TROUPE_SEGMENTS)

#define TROUPE_SPARSE_SEGMENT_GRAD(suffix, T)                                                                            \
  TROUPE_KERNEL(sparse_segment_grad_##suffix,                                                                           \
                (const T* grad, const void* indices, int32_t wide, const void* ids, int32_t wide_ids,                   \
                 const int32_t* counts, compute_t<T>* out, int64_t segments, int64_t rows, int32_t scale, int64_t run,  \
                 int64_t n)) {                                                                                          \
    sparse_segment_grad(grad, indices, wide, ids, wide_ids, counts, out, segments, rows, scale, run, n);                \
  }
TROUPE_EACH_FLOAT(TROUPE_SPARSE_SEGMENT_GRAD)

/// How many rows each segment has.
TROUPE_KERNEL(count_segments, (const void* ids, int32_t wide, int32_t* counts, int64_t segments, int64_t n)) {
  TROUPE_FOR_EACH(i, n) {
    const int64_t id = index_at(ids, wide, i);
    if (id >= 0 && id < segments) atomic_add(&counts[id], int32_t{1});
  }
}

TROUPE_KERNEL(narrow_f16, (const float* x, half_t* y, int64_t n)) {
  TROUPE_FOR_EACH(i, n) { y[i] = half_t(x[i]); }
}
TROUPE_KERNEL(narrow_bf16, (const float* x, bfloat16_t* y, int64_t n)) {
  TROUPE_FOR_EACH(i, n) { y[i] = bfloat16_t(x[i]); }
}
