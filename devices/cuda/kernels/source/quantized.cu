// Quantisation simulated on floats.
#include <cfloat>

#include "devices/cuda/kernels/quantized_args.h"
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

/// A range moved so that zero is one of its steps.
struct NudgedRange {
  bool empty;
  float low, high, scale, inverse_scale, quant_zero;
};
TROUPE_DEVICE NudgedRange nudged(const FakeQuantArgs& a, int64_t channel) {
  const float low = a.lows != nullptr ? a.lows[channel] : a.low,
              high = a.lows != nullptr ? a.highs[channel] : a.high;
  NudgedRange r;
  r.empty = low == 0 && high == 0;
  r.scale = (high - low) / (a.quant_max - a.quant_min);
  const float zero = a.quant_min - low / r.scale;
  const float step = zero < a.quant_min ? a.quant_min : zero > a.quant_max ? a.quant_max : std::round(zero);
  r.low = (a.quant_min - step) * r.scale;
  r.high = (a.quant_max - step) * r.scale;
  // Of the wanted range: not one over the rounded scale, as TensorFlow.
  r.inverse_scale = (a.quant_max - a.quant_min) / (high - low);
  r.quant_zero = std::floor(-r.low * r.inverse_scale + 0.5F);
  return r;
}

TROUPE_DEVICE_ONLY void fake_quant(const FakeQuantArgs& a, const float* x, float* out, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    const NudgedRange r = nudged(a, a.lows != nullptr ? i % a.channels : 0);
    const float v = x[i];
    const float shifted = (v < r.low ? r.low : v > r.high ? r.high : v) - r.low;
    out[i] = r.empty ? 0.0F : std::floor(shifted * r.inverse_scale - r.quant_zero + 0.5F) * r.scale;
  }
}

TROUPE_DEVICE_ONLY void fake_quant_grad(const FakeQuantArgs& a, const float* grad, const float* x, float* out,
                                        int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    const NudgedRange r = nudged(a, a.lows != nullptr ? i % a.channels : 0);
    out[i] = r.empty || (x[i] >= r.low && x[i] <= r.high) ? grad[i] : 0.0F;
  }
}

/// Per channel and part of the rows, the sums of gradients of what lies below the range, and above: two numbers each in `sums`.
TROUPE_DEVICE_ONLY void fake_quant_range_sums(const FakeQuantArgs& a, const float* grad, const float* x,
                                              double* sums, int64_t rows, int64_t parts) {
  TROUPE_FOR_BLOCKS(b, a.channels * parts) {
    const int64_t channel = b / parts, part = b % parts, first = rows * part / parts,
                  last = rows * (part + 1) / parts;
    const NudgedRange r = nudged(a, channel);
    double below = 0, above = 0;
    TROUPE_FOR_THREADS(k, last - first) {
      const int64_t i = (first + k) * a.channels + channel;
      if (!r.empty && x[i] < r.low) below += static_cast<double>(grad[i]);
      if (!r.empty && x[i] > r.high) above += static_cast<double>(grad[i]);
    }
    below = block_sum(below);
    above = block_sum(above);
    if (thread_index() == 0) {
      sums[2 * b] = below;
      sums[2 * b + 1] = above;
    }
  }
}

TROUPE_DEVICE_ONLY void add_range_sums(const double* sums, float* below, float* above, int64_t parts,
                                       int64_t channels) {
  TROUPE_FOR_EACH(c, channels) {
    double b = 0, a = 0;
    for (int64_t p = 0; p < parts; ++p) {
      b += sums[2 * (c * parts + p)];
      a += sums[2 * (c * parts + p) + 1];
    }
    below[c] = static_cast<float>(b);
    above[c] = static_cast<float>(a);
  }
}

TROUPE_DEVICE float rounded_to_even(float v) { return rintf(v); }
TROUPE_DEVICE double rounded_to_even(double v) { return rint(v); }
TROUPE_DEVICE float greatest(float) { return FLT_MAX; }
TROUPE_DEVICE double greatest(double) { return DBL_MAX; }

/// The least and the greatest of each channel, and of each part of its blocks: two numbers each in `ends`.
template <class T>
TROUPE_DEVICE_ONLY void measure_ranges(const T* x, T* ends, int64_t channels, int64_t inner, int64_t blocks,
                                       int64_t parts) {
  TROUPE_FOR_BLOCKS(b, channels * parts) {
    const int64_t channel = b / parts, part = b % parts, count = blocks * inner;
    const int64_t first = count * part / parts, last = count * (part + 1) / parts;
    auto at = [&](int64_t k) { return x[(k / inner * channels + channel) * inner + k % inner]; };
    T low = at(first), high = low;
    TROUPE_FOR_THREADS(k, last - first) {
      const T v = at(first + k);
      low = v < low ? v : low;
      high = v > high ? v : high;
    }
    low = block_min(low);
    high = block_max(high);
    if (thread_index() == 0) {
      ends[2 * b] = low;
      ends[2 * b + 1] = high;
    }
  }
}

