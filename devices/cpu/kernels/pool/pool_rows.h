#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "devices/common/pool/pooling.h"
#include "devices/device.h"

namespace troupe {

/// A pooling of images of two dimensions, a row of output pixels at a time: first down the columns, whole rows of the image at once, then along the row.
/// Op has, for elements T:
///   using Sum = ...;                        what is accumulated, and
///   static Sum start();                     its first value,
///   static V join(V, V);                    two of them, or of registers of them,
///   static V finish(V, Sum taps);           the result of so many pixels; of one when a window lies in the padding.
template <class T, class Op>
class PoolRows {
 public:
  using Sum = typename Op::Sum;

  /// False when windows leave much of the image out, or are of three dimensions.
  static bool suits(const PoolProblem& p) {
    return p.w[0].in == 1 && p.w[0].out == 1 && p.w[0].before == 0 && p.w[2].kernel >= p.w[2].stride;
  }

  explicit PoolRows(const PoolProblem& p) : p_(p), row_(p.w[2].in * p.channels) {}

  void run(ParallelRunner& runner, const T* in, T* out) const {
    const int64_t rows = p_.images * p_.w[1].out;
    const int64_t cost = (p_.w[1].kernel * row_ + p_.w[2].out * p_.w[2].kernel * p_.channels) / 8 + 20;
    runner.parallel_for(rows, cost, [&](int64_t begin, int64_t end) {
      std::vector<Sum> sums(static_cast<size_t>(row_));
      for (int64_t i = begin; i < end; ++i) {
        const Taps down = taps(p_.w[1], i % p_.w[1].out);
        fold_columns(in + i / p_.w[1].out * p_.w[1].in * row_, down, sums.data());
        fold_row(sums.data(), down.count(), out + i * p_.w[2].out * p_.channels);
      }
    });
  }

 private:
  /// Channels that are folded side by side, in registers.
  static constexpr int64_t kSide = 16;

  struct Taps {
    int64_t begin, end;
    int64_t count() const { return std::max<int64_t>(end - begin, 0); }
  };
  static Taps taps(const Window& w, int64_t at) {
    const int64_t first = at * w.stride - w.before;
    return {std::max<int64_t>(first, 0), std::min(first + w.kernel, w.in)};
  }

  void fold_columns(const T* image, Taps down, Sum* sums) const {
    int64_t i = 0;
    for (; i + kSide <= row_; i += kSide) fold_some<kSide>(image + i, down, row_, sums + i);
    for (; i < row_; ++i) fold_some<1>(image + i, down, row_, sums + i);
  }

  /// Of neighbours; the taps lie `step` apart.
  template <int64_t kCount, class Element>
  static void fold_some(const Element* from, Taps taps, int64_t step, Sum* to) {
    if constexpr (kCount > 1 && std::is_arithmetic_v<Sum> && std::is_same_v<Element, Sum>)
      return fold_registers(from + taps.begin * step, taps.count(), step, to, [](auto sum) { return sum; });
    Sum of[kCount];
    for (Sum& s : of) s = Op::start();
    for (int64_t t = taps.begin; t < taps.end; ++t) {
      for (int64_t k = 0; k < kCount; ++k) of[k] = Op::join(of[k], static_cast<Sum>(from[t * step + k]));
    }
    for (int64_t k = 0; k < kCount; ++k) to[k] = of[k];
  }

  /// The same of kSide elements: the compiler takes arrays apart into single elements.
  template <class Finish>
  static void fold_registers(const Sum* from, int64_t taps, int64_t step, Sum* to, Finish finish) {
    typedef Sum Register __attribute__((vector_size(16)));
    constexpr int64_t kWidth = 16 / sizeof(Sum), kRegisters = kSide / kWidth;
    Register of[kRegisters];
    for (Register& r : of) r = Op::start() - Register{};
    for (; taps > 0; --taps, from += step) {
      for (int64_t k = 0; k < kRegisters; ++k) {
        Register next;
        std::memcpy(&next, from + k * kWidth, sizeof(next));
        of[k] = Op::join(of[k], next);
      }
    }
    for (Register& r : of) r = finish(r);
    std::memcpy(to, of, sizeof(of));
  }

  void fold_row(const Sum* sums, int64_t rows, T* out) const {
    for (int64_t x = 0; x < p_.w[2].out; ++x, out += p_.channels) {
      Taps along = taps(p_.w[2], x);
      if (rows == 0) along.end = along.begin;
      int64_t c = 0;
      for (; c + kSide <= p_.channels; c += kSide) fold_pixel<kSide>(sums + c, along, rows, out + c);
      for (; c < p_.channels; ++c) fold_pixel<1>(sums + c, along, rows, out + c);
    }
  }

  template <int64_t kChannels>
  void fold_pixel(const Sum* sums, Taps along, int64_t rows, T* out) const {
    const auto taps = static_cast<Sum>(std::max<int64_t>(rows * along.count(), 1));
    if constexpr (kChannels > 1 && std::is_arithmetic_v<Sum> && std::is_same_v<T, Sum>) {
      return fold_registers(sums + along.begin * p_.channels, along.count(), p_.channels, out,
                            [taps](auto sum) { return Op::finish(sum, taps); });
    }
    Sum of[kChannels];
    fold_some<kChannels>(sums, along, p_.channels, of);
    for (int64_t k = 0; k < kChannels; ++k) out[k] = static_cast<T>(Op::finish(of[k], taps));
  }

  const PoolProblem& p_;
  /// Elements of a row of the image.
  const int64_t row_;
};

}  // namespace troupe
