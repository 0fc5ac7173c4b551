// Scatters to whole rows of variables. Indices out of range are passed over. Rows that repeat are combined in any order.
#include "devices/cuda/kernels/source/array.h"
#include "devices/cuda/kernels/source/indices.h"
#include "devices/cuda/kernels/source/operations.h"

namespace troupe::launchable {
namespace {

struct Replace {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    *to = value;
  }
};

/// Op is of compute_t<T>.
template <class Op>
struct Combine {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    atomic_apply(to, value, [](T old, T fresh) {
      return static_cast<T>(Op()(static_cast<compute_t<T>>(old), static_cast<compute_t<T>>(fresh)));
    });
  }
};
template <>
struct Combine<AddOp> {
  template <class T>
  TROUPE_DEVICE_ONLY void operator()(T* to, T value) const {
    atomic_add(to, value);
  }
};
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

/// Rows of `run` elements; one update for all elements where `step` is 0, and else (1) one for each.
template <class Op, class T>
TROUPE_DEVICE_ONLY void scatter_rows(T* target, const T* updates, int64_t step, const void* indices, int32_t wide, int64_t rows,
                                     int64_t run, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    int64_t which = i;
    const int64_t k = take_coordinate(&which, run);
    const int64_t row = index_at(indices, wide, which);
    if (row >= 0 && row < rows) Op()(target + row * run + k, updates[i * step]);
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_SCATTER_ROWS(name, Op, suffix, T)                                                                            \
  TROUPE_KERNEL(scatter_rows_##name##_##suffix, (T * target, const T* updates, int64_t step, const void* indices,          \
                                                 int32_t wide, int64_t rows, int64_t run, int64_t n)) {                    \
    scatter_rows<Op>(target, updates, step, indices, wide, rows, run, n);                                                   \
  }

#define TROUPE_REPLACED_ROWS(size, T) TROUPE_SCATTER_ROWS(update, Replace, size, T)
TROUPE_EACH_SIZE(TROUPE_REPLACED_ROWS)

#define TROUPE_SUMMED_ROWS(suffix, T) TROUPE_SCATTER_ROWS(add, Combine<AddOp>, suffix, T)
#define TROUPE_COMBINED_ROWS(suffix, T)                          \
  TROUPE_SUMMED_ROWS(suffix, T)                                  \
  TROUPE_SCATTER_ROWS(sub, Combine<SubOp>, suffix, T)            \
  TROUPE_SCATTER_ROWS(mul, Combine<MulOp>, suffix, T)            \
  TROUPE_SCATTER_ROWS(min, Combine<Lesser>, suffix, T)           \
  TROUPE_SCATTER_ROWS(max, Combine<Greater>, suffix, T)
#define TROUPE_DIVIDED_ROWS(suffix, T) TROUPE_SCATTER_ROWS(div, Combine<DivideOp>, suffix, T)
TROUPE_EACH_FLOAT(TROUPE_COMBINED_ROWS)
TROUPE_EACH_FLOAT(TROUPE_DIVIDED_ROWS)
TROUPE_COMBINED_ROWS(i64, int64_t)
TROUPE_EACH_COMPLEX(TROUPE_SUMMED_ROWS)