template <class T>
TROUPE_DEVICE_ONLY void join_ranges(const T* ends, T* lows, T* highs, int64_t parts, int64_t channels) {
  TROUPE_FOR_EACH(c, channels) {
    T low = ends[2 * c * parts], high = ends[2 * c * parts + 1];
    for (int64_t p = 1; p < parts; ++p) {
      const T l = ends[2 * (c * parts + p)], h = ends[2 * (c * parts + p) + 1];
      low = l < low ? l : low;
      high = h > high ? h : high;
    }
    lows[c] = low;
    highs[c] = high;
  }
}

template <class T>
TROUPE_DEVICE_ONLY void round_trip(const RoundTripArgs& a, const T* x, const T* lows, const T* highs, T* out,
                                   int64_t n) {
  const T min_q = static_cast<T>(a.quant_min), max_q = static_cast<T>(a.quant_max);
  TROUPE_FOR_EACH(i, n) {
    const int64_t c = i / a.inner % a.channels;
    T low = lows[c], high = highs[c], scale, inverse;
    const T from_low = min_q * low > 0 ? min_q / low : greatest(T()),
            from_high = max_q * high > 0 ? max_q / high : greatest(T());
    if (from_low < from_high) {
      scale = from_low;
      inverse = low / min_q;
      high = max_q * inverse;
    } else {
      scale = from_high;
      inverse = high / max_q;
      low = min_q * inverse;
    }
    T v = x[i];
    if (a.clamps) {
      v = low < v ? v : low;
      v = v < high ? v : high;
    }
    v *= scale;
    out[i] = (a.half_up ? std::floor(v + T(0.5)) : rounded_to_even(v)) * inverse;
  }
}

template <class T>
TROUPE_DEVICE_ONLY void round_trip_grad(const T* grad, const T* x, const T* lows, const T* highs, T* out,
                                        int64_t inner, int64_t channels, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    const int64_t c = i / inner % channels;
    out[i] = x[i] >= lows[c] && x[i] <= highs[c] ? grad[i] : T(0);
  }
}

}  // namespace
}  // namespace troupe::launchable

using namespace troupe;  // NOLINT: kernels are written at the top

TROUPE_KERNEL(fake_quant_f32, (FakeQuantArgs a, const float* x, float* out, int64_t n)) {
  fake_quant(a, x, out, n);
}
TROUPE_KERNEL(fake_quant_grad_f32,
              (FakeQuantArgs a, const float* grad, const float* x, float* out, int64_t n)) {
  fake_quant_grad(a, grad, x, out, n);
}
TROUPE_KERNEL(fake_quant_range_sums_f32, (FakeQuantArgs a, const float* grad, const float* x, double* sums,
                                          int64_t rows, int64_t parts)) {
  fake_quant_range_sums(a, grad, x, sums, rows, parts);
}
TROUPE_KERNEL(add_range_sums_f32,
              (const double* sums, float* below, float* above, int64_t parts, int64_t channels)) {
  add_range_sums(sums, below, above, parts, channels);
}

#define TROUPE_ROUND_TRIP(suffix, T)                                                                         \
  TROUPE_KERNEL(measure_ranges_##suffix,                                                                     \
                (const T* x, T* ends, int64_t channels, int64_t inner, int64_t blocks, int64_t parts)) {     \
    measure_ranges(x, ends, channels, inner, blocks, parts);                                                 \
  }                                                                                                          \
  TROUPE_KERNEL(join_ranges_##suffix, (const T* ends, T* lows, T* highs, int64_t parts, int64_t channels)) { \
    join_ranges(ends, lows, highs, parts, channels);                                                         \
  }                                                                                                          \
  TROUPE_KERNEL(round_trip_##suffix,                                                                         \
                (RoundTripArgs a, const T* x, const T* lows, const T* highs, T* out, int64_t n)) {           \
    round_trip(a, x, lows, highs, out, n);                                                                   \
  }                                                                                                          \
  TROUPE_KERNEL(round_trip_grad_##suffix, (const T* grad, const T* x, const T* lows, const T* highs, T* out, \
                                           int64_t inner, int64_t channels, int64_t n)) {                    \
    round_trip_grad(grad, x, lows, highs, out, inner, channels, n);                                          \
  }
TROUPE_ROUND_TRIP(f32, float)
TROUPE_ROUND_TRIP(f64, double)
