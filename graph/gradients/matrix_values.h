#pragma once

#include "graph/gradients/gradient_scope.h"

namespace troupe {

/// Matrices in the last two dimensions, as rules of linear algebra compute with them.

/// a * b, each as its adjoint if told; batches broadcast.
Val mat_mul(Val a, Val b, bool adjoint_a = false, bool adjoint_b = false);
/// The last two dimensions exchanged; `adjoint` conjugates, too.
Val transposed(Val x);
Val adjoint(Val x);
/// Identity matrices in the shape of `x`.
Val identity_like(Val x);
/// Keeps that many diagonals below and above, all when negative.
Val band(Val x, int lower, int upper);
/// [..., begin:end, :] and [..., begin:end].
Val rows_of(Val x, int begin, int end);
Val columns_of(Val x, int begin, int end);
/// Each row takes the place of that before it, or behind; zeros come in.
Val shift_rows_up(Val x);
Val shift_rows_down(Val x);
/// A number for each matrix, as matrices of one element.
Val as_matrices(Val x);
/// Element i of a shape, from the end when negative, as a scalar.
Val dim_of(Val shape, int i);
/// The dtype of a complex dtype's parts.
DataType real_type(DataType complex);

}  // namespace troupe
