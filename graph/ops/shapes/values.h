#pragma once

#include "graph/ops/shapes/common_shapes.h"

namespace troupe::shapes {

// What integer ops make of elements that are known: the second half of the shape functions of ops that people compute shapes
// with. All are called after the output's shape is set, set nothing when too little is known, and never fail.

/// Outputs i are the dimensions of inputs i.
absl::Status shape_values(ShapeContext& c);
void set_scalar_value(ShapeContext& c, int64_t value);
/// Output 0 has the elements of input 0 in the same order.
absl::Status pass_values(ShapeContext& c);
/// Output 0 has those of inputs [begin, end), one after the other, when all are vectors or all scalars.
absl::Status concat_values(ShapeContext& c, int begin, int end);
/// Output i is element i of a vector.
absl::Status unpack_values(ShapeContext& c);
/// All elements of output 0 are that of the scalar input i.
absl::Status fill_values(ShapeContext& c, int i);
absl::Status broadcast_args_values(ShapeContext& c);
/// Elements `indices` of the vector input 0.
void take_values(ShapeContext& c, const std::vector<int64_t>& indices);
/// Product of all elements of input 0.
absl::Status product_values(ShapeContext& c);
/// start, start + delta, ...: `count` of them.
absl::Status range_values(ShapeContext& c, int64_t start, int64_t delta, int64_t count);
/// Element by element, by the name of the op: Add, AddV2, Sub, Mul, FloorDiv, Div, Maximum, Minimum, Neg, Cast.
absl::Status unary_values(ShapeContext& c);
absl::Status binary_values(ShapeContext& c);

}  // namespace troupe::shapes
