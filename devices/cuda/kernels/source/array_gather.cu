// Elements by index: gathers, scatters, one-hot rows. An index that is out of range gives zeros, or writes nothing.
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

template <class T, class Index>
TROUPE_DEVICE_ONLY void gather(const GatherArgs& a, const T* from, const Index* indices, T* to, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t block = i;
    const int64_t k = take_coordinate(&block, a.run);
    const int64_t which = take_coordinate(&block, a.indices);
    const int64_t at = static_cast<int64_t>(indices[block / a.outer * a.indices + which]);
    to[i] = at >= 0 && at < a.axis ? from[(block * a.axis + at) * a.run + k] : T{};
  }
}

/// The flat position that row `row` of the indices names, or -1.
template <class Index>
TROUPE_DEVICE int64_t position_of(const IndexedDims& dims, const Index* indices, int64_t row) {
  int64_t flat = 0;
  for (int k = 0; k < dims.rank; ++k) {
    const int64_t at = static_cast<int64_t>(indices[row * dims.rank + k]);
    if (at < 0 || at >= dims.sizes[k]) return -1;
    flat = flat * dims.sizes[k] + at;
  }
  return flat;
}

template <class T, class Index>
TROUPE_DEVICE_ONLY void gather_nd(const IndexedDims& dims, const T* from, const Index* indices, T* to,
                                  int64_t run, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t row = i;
    const int64_t k = take_coordinate(&row, run);
    const int64_t at = position_of(dims, indices, row);
    to[i] = at < 0 ? T{} : from[at * run + k];
  }
}

struct Assign {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    *to = value;
  }
};
struct Add {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    atomic_add(to, value);
  }
};
struct Subtract {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    atomic_add(to, negated(value));
  }

 private:
  template <class T>
  static TROUPE_DEVICE T negated(T v) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(v));
    } else if constexpr (is_narrow_v<T>) {
      return static_cast<T>(-static_cast<float>(v));
    } else {
      return -v;
    }
  }
};
struct Greatest {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    atomic_max(to, value);
  }
};
struct Least {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    atomic_min(to, value);
  }
};

template <class Op, class T, class Index>
TROUPE_DEVICE_ONLY void scatter_nd(const IndexedDims& dims, const Index* indices, const T* updates, T* to,
                                   int64_t run, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t row = i;
    const int64_t k = take_coordinate(&row, run);
    const int64_t at = position_of(dims, indices, row);
    if (at >= 0) Op()(to + at * run + k, updates[i]);
  }
}

template <class T, class Index>
TROUPE_DEVICE_ONLY void one_hot(const Index* indices, const T* on, const T* off, T* to, int64_t depth,
                                int64_t suffix, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t prefix = i;
    const int64_t behind = take_coordinate(&prefix, suffix), at = take_coordinate(&prefix, depth);
    to[i] = static_cast<int64_t>(indices[prefix * suffix + behind]) == at ? *on : *off;
  }
}

}  // namespace
}  // namespace troupe::launchable

using namespace troupe;  // NOLINT: kernels are written at the top

#define TROUPE_SCATTER(name, Op, suffix, T)                                                              \
  TROUPE_KERNEL(scatter_nd_##name##_##suffix##_i32, (IndexedDims dims, const int32_t* indices,           \
                                                     const T* updates, T* to, int64_t run, int64_t n)) { \
    scatter_nd<Op>(dims, indices, updates, to, run, n);                                                  \
  }                                                                                                      \
  TROUPE_KERNEL(scatter_nd_##name##_##suffix##_i64, (IndexedDims dims, const int64_t* indices,           \
                                                     const T* updates, T* to, int64_t run, int64_t n)) { \
    scatter_nd<Op>(dims, indices, updates, to, run, n);                                                  \
  }
#define TROUPE_SUMS(suffix, T)        \
  TROUPE_SCATTER(add, Add, suffix, T) \
  TROUPE_SCATTER(sub, Subtract, suffix, T)
#define TROUPE_EXTREMES(suffix, T)         \
  TROUPE_SCATTER(max, Greatest, suffix, T) \
  TROUPE_SCATTER(min, Least, suffix, T)
TROUPE_EACH_FLOAT(TROUPE_SUMS)
TROUPE_EACH_COMPLEX(TROUPE_SUMS)
TROUPE_EACH_INT(TROUPE_SUMS)
TROUPE_EACH_FLOAT(TROUPE_EXTREMES)
TROUPE_EACH_INT(TROUPE_EXTREMES)

#define TROUPE_PICKS(size, T, index, Index)                                                               \
  TROUPE_KERNEL(gather_##size##_##index,                                                                  \
                (GatherArgs a, const T* from, const Index* indices, T* to, int64_t n)) {                  \
    gather(a, from, indices, to, n);                                                                      \
  }                                                                                                       \
  TROUPE_KERNEL(gather_nd_##size##_##index,                                                               \
                (IndexedDims dims, const T* from, const Index* indices, T* to, int64_t run, int64_t n)) { \
    gather_nd(dims, from, indices, to, run, n);                                                           \
  }
#define TROUPE_ONE_HOT(size, T, index, Index)                                                      \
  TROUPE_KERNEL(one_hot_##size##_##index, (const Index* indices, const T* on, const T* off, T* to, \
                                           int64_t depth, int64_t suffix, int64_t n)) {            \
    one_hot(indices, on, off, to, depth, suffix, n);                                               \
  }
#define TROUPE_BY_INDEX(size, T)        \
  TROUPE_PICKS(size, T, i16, int16_t)   \
  TROUPE_PICKS(size, T, i32, int32_t)   \
  TROUPE_PICKS(size, T, i64, int64_t)   \
  TROUPE_ONE_HOT(size, T, i8, int8_t)   \
  TROUPE_ONE_HOT(size, T, u8, uint8_t)  \
  TROUPE_ONE_HOT(size, T, i32, int32_t) \
  TROUPE_ONE_HOT(size, T, i64, int64_t) \
  TROUPE_SCATTER(assign, Assign, size, T)
TROUPE_EACH_SIZE(TROUPE_BY_INDEX)
