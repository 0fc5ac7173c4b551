#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace troupe {

/// Lines that are transformed side by side: element k of line l is at [k * lines + l], real and imaginary parts apart.
struct FftLines {
  int64_t lines = 0;
  std::vector<double> re, im;

  /// Room for lines of n elements; what is there is anything.
  void resize(int64_t n, int64_t num_lines);

 private:
  friend class FftPlan;
  /// What a stage writes, and Bluestein's convolution.
  std::vector<double> re_aside_, im_aside_, re_long_, im_long_;
};

/// Transforms of one length: for powers of two by radix 4 in Stockham's order, which leaves no permutation, else Bluestein's way through one. Read-only once
/// made.
class FftPlan {
 public:
  /// Shared by those who want the same length soon after one another. Thread-safe.
  static std::shared_ptr<const FftPlan> of(int64_t n);
  explicit FftPlan(int64_t n);

  /// Transforms lines of n elements in place; the inverse is not scaled.
  void run(bool inverse, FftLines* x) const;

 private:
  /// w, w^2 and w^3 of a butterfly.
  struct Twiddles {
    double re[3], im[3];
  };
  void run_power(int64_t lines, FftLines* scratch, std::vector<double>* re, std::vector<double>* im) const;
  void run_bluestein(FftLines* x) const;

  const int64_t n_;
  /// The power of two: n itself, or enough for the convolution.
  int64_t power_ = 1;
  /// One after the other of all stages.
  std::vector<Twiddles> twiddles_;
  std::vector<double> chirp_re_, chirp_im_, filter_re_, filter_im_;
};

/// Transforms of lines of an even number of reals, two of which make a complex element of half as many: element k of `x` is elements 2k and 2k + 1 of a line.
class RealFftPlan {
 public:
  /// As FftPlan's.
  static std::shared_ptr<const RealFftPlan> of(int64_t n);
  explicit RealFftPlan(int64_t n);

  /// n / 2 pairs become the first n / 2 + 1 elements of the spectrum, which `x` has room for.
  void forward(FftLines* x) const;
  /// The other way, not scaled; what is imaginary of the first and the last element is not read.
  void inverse(FftLines* x) const;

 private:
  const int64_t half_;
  const std::shared_ptr<const FftPlan> plan_;
  /// exp(-2 pi i k / n) for k up to n / 4.
  std::vector<double> turn_re_, turn_im_;
};

}  // namespace troupe
