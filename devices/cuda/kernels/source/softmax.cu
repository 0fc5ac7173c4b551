// Softmax, its logarithm and cross entropies: a block a row, or a thread where rows are short.
#include "devices/cuda/kernels/cross_entropy_strides.h"
#include "devices/cuda/kernels/source/reduce.h"

namespace troupe::launchable {

/// The elements of a row for the threads of a block, which share what they have found.
struct BlockRow {
  template <class F>
  static TROUPE_DEVICE_ONLY void each(int64_t n, F f) {
    TROUPE_FOR_THREADS(k, n) f(k);
  }
  template <class A, class Join>
  static TROUPE_DEVICE_ONLY A joined(A a, Join join) {
    return block_reduce(a, join);
  }
};
/// The same for one thread.
struct ThreadRow {
  template <class F>
  static TROUPE_DEVICE_ONLY void each(int64_t n, F f) {
    for (int64_t k = 0; k < n; ++k) f(k);
  }
  template <class A, class Join>
  static TROUPE_DEVICE_ONLY A joined(A a, Join) {
    return a;
  }
};

/// A row of numbers as those that are calculated with; `stride` 0 repeats one.
template <class T>
struct RowOf {
  const T* x;
  int64_t stride;
  TROUPE_DEVICE compute_t<T> operator[](int64_t k) const { return static_cast<compute_t<T>>(x[k * stride]); }
};

/// Through the tensor's own dtype: differences of half numbers may be infinite.
template <class T>
TROUPE_DEVICE compute_t<T> rounded(compute_t<T> v) {
  return static_cast<compute_t<T>>(static_cast<T>(v));
}

/// NaN if there is one.
template <class Row, class T>
TROUPE_DEVICE_ONLY compute_t<T> greatest(RowOf<T> row, int64_t n) {
  auto top = MaxFold<T>::start();
  Row::each(n, [&](int64_t k) { top = MaxFold<T>::join(top, row[k]); });
  return Row::joined(top, JoinOf<MaxFold<T>>());
}

/// The sum of exp(x - top).
template <class Row, class T>
TROUPE_DEVICE_ONLY compute_t<T> exp_sum(RowOf<T> row, int64_t n, compute_t<T> top) {
  compute_t<T> sum = 0;
  Row::each(n, [&](int64_t k) { sum += std::exp(row[k] - top); });
  return Row::joined(sum, Sum());
}

/// A row with NaN or +inf, or with nothing but -inf, becomes NaN: its sum is. y may be x.
template <class Row, class T>
TROUPE_DEVICE_ONLY void softmax_row(const T* x, T* y, int64_t n, bool log) {
  using C = compute_t<T>;
  const RowOf<T> row{x, 1};
  const C top = greatest<Row>(row, n);
  const C sum = exp_sum<Row>(row, n, top);
  const C log_sum = log ? std::log(sum) : C(0);
  const C share = C(1) / sum;
  Row::each(n, [&](int64_t k) {
    const C v = row[k] - top;
    y[k] = static_cast<T>(log ? v - log_sum : std::exp(v) * share);
  });
}

template <class T>
TROUPE_DEVICE_ONLY void cross_entropy_row(RowOf<T> row, RowOf<T> labels, int64_t n, T* loss, T* grad) {
  using C = compute_t<T>;
  const C top = greatest<BlockRow>(row, n);
  C sum = 0;
  BlockRow::each(n, [&](int64_t k) { sum += std::exp(rounded<T>(row[k] - top)); });
  sum = block_sum(sum);
  const C log_sum = rounded<T>(std::log(sum));
  C total = 0;
  BlockRow::each(n, [&](int64_t k) {
    const C v = rounded<T>(row[k] - top);
    // Of what cannot be, even a share of 0 makes NaN.
    total += rounded<T>(labels[k] * rounded<T>(log_sum - v));
    grad[k] = static_cast<T>(std::exp(v) / sum - labels[k]);
  });
  total = block_sum(total);
  if (thread_index() == 0) *loss = static_cast<T>(total);
}

/// A label that is no class makes NaN.
template <class T>
TROUPE_DEVICE_ONLY void sparse_cross_entropy_row(const T* x, int64_t label, int64_t n, T* loss, T* grad) {
  using C = compute_t<T>;
  const RowOf<T> row{x, 1};
  const bool known = label >= 0 && label < n;
  const C top = greatest<BlockRow>(row, n);
  const C sum = exp_sum<BlockRow>(row, n, top);
  const C nan = static_cast<C>(NAN);
  if (thread_index() == 0) {
    *loss = static_cast<T>(known ? std::log(sum) - (row[label] - top) : nan);
  }
  BlockRow::each(n, [&](int64_t k) {
    const C share = std::exp(row[k] - top) / sum;
    grad[k] = static_cast<T>(known ? share - (k == label ? C(1) : C(0)) : nan);
  });
}

}  // namespace troupe::launchable

#define TROUPE_SOFTMAX(sfx, T)                                                                          \
  TROUPE_KERNEL(softmax_##sfx, (const T* x, T* y, int64_t rows, int64_t classes, int32_t log)) {        \
    TROUPE_FOR_BLOCKS(r, rows) {                                                                        \
      softmax_row<BlockRow, T>(x + r * classes, y + r * classes, classes, log != 0);                    \
    }                                                                                                   \
  }                                                                                                     \
  TROUPE_KERNEL(softmax_short_##sfx, (const T* x, T* y, int64_t rows, int64_t classes, int32_t log)) {  \
    TROUPE_FOR_EACH(r, rows) {                                                                          \
      softmax_row<ThreadRow, T>(x + r * classes, y + r * classes, classes, log != 0);                   \
    }                                                                                                   \
  }                                                                                                     \
  TROUPE_KERNEL(cross_entropy_##sfx, (const T* x, const T* labels, T* loss, T* grad, int64_t rows,      \
                                      int64_t classes, troupe::CrossEntropyStrides strides)) {          \
    TROUPE_FOR_BLOCKS(r, rows) {                                                                        \
      cross_entropy_row<T>({x + r * strides.x_row, strides.x_column},                                   \
                           {labels + r * strides.labels_row, strides.labels_column}, classes, loss + r, \
                           grad + r * classes);                                                         \
    }                                                                                                   \
  }                                                                                                     \
  TROUPE_SPARSE_CROSS_ENTROPY(i32, int32_t, sfx, T)                                                     \
  TROUPE_SPARSE_CROSS_ENTROPY(i64, int64_t, sfx, T)

#define TROUPE_SPARSE_CROSS_ENTROPY(index, I, sfx, T)                                                 \
  TROUPE_KERNEL(sparse_cross_entropy_of_##index##_##sfx,                                              \
                (const T* x, const I* labels, T* loss, T* grad, int64_t rows, int64_t classes)) {     \
    TROUPE_FOR_BLOCKS(r, rows) {                                                                      \
      sparse_cross_entropy_row<T>(x + r * classes, labels[r], classes, loss + r, grad + r * classes); \
    }                                                                                                 \
  }

TROUPE_SOFTMAX(f32, float)
TROUPE_SOFTMAX(f64, double)
TROUPE_SOFTMAX(f16, half_t)
TROUPE_SOFTMAX(bf16, bfloat16_t)
