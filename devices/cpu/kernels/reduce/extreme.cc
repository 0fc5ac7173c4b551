// Max, Min, All and Any.
#include <algorithm>
#include <cstring>
#include <limits>

#include "devices/cpu/kernels/reduce/reduction.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// NaN wins. Nothing gives the infinity, or the end of the range, that every number beats.
template <class T, bool kMax>
struct ExtremeOp {
  using Sum = compute_t<T>;
  static Sum start() {
    if constexpr (is_float_v<T>) {
      return kMax ? -std::numeric_limits<Sum>::infinity() : std::numeric_limits<Sum>::infinity();
    } else {
      return kMax ? std::numeric_limits<Sum>::lowest() : std::numeric_limits<Sum>::max();
    }
  }
  static void join(Sum& s, const Sum& x) {
    if constexpr (is_float_v<T>) {
      const bool better = kMax ? x > s : x < s;
      s = (better | (x != x)) & (s == s) ? x : s;
    } else {
      s = kMax ? std::max(s, x) : std::min(s, x);
    }
  }
  static void fold(Sum& s, const T& x) { join(s, static_cast<Sum>(x)); }
  static T finish(const Sum& s, int64_t) { return static_cast<T>(s); }
  static Sum fold_run(const T* x, int64_t n) requires(kMax&& std::is_same_v<T, float>) {
    return vector_loops().folds.maximum(x, n);
  }
  static void fold_row(Sum* sums, const T* x, int64_t n) requires std::is_same_v<T, float> {
    const FloatPairs& pairs = vector_loops().floats;
    (kMax ? pairs.maximum : pairs.minimum)(sums, x, sums, n, RowMode::kBoth);
  }
};
template <class T>
using MaxOp = ExtremeOp<T, true>;
template <class T>
using MinOp = ExtremeOp<T, false>;

template <bool kAll>
struct LogicOp {
  using Sum = bool;
  static bool start() { return kAll; }
  static void fold(bool& s, const bool& x) { s = kAll ? s & x : s | x; }
  static void join(bool& s, const bool& x) { fold(s, x); }
  static bool finish(const bool& s, int64_t) { return s; }
  static bool fold_run(const bool* x, int64_t n) {
    if constexpr (kAll) return std::memchr(x, 0, static_cast<size_t>(n)) == nullptr;
    // Some at once, in vector code; the first that has one is the last that is looked at.
    constexpr int64_t kBlock = 1024;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(x);
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      unsigned char any = 0;
      for (int64_t i = begin; i < std::min(n, begin + kBlock); ++i) any |= bytes[i];
      if (any != 0) return true;
    }
    return false;
  }
};

}  // namespace

void register_reduce_extreme(KernelRegistry* r) {
  add_reductions<MaxOp, float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t, int32_t, int64_t,
                 uint8_t, uint16_t, uint32_t, uint64_t>(r, "Max");
  add_reductions<MinOp, float, double, Eigen::half, Eigen::bfloat16, int8_t, int16_t, int32_t, int64_t,
                 uint8_t, uint16_t, uint32_t, uint64_t>(r, "Min");
  const std::vector<DataType> index = {DataType::kInt32, DataType::kInt64};
  r->add(KernelDef("All").types("Tidx", index).kernel<Reduction<LogicOp<true>, bool>>());
  r->add(KernelDef("Any").types("Tidx", index).kernel<Reduction<LogicOp<false>, bool>>());
}

}  // namespace troupe
