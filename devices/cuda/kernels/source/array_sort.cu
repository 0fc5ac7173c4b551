// Order: TopK, InTopK, bounds in sorted rows, buckets.
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

/// Numbers turned into unsigned ones of the same order. -0 equals 0, NaN is below everything.
template <class T>
TROUPE_DEVICE uint64_t order_key(T value) {
  if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      return static_cast<uint64_t>(static_cast<int64_t>(value)) ^ (uint64_t{1} << 63);
    return static_cast<uint64_t>(value);
  } else {
    const auto d = static_cast<double>(static_cast<compute_t<T>>(value));
    if (d != d) return 0;
    const auto bits = bits_as<uint64_t>(d == 0 ? 0.0 : d);
    return bits >> 63 != 0 ? ~bits : bits | uint64_t{1} << 63;
  }
}

/// An element of a row: its key and where it is.
struct Ranked {
  uint64_t key;
  int64_t at;
};
/// Greater ones first; of equal ones those that stand earlier.
TROUPE_DEVICE bool before(const Ranked& a, const Ranked& b) {
  return a.key > b.key || (a.key == b.key && a.at < b.at);
}
struct First {
  TROUPE_DEVICE Ranked operator()(const Ranked& a, const Ranked& b) const { return before(a, b) ? a : b; }
};
/// Behind every element.
TROUPE_DEVICE Ranked behind_all() { return {0, INT64_MAX}; }

/// One walk over the row for each of the k.
template <class T, class Index>
TROUPE_DEVICE_ONLY void top_k_select(const T* in, T* values, Index* indices, int64_t n, int64_t k,
                                     int64_t rows) {
  TROUPE_FOR_BLOCKS(r, rows) {
    const T* row = in + r * n;
    Ranked last = {~uint64_t{0}, -1};
    for (int64_t j = 0; j < k; ++j) {
      Ranked best = behind_all();
      TROUPE_FOR_THREADS(i, n) {
        const Ranked x = {order_key(row[i]), i};
        if (before(last, x) && before(x, best)) best = x;
      }
      last = block_reduce(best, First());
      if (thread_index() == 0) {
        values[r * k + j] = row[last.at];
        indices[r * k + j] = static_cast<Index>(last.at);
      }
    }
  }
}

/// Sorts each row in `scratch`, `padded` elements a row (a power of 2 that is not less than n): a bitonic network.
template <class T, class Index>
TROUPE_DEVICE_ONLY void top_k_sort(const T* in, T* values, Index* indices, Ranked* scratch, int64_t padded,
                                   int64_t n, int64_t k, int64_t rows) {
  TROUPE_FOR_BLOCKS(r, rows) {
    const T* row = in + r * n;
    Ranked* ranked = scratch + r * padded;
    TROUPE_FOR_THREADS(i, padded) {
      if (i < n) {
        ranked[i] = {order_key(row[i]), i};
      } else {
        ranked[i] = behind_all();
      }
    }
    block_sync();
    for (int64_t size = 2; size <= padded; size *= 2) {
      for (int64_t distance = size / 2; distance > 0; distance /= 2) {
        TROUPE_FOR_THREADS(t, padded / 2) {
          const int64_t low = 2 * t - (t & (distance - 1)), high = low + distance;
          const bool forwards = (low & size) == 0;
          const Ranked a = ranked[low], b = ranked[high];
          if (forwards ? before(b, a) : before(a, b)) {
            ranked[low] = b;
            ranked[high] = a;
          }
        }
        block_sync();
      }
    }
    TROUPE_FOR_THREADS(j, k) {
      values[r * k + j] = row[ranked[j].at];
      indices[r * k + j] = static_cast<Index>(ranked[j].at);
    }
  }
}

template <class Index>
TROUPE_DEVICE_ONLY void in_top_k(const float* predictions, const Index* targets, bool* out, int64_t classes,
                                 int64_t k, int64_t rows) {
  TROUPE_FOR_BLOCKS(r, rows) {
    const float* row = predictions + r * classes;
    const int64_t target = static_cast<int64_t>(targets[r]);
    const bool known = target >= 0 && target < classes;
    int64_t better = 0;
    int32_t odd = 0;  // infinities and NaN
    TROUPE_FOR_THREADS(i, classes) {
      odd |= row[i] - row[i] != 0 ? 1 : 0;
      better += known && row[i] > row[target] ? 1 : 0;
    }
    better = block_sum(better);
    odd = block_max(odd);
    if (thread_index() == 0) out[r] = known && odd == 0 && better < k;
  }
}

