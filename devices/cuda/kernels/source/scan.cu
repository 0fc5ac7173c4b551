// Cumsum, Cumprod and CumulativeLogsumexp: totals of pieces, what is before each piece, then the pieces.
#include <type_traits>

#include "devices/cuda/kernels/scan_plan.h"
#include "devices/cuda/kernels/source/launchable.h"

namespace troupe::launchable {

/// Integers wrap.
template <class T>
struct WrapType {
  using type = compute_t<T>;
};
template <>
struct WrapType<int32_t> {
  using type = uint32_t;
};
template <>
struct WrapType<int64_t> {
  using type = uint64_t;
};

template <class T>
struct SumScan {
  using Acc = typename WrapType<T>::type;
  static TROUPE_DEVICE Acc start() { return 0; }
  static TROUPE_DEVICE Acc next(Acc a, Acc b) { return a + b; }
};
template <class T>
struct ProductScan {
  using Acc = typename WrapType<T>::type;
  static TROUPE_DEVICE Acc start() { return 1; }
  static TROUPE_DEVICE Acc next(Acc a, Acc b) { return a * b; }
};
template <class T>
struct LogSumExpScan {
  using Acc = compute_t<T>;
  static TROUPE_DEVICE Acc start() { return -static_cast<Acc>(INFINITY); }
  static TROUPE_DEVICE Acc next(Acc a, Acc b) {
    if (a != a || b != b) return a + b;
    const Acc high = a > b ? a : b;
    const Acc low = a > b ? b : a;
    if (std::isinf(high)) return high;
    return high + std::log1p(std::exp(low - high));
  }
};

/// Calls f(place of the element) for the elements of a piece in the order of the scan.
template <class F>
TROUPE_DEVICE void each_of_piece(const ScanPlan& plan, int64_t piece, F f) {
  const int64_t chunk = piece / plan.lines;
  const int64_t line = piece - chunk * plan.lines;
  const int64_t outer = line / plan.inner;
  const int64_t from = outer * plan.length * plan.inner + (line - outer * plan.inner);
  const int64_t begin = chunk * plan.chunk;
  const int64_t end = begin + plan.chunk < plan.length ? begin + plan.chunk : plan.length;
  for (int64_t i = begin; i < end; ++i) f(from + (plan.reverse != 0 ? plan.length - 1 - i : i) * plan.inner);
}

template <class Scan, class T>
struct AddUp {
  const T* x;
  typename Scan::Acc* acc;
  TROUPE_DEVICE void operator()(int64_t at) const {
    *acc = Scan::next(*acc, static_cast<typename Scan::Acc>(x[at]));
  }
};
template <class Scan, class T>
struct WriteUp {
  const T* x;
  T* y;
  typename Scan::Acc* acc;
  bool exclusive;
  TROUPE_DEVICE void operator()(int64_t at) const {
    const auto v = static_cast<typename Scan::Acc>(x[at]);
    if (exclusive) y[at] = static_cast<T>(*acc);
    *acc = Scan::next(*acc, v);
    if (!exclusive) y[at] = static_cast<T>(*acc);
  }
};

}  // namespace troupe::launchable

// totals is [chunks, lines]; starts the same, or null where there is one piece a line.
#define TROUPE_SCAN(op, sfx, T, SCAN)                                                             \
  TROUPE_KERNEL(op##_totals_##sfx, (const T* x, SCAN::Acc* totals, troupe::ScanPlan plan)) {      \
    TROUPE_FOR_EACH(piece, plan.lines* plan.chunks) {                                             \
      SCAN::Acc acc = SCAN::start();                                                              \
      each_of_piece(plan, piece, AddUp<SCAN, T>{x, &acc});                                        \
      totals[piece] = acc;                                                                        \
    }                                                                                             \
  }                                                                                               \
  TROUPE_KERNEL(op##_starts_##sfx, (SCAN::Acc * totals, int64_t lines, int64_t chunks)) {         \
    TROUPE_FOR_EACH(line, lines) {                                                                \
      SCAN::Acc acc = SCAN::start();                                                              \
      for (int64_t c = 0; c < chunks; ++c) {                                                      \
        const SCAN::Acc total = totals[c * lines + line];                                         \
        totals[c * lines + line] = acc;                                                           \
        acc = SCAN::next(acc, total);                                                             \
      }                                                                                           \
    }                                                                                             \
  }                                                                                               \
  TROUPE_KERNEL(op##_##sfx, (const T* x, const SCAN::Acc* starts, T* y, troupe::ScanPlan plan)) { \
    TROUPE_FOR_EACH(piece, plan.lines* plan.chunks) {                                             \
      SCAN::Acc acc = starts == nullptr ? SCAN::start() : starts[piece];                          \
      each_of_piece(plan, piece, WriteUp<SCAN, T>{x, y, &acc, plan.exclusive != 0});              \
    }                                                                                             \
  }

#define TROUPE_SCANS(sfx, T)              \
  TROUPE_SCAN(cumsum, sfx, T, SumScan<T>) \
  TROUPE_SCAN(cumprod, sfx, T, ProductScan<T>)
#define TROUPE_FLOAT_SCANS(sfx, T) \
  TROUPE_SCANS(sfx, T)             \
  TROUPE_SCAN(cumulative_logsumexp, sfx, T, LogSumExpScan<T>)

TROUPE_FLOAT_SCANS(f32, float)
TROUPE_FLOAT_SCANS(f64, double)
TROUPE_FLOAT_SCANS(f16, half_t)
TROUPE_FLOAT_SCANS(bf16, bfloat16_t)
TROUPE_SCANS(i32, int32_t)
TROUPE_SCANS(i64, int64_t)
