#pragma once

#include <vector>

#include "graph/tensor/tensor.h"

namespace troupe {

/// The elements of a real tensor as floats: its own memory when it is a float tensor, else `store`.
const float* as_floats(const Tensor& t, std::vector<float>* store);

/// Writes floats as elements of `t`'s dtype (float, double, half or bfloat16).
void store_floats(const std::vector<float>& from, Tensor* t);
void store_floats(const std::vector<double>& from, Tensor* t);

}  // namespace troupe
