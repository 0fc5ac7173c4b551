#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

namespace troupe {

/// Transforms of one length: radix 2 for powers of two, else Bluestein's way through one. Read-only once
/// made.
class FftPlan {
 public:
  using Complex = std::complex<double>;

  explicit FftPlan(int64_t n) : n_(n), power_(1) {
    constexpr double kPi = 3.14159265358979323846;
    if (n <= 1) return;
    bool is_power = (n & (n - 1)) == 0;
    while (power_ < (is_power ? n : 2 * n - 1)) power_ *= 2;
    twiddles_.resize(static_cast<size_t>(power_ / 2));
    for (int64_t k = 0; k < power_ / 2; ++k) {
      twiddles_[k] = std::polar(1.0, -2 * kPi * static_cast<double>(k) / static_cast<double>(power_));
    }
    if (is_power) return;
    chirp_.resize(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) {
      // k^2 modulo 2n keeps the angle exact; n is a dimension, so that k^2 is taken in 128 bits.
      auto square = static_cast<int64_t>(static_cast<unsigned __int128>(k) * static_cast<uint64_t>(k) %
                                         static_cast<uint64_t>(2 * n));
      chirp_[k] = std::polar(1.0, -kPi * static_cast<double>(square) / static_cast<double>(n));
    }
    filter_.assign(static_cast<size_t>(power_), Complex(0));
    filter_[0] = std::conj(chirp_[0]);
    for (int64_t k = 1; k < n; ++k) filter_[k] = filter_[power_ - k] = std::conj(chirp_[k]);
    radix2(filter_.data());
  }

  /// The transform of line[0 .. n), in place; the inverse is not scaled.
  void run(Complex* line, bool inverse, std::vector<Complex>* scratch) const {
    if (n_ <= 1) return;
    if (inverse) conjugate(line);
    if (chirp_.empty()) {
      radix2(line);
    } else {
      bluestein(line, scratch);
    }
    if (inverse) conjugate(line);
  }

 private:
  void conjugate(Complex* line) const {
    for (int64_t i = 0; i < n_; ++i) line[i] = std::conj(line[i]);
  }
  void radix2(Complex* x) const {
    for (int64_t i = 1, j = 0; i < power_; ++i) {
      int64_t bit = power_ >> 1;
      for (; (j & bit) != 0; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(x[i], x[j]);
    }
    for (int64_t length = 2; length <= power_; length *= 2) {
      int64_t half = length / 2, step = power_ / length;
      for (int64_t start = 0; start < power_; start += length) {
        for (int64_t k = 0; k < half; ++k) {
          Complex w = twiddles_[k * step], b = x[start + k + half];
          // Spelled out: operator* looks for NaN.
          Complex t(w.real() * b.real() - w.imag() * b.imag(), w.real() * b.imag() + w.imag() * b.real());
          Complex a = x[start + k];
          x[start + k] = a + t;
          x[start + k + half] = a - t;
        }
      }
    }
  }
  void bluestein(Complex* x, std::vector<Complex>* scratch) const {
    scratch->assign(static_cast<size_t>(power_), Complex(0));
    Complex* y = scratch->data();
    for (int64_t k = 0; k < n_; ++k) y[k] = x[k] * chirp_[k];
    radix2(y);
    for (int64_t k = 0; k < power_; ++k) y[k] = std::conj(y[k] * filter_[k]);
    radix2(y);
    double scale = 1.0 / static_cast<double>(power_);
    for (int64_t k = 0; k < n_; ++k) x[k] = std::conj(y[k]) * scale * chirp_[k];
  }

  int64_t n_;
  int64_t power_;
  std::vector<Complex> twiddles_, chirp_, filter_;
};

}  // namespace troupe