/// Where `value` belongs in rows of `n` ascending numbers: before those equal to it, or behind them.
template <class T, class Out, bool kUpper>
TROUPE_DEVICE_ONLY void bounds(const T* sorted, const T* values, Out* out, int64_t n, int64_t m,
                               int64_t total) {
  TROUPE_FOR_EACH(i, total) {
    const T* row = sorted + i / m * n;
    const uint64_t key = order_key(values[i]);
    int64_t low = 0, high = n;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      const uint64_t there = order_key(row[middle]);
      if (kUpper ? there <= key : there < key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    out[i] = static_cast<Out>(low);
  }
}

template <class T>
TROUPE_DEVICE_ONLY void bucketize(const T* x, const float* boundaries, int32_t count, int32_t* out,
                                  int64_t n) {
  using C = std::common_type_t<T, float>;
  TROUPE_FOR_EACH(i, n) {
    int32_t low = 0, high = count;
    while (low < high) {
      const int32_t middle = (low + high) / 2;
      if (static_cast<C>(x[i]) < static_cast<C>(boundaries[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    out[i] = low;
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_TOP_K(suffix, T, index, Index)                                                          \
  TROUPE_KERNEL(top_k_select_##suffix##_##index,                                                       \
                (const T* in, T* values, Index* indices, int64_t n, int64_t k, int64_t rows)) {        \
    top_k_select(in, values, indices, n, k, rows);                                                     \
  }                                                                                                    \
  TROUPE_KERNEL(top_k_sort_##suffix##_##index, (const T* in, T* values, Index* indices, void* scratch, \
                                                int64_t padded, int64_t n, int64_t k, int64_t rows)) { \
    top_k_sort(in, values, indices, static_cast<Ranked*>(scratch), padded, n, k, rows);                \
  }
#define TROUPE_BOUNDS(suffix, T, index, Index)                                                         \
  TROUPE_KERNEL(lower_bound_##suffix##_##index,                                                        \
                (const T* sorted, const T* values, Index* out, int64_t n, int64_t m, int64_t total)) { \
    bounds<T, Index, false>(sorted, values, out, n, m, total);                                         \
  }                                                                                                    \
  TROUPE_KERNEL(upper_bound_##suffix##_##index,                                                        \
                (const T* sorted, const T* values, Index* out, int64_t n, int64_t m, int64_t total)) { \
    bounds<T, Index, true>(sorted, values, out, n, m, total);                                          \
  }
#define TROUPE_ORDER(suffix, T)          \
  TROUPE_TOP_K(suffix, T, i16, int16_t)  \
  TROUPE_TOP_K(suffix, T, i32, int32_t)  \
  TROUPE_TOP_K(suffix, T, i64, int64_t)  \
  TROUPE_BOUNDS(suffix, T, i32, int32_t) \
  TROUPE_BOUNDS(suffix, T, i64, int64_t)
TROUPE_EACH_FLOAT(TROUPE_ORDER)
TROUPE_EACH_INT(TROUPE_ORDER)

#define TROUPE_IN_TOP_K(index, Index)                                                         \
  TROUPE_KERNEL(in_top_k_##index, (const float* predictions, const Index* targets, bool* out, \
                                   int64_t classes, int64_t k, int64_t rows)) {               \
    in_top_k(predictions, targets, out, classes, k, rows);                                    \
  }
TROUPE_IN_TOP_K(i32, int32_t)
TROUPE_IN_TOP_K(i64, int64_t)

#define TROUPE_BUCKETIZE(suffix, T)                                                              \
  TROUPE_KERNEL(bucketize_##suffix,                                                              \
                (const T* x, const float* boundaries, int32_t count, int32_t* out, int64_t n)) { \
    bucketize(x, boundaries, count, out, n);                                                     \
  }
TROUPE_BUCKETIZE(f32, float)
TROUPE_BUCKETIZE(f64, double)
TROUPE_BUCKETIZE(i32, int32_t)
TROUPE_BUCKETIZE(i64, int64_t)
