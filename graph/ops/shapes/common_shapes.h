#pragma once

#include "graph/ops/shape_context.h"

namespace troupe::shapes {

using Dims = std::vector<int64_t>;

inline constexpr int64_t kUnknownDim = PartialShape::kUnknownDim;

// Arithmetic on what is known. Errors are InvalidArgument with TensorFlow's texts.

/// `rank` unknown dimensions.
PartialShape unknown_of_rank(int64_t rank);
/// The shape itself, or `rank` unknown dimensions. "Shape must be rank 2 but is rank 1".
absl::StatusOr<PartialShape> with_rank(const PartialShape& shape, int64_t rank);
/// "Shape must be at least rank 2 but is rank 1", "Shape must be at most rank 2 but is rank 3".
absl::Status check_rank_at_least(const PartialShape& shape, int64_t rank);
absl::Status check_rank_at_most(const PartialShape& shape, int64_t rank);
/// "Dimensions must be equal, but are 3 and 4".
absl::StatusOr<int64_t> merge_dims(int64_t a, int64_t b);
/// "Dimension must be 2 but is 3".
absl::StatusOr<int64_t> with_value(int64_t dim, int64_t value);
/// "Dimension 0 in both shapes must be equal, but are 3 and 4. Shapes are [3] and [4].", "Shapes must be equal rank, but
/// are 1 and 2".
absl::StatusOr<PartialShape> merge(const PartialShape& a, const PartialShape& b);
/// `shape` with its first dimensions merged with `prefix`.
absl::StatusOr<PartialShape> merge_prefix(const PartialShape& shape, const PartialShape& prefix);
/// The dimensions [begin, end), counted from the end when negative; unknown rank when the rank is unknown and
/// the result would depend on it. Numbers beyond the rank are cut.
PartialShape subshape(const PartialShape& shape, int begin, int end = std::numeric_limits<int>::max());
/// a followed by b; unknown rank when one of them is.
PartialShape concatenate(const PartialShape& a, const PartialShape& b);
PartialShape append(const PartialShape& shape, int64_t dim);
/// Dimension i becomes `dim`; i counts from the end when negative. `shape` itself when it has no such dimension.
PartialShape replace_dim(const PartialShape& shape, int i, int64_t dim);
/// Dimension i, from the end when negative; unknown when there is none.
int64_t dim_of(const PartialShape& shape, int i);
/// The product of dimensions, unknown when one is (unless another is 0) or it overflows.
int64_t num_elements(const PartialShape& shape);

absl::StatusOr<int64_t> add_dims(int64_t a, int64_t b);
/// "Negative dimension size caused by subtracting 9 from 8".
absl::StatusOr<int64_t> subtract_dims(int64_t a, int64_t b);
absl::StatusOr<int64_t> multiply_dims(int64_t a, int64_t b);
/// "Dimension size must be evenly divisible by 2 but is 3" when `even`.
absl::StatusOr<int64_t> divide_dim(int64_t a, int64_t b, bool even);

/// numpy's rules. "Dimensions must be equal, but are 2 and 3".
absl::StatusOr<PartialShape> broadcast(const PartialShape& a, const PartialShape& b);
/// An axis of a known rank, negative ones counted from the end; nothing when it is outside.
std::optional<int> canonical_axis(int64_t axis, int rank);
/// The shape for a message: "?" when the rank is unknown.
std::string text(const PartialShape& shape);
/// The value of a scalar input as a dimension: unknown when it is not known. "Dimension size, given by scalar input 1, must
/// be non-negative but is -3", "Input must be scalar but has rank 1".
absl::StatusOr<int64_t> dim_from_input(const ShapeContext& c, int i);

// Shape functions that many ops share.

/// Nothing is known of the outputs.
absl::Status unknown(ShapeContext& c);
absl::Status no_outputs(ShapeContext& c);
/// All outputs are scalars.
absl::Status scalar(ShapeContext& c);
/// Output 0 has the shape of input 0, whatever that is.
absl::Status unchanged(ShapeContext& c);
/// Output 0 is input 0: shape, value and handle.
absl::Status identity(ShapeContext& c);
/// Output i is input i.
absl::Status identity_n(ShapeContext& c);
/// As `unchanged`, for inputs of at least `kRank` dimensions.
template <int kRank>
absl::Status unchanged_rank_at_least(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), kRank));
  return unchanged(c);
}
template <int kRank>
absl::Status unchanged_rank(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, with_rank(c.input(0), kRank));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}
/// Output 0 is what all inputs merge to; errors say "From merging shape 0 with other shapes."
absl::Status merged_inputs(ShapeContext& c);
/// Output 0 is inputs 0 and 1 merged.
absl::Status merged_pair(ShapeContext& c);
/// As merged_inputs, without setting it.
absl::StatusOr<PartialShape> merged_from_last(const ShapeContext& c);
/// Output 0 has the shape that input kInput holds.
template <int kInput>
absl::Status shape_from_input(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.input_as_shape(kInput));
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}
/// Output 0 is inputs 0 and 1 broadcast.
absl::Status broadcast_binary(ShapeContext& c);
/// Output 0 is inputs 0, 1 and 2 broadcast.
absl::Status broadcast_ternary(ShapeContext& c);
/// Output 0 is input 0 without the axes that input 1 lists, or with 1 in their place (attr keep_dims). False when the axes, or
/// the rank, are unknown, and so the dimensions.
absl::StatusOr<bool> reduce_axes(ShapeContext& c);
/// The attr "shape".
absl::Status shape_attr(ShapeContext& c);
/// Output i has the i-th shape of the attr "output_shapes" when that is as long as the outputs.
absl::Status output_shapes_attr(ShapeContext& c);

}  // namespace troupe::shapes
