#pragma once

#include <string>

#include "graph/tensor/tensor.h"

namespace troupe {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
  /// Sort both before comparing.
  bool as_sets = false;
};

/// "" when `got` is what is wanted, else the first thing that differs: "dtype int32 instead of float", "shape ...",
/// "[1,2]: 3.5 instead of 3.25 (and 7 more of 12)". Floats and both parts of complex numbers may differ by
/// atol + rtol * |want|; NaN equals NaN; infinities are exact. Everything else is exact, but for uint8 pictures with an
/// atol of a grey level or more.
std::string first_difference(const Tensor& got, const Tensor& want, const Tolerance& tolerance);

/// Only dtype and shape.
std::string type_difference(const Tensor& got, DataType dtype, const Shape& shape);

}  // namespace troupe
