#pragma once

#include <vector>

#include "graph/gradients/gradient_scope.h"

namespace troupe {

/// The gradient of a sparse matrix in compressed rows is one with elements where the matrix has its own, in that order.

/// The dtype of the elements when `node` makes such a matrix; else kInvalid.
DataType csr_type(const Node& node);
/// The sum of several gradients of `matrix`, whose elements are of `type`. AddN adds no sparse matrices.
Val sum_csr(GradientScope& scope, Val matrix, DataType type, const std::vector<Val>& gradients);

}  // namespace troupe
