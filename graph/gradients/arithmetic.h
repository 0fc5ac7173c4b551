#pragma once

#include <vector>

#include "graph/gradients/gradient_scope.h"

namespace troupe {

/// Element-wise, with broadcasting. A number is a scalar of the other's dtype.
Val operator+(Val a, Val b);
Val operator-(Val a, Val b);
Val operator*(Val a, Val b);
Val operator/(Val a, Val b);
Val operator-(Val a);
Val operator+(Val a, double b);
Val operator-(Val a, double b);
Val operator*(Val a, double b);
Val operator/(Val a, double b);
Val operator+(double a, Val b);
Val operator-(double a, Val b);
Val operator*(double a, Val b);
Val operator/(double a, Val b);

/// An op of one input: unary("Exp", x).
Val unary(absl::string_view op, Val x);
Val binary(absl::string_view op, Val a, Val b);
/// The complex conjugate; x itself when it is real.
Val conj(Val x);
Val zeros_like(Val x);
Val shape_of(Val x);
Val reshape(Val x, Val shape);
Val reshape(Val x, const std::vector<int>& shape);
/// `x` in the shape that `like` has.
Val reshape_like(Val x, Val like);
Val reduce_sum(Val x, Val axes, bool keep_dims = false);
/// cond ? a : b element by element; all of one shape.
Val select(Val cond, Val a, Val b);
/// Sums `grad` over the dimensions along which `x` was broadcast, so that it has the shape of `x`. `other` is what it
/// was broadcast with.
Val sum_to_shape(Val grad, Val x, Val other);
/// The same for matrices in batches: only what is before the last two dimensions was broadcast.
Val sum_batch_to_shape(Val grad, Val x, Val other);

}  // namespace troupe
