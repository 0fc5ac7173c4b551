// Rows of floats folded into one, compiled for each instruction set.
#include "devices/cpu/loops/vector/float_math.h"
#include "devices/cpu/loops/vector/sets.h"

namespace troupe::TROUPE_ISA {
namespace {

/// Partial results side by side: element i goes into lane i % kLanes, however wide a register is.
constexpr int64_t kLanes = 32;
constexpr int64_t kStep = kWidth<float>;
constexpr int64_t kRegisters = kLanes / kStep;

/// The first `count` elements of v, then `filler`.
TROUPE_INLINE Floats filled(Floats v, int64_t count, float filler) {
  Ints lane;
  for (int k = 0; k < kStep; ++k) lane[k] = k;
  return lane < static_cast<int32_t>(count) ? v : splat(filler);
}

/// The upper half of a register joins the lower one, until one lane is left.
template <class V, class Join>
TROUPE_INLINE float join_lanes(V v, Join join) {
  if constexpr (sizeof(V) == 64) {
    return join_lanes(join(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7),
                           __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)),
                      join);
  } else if constexpr (sizeof(V) == 32) {
    return join_lanes(
        join(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7)), join);
  } else {
    v = join(v, __builtin_shufflevector(v, v, 2, 3, 0, 1));
    return join(v, __builtin_shufflevector(v, v, 1, 0, 3, 2))[0];
  }
}

/// Folds f(in[i]) with `join`, whose neutral element is `start`. `write(at, count, values)` sees what is folded.
template <class F, class Write, class Join>
TROUPE_INLINE float fold(const float* in, int64_t n, float start, F f, Write write, Join join) {
  Floats lanes[kRegisters];
  for (Floats& v : lanes) v = splat(start);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
#pragma GCC unroll 8
    for (int64_t k = 0; k < kRegisters; ++k) {
      const Floats v = f(load(in + i + k * kStep));
      write(i + k * kStep, kStep, v);
      lanes[k] = join(lanes[k], v);
    }
  }
#pragma GCC unroll 8
  for (int64_t k = 0; k < kRegisters; ++k, i += kStep) {
    if (i >= n) break;
    const int64_t count = n - i < kStep ? n - i : kStep;
    const Floats v = f(count == kStep ? load(in + i) : load_part(in + i, count));
    write(i, count, v);
    lanes[k] = join(lanes[k], filled(v, count, start));
  }
  for (int64_t half = kRegisters / 2; half > 0; half /= 2) {
    for (int64_t k = 0; k < half; ++k) lanes[k] = join(lanes[k], lanes[k + half]);
  }
  return join_lanes(lanes[0], join);
}

constexpr auto kNoWrite = [](int64_t, int64_t, Floats) TROUPE_INLINE_LAMBDA {};
constexpr auto kSame = [](Floats x) TROUPE_INLINE_LAMBDA { return x; };
constexpr auto kAdd = [](auto a, auto b) TROUPE_INLINE_LAMBDA { return a + b; };

float sum(const float* in, int64_t n) { return fold(in, n, 0.0f, kSame, kNoWrite, kAdd); }

float maximum(const float* in, int64_t n) {
  return fold(in, n, -kInfinity, kSame, kNoWrite, [](auto a, auto b) TROUPE_INLINE_LAMBDA {
    // All bits set are NaN, and a that is NaN stays.
    return (decltype(a))((decltype(a != b))larger(a, b) | (b != b));
  });
}

float exp_sum(const float* in, float shift, int64_t n) {
  return fold(
      in, n, 0.0f, [=](Floats x) TROUPE_INLINE_LAMBDA { return exp(x - shift); }, kNoWrite, kAdd);
}

float exp_shifted(const float* in, float shift, float* out, int64_t n) {
  return fold(
      in, n, 0.0f, [=](Floats x) TROUPE_INLINE_LAMBDA { return exp(x - shift); },
      [=](int64_t at, int64_t count, Floats v) TROUPE_INLINE_LAMBDA {
        if (count == kStep) {
          store(out + at, v);
        } else {
          store_part(out + at, v, count);
        }
      },
      kAdd);
}

}  // namespace

FloatFolds folds() {
  return {
      .sum = sum,
      .maximum = maximum,
      .exp_sum = exp_sum,
      .exp_shifted = exp_shifted,
  };
}

}  // namespace troupe::TROUPE_ISA
