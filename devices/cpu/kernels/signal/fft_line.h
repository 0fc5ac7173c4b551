#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "devices/cpu/kernels/signal/fft_plan.h"

namespace troupe {

enum class FftKind { kComplex, kRealForward, kRealInverse };

/// Transforms of lines of n elements, complex ones or of which one side is real.
class FftLinePlan {
 public:
  FftLinePlan(FftKind kind, bool inverse, int64_t n) : kind_(kind), inverse_(inverse), n_(n) {
    if (kind != FftKind::kComplex && n >= 2 && n % 2 == 0) {
      real_ = RealFftPlan::of(n);
    } else {
      complex_ = FftPlan::of(n);
    }
  }

  /// The transforms of `count` lines: number l is at from(l), of elements that are read as they are, and goes to to(l), times `scale`.
  template <class From, class To>
  void run(int64_t count, From from, To to, double scale, FftLines* x) const {
    x->resize(real_ != nullptr ? n_ / 2 + 1 : n_, count);
    for (int64_t l = 0; l < count; ++l) load(from(l), l, x);
    if (real_ != nullptr && kind_ == FftKind::kRealForward) x->resize(n_ / 2, count);
    transform(x);
    for (int64_t l = 0; l < count; ++l) store(to(l), l, scale, *x);
  }

 private:
  /// Elements of a half spectrum.
  int64_t half() const { return n_ / 2 + 1; }

  template <class T>
  void load(const T* from, int64_t l, FftLines* x) const {
    const int64_t lines = x->lines;
    double *re = x->re.data() + l, *im = x->im.data() + l;
    if constexpr (std::is_floating_point_v<T>) {
      if (real_ != nullptr) {
        for (int64_t k = 0; k < n_ / 2; ++k) {
          re[k * lines] = static_cast<double>(from[2 * k]);
          im[k * lines] = static_cast<double>(from[2 * k + 1]);
        }
        return;
      }
      for (int64_t k = 0; k < n_; ++k) {
        re[k * lines] = static_cast<double>(from[k]);
        im[k * lines] = 0;
      }
    } else {
      const int64_t there = kind_ == FftKind::kRealInverse ? half() : n_;
      for (int64_t k = 0; k < there; ++k) {
        re[k * lines] = static_cast<double>(from[k].real());
        im[k * lines] = static_cast<double>(from[k].imag());
      }
      if (kind_ != FftKind::kRealInverse || real_ != nullptr) return;
      // The spectrum of reals: its other half is known.
      for (int64_t k = there; k < n_; ++k) {
        re[k * lines] = re[(n_ - k) * lines];
        im[k * lines] = -im[(n_ - k) * lines];
      }
    }
  }

  void transform(FftLines* x) const {
    if (real_ == nullptr) return complex_->run(inverse_, x);
    if (kind_ == FftKind::kRealForward) return real_->forward(x);
    real_->inverse(x);
  }

  template <class T>
  void store(T* to, int64_t l, double scale, const FftLines& x) const {
    const int64_t lines = x.lines;
    const double *re = x.re.data() + l, *im = x.im.data() + l;
    if constexpr (std::is_floating_point_v<T>) {
      if (real_ != nullptr) {
        for (int64_t k = 0; k < n_ / 2; ++k) {
          to[2 * k] = static_cast<T>(re[k * lines] * scale);
          to[2 * k + 1] = static_cast<T>(im[k * lines] * scale);
        }
        return;
      }
      for (int64_t k = 0; k < n_; ++k) to[k] = static_cast<T>(re[k * lines] * scale);
    } else {
      using Part = typename T::value_type;
      for (int64_t k = 0; k < (kind_ == FftKind::kRealForward ? half() : n_); ++k)
        to[k] = {static_cast<Part>(re[k * lines] * scale), static_cast<Part>(im[k * lines] * scale)};
    }
  }

  const FftKind kind_;
  const bool inverse_;
  const int64_t n_;
  /// The latter where two reals make a complex element.
  std::shared_ptr<const FftPlan> complex_;
  std::shared_ptr<const RealFftPlan> real_;
};

}  // namespace troupe
