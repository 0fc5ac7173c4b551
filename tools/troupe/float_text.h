#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "graph/tensor/dtype.h"

namespace troupe {

/// The fewest significant digits, as d.ddde+xx, that read back as the same value of its type.
using Shortest = std::function<std::string(double)>;

Shortest shortest_of(DataType t);

/// Formats the floats of one array alike: the decision between positions and exponents, and the widths, are made from all
/// values that will be shown.
class FloatColumn {
 public:
  FloatColumn(const std::vector<double>& shown, Shortest shortest, int precision, bool always_sign);
  std::string operator()(double v) const;

 private:
 private:
  std::string signed_text(double v, const std::string& text) const;
  static std::string pad_left(std::string text, size_t width);
  void measure(const std::vector<double>& shown);

  const Shortest shortest_;
  const int precision_;
  const bool always_sign_;
  bool exponents_ = false;
  size_t left_ = 0;
  size_t right_ = 0;
  size_t fraction_ = 0;
  size_t exponent_ = 0;
};

/// As NumPy writes one number that stands alone.
std::string scalar_float(double v, const Shortest& shortest);
std::string scalar_complex(std::complex<double> v, const Shortest& shortest);

}  // namespace troupe
