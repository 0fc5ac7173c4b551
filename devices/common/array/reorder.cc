#include "devices/common/array/reorder.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "devices/common/array_values.h"

namespace troupe {
namespace {

/// perm as axes of 0 .. rank-1, negative ones resolved.
absl::StatusOr<Indices> permutation_of(const Tensor& perm, int rank) {
  if (!is_vector(perm)) return invalid("perm must be rank 1, got shape ", perm.shape().to_string());
  if (perm.dim(0) != rank) {
    return invalid("transpose expects a vector of size ", rank, ". But input(1) is a vector of size ",
                   perm.dim(0));
  }
  Indices axes = ints_of(perm);
  bool used[Shape::kMaxRank] = {};
  for (int64_t& a : axes) {
    if (a < 0 && a >= -rank) a += rank;
    if (a < 0 || a >= rank) return invalid(a, " is out of range [0 .. ", rank, ")");
    used[a] = true;
  }
  for (int i = 0; i < rank; ++i) {
    if (!used[i]) return invalid(i, " is missing from {", absl::StrJoin(axes, ","), "}.");
  }
  return axes;
}

}  // namespace

absl::StatusOr<Transposed> transpose_of(const KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Indices perm, permutation_of(context.input(1), input.rank()));
  Shape shape = input.shape();
  bool moves = false;
  int64_t last = -1;  // Axes of size 1 may go anywhere without moving an element.
  for (int i = 0; i < input.rank(); ++i) {
    shape.set_dim(i, input.dim(static_cast<int>(perm[i])));
    if (shape.dim(i) == 1) continue;
    moves |= perm[i] < last;
    last = perm[i];
  }
  return Transposed{std::move(perm), std::move(shape), moves};
}

absl::StatusOr<Tiled> tile_of(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& multiples_tensor = context.input(1);
  if (!is_vector(multiples_tensor)) {
    return invalid("Expected multiples to be 1-D, but got shape ", multiples_tensor.shape().to_string());
  }
  if (multiples_tensor.dim(0) != input.rank()) {
    return invalid("Expected multiples argument to be a vector of length ", input.rank(), " but got length ",
                   multiples_tensor.dim(0));
  }
  Indices multiples = ints_of(multiples_tensor);
  Indices dims(multiples.size());
  int64_t total = 1;
  for (size_t i = 0; i < multiples.size(); ++i) {
    if (multiples[i] < 0) return invalid("Expected multiples[", i, "] >= 0, but got ", multiples[i]);
    int64_t d = input.dim(static_cast<int>(i));
    if (multiply_overflows(d, multiples[i], &dims[i])) {
      return invalid("Encountered overflow when multiplying ", d, " with ", multiples[i], ", result: -1");
    }
    int64_t before = total;
    if (multiply_overflows(total, dims[i], &total)) {
      return invalid("Encountered overflow when multiplying ", before, " with ", dims[i], ", result: -1");
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  return Tiled{std::move(multiples), std::move(shape)};
}

absl::StatusOr<ReversedAxes> reversed_axes(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& dims = context.input(1);
  if (!is_vector(dims) && input.rank() > 0) return invalid("'dims' must be 1-dimension, not ", dims.rank());
  if (input.rank() > 0 && dims.dim(0) != input.rank()) {
    return invalid("'dims' must have the same number of values as 'input' has dimensions. 'input' has ",
                   input.rank(), "'dims' has ", dims.dim(0), " values");
  }
  const bool* reversed = dims.flat<bool>().data();
  return ReversedAxes(reversed, reversed + input.rank());
}

absl::StatusOr<ReversedAxes> reversed_axes_v2(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& axes = context.input(1);
  ReversedAxes reversed(input.rank(), false);
  // What has no elements is its own reverse, whatever the axes say.
  if (input.rank() > 0 && input.num_elements() > 0) {
    if (!is_vector(axes)) return invalid("'dims' must be 1-dimension, not ", axes.rank());
    for (int64_t i = 0; i < axes.dim(0); ++i) {
      int64_t axis = int_at(axes, i);
      int64_t canonical = axis < 0 ? axis + input.rank() : axis;
      if (canonical < 0 || canonical >= input.rank()) {
        return invalid("'axis'[", i, "] = ", axis, " is out of valid range [", 0, ", ", input.rank() - 1);
      }
      if (reversed[canonical]) return invalid("axis ", canonical, " specified more than once.");
      reversed[canonical] = true;
    }
  }
  return reversed;
}

absl::Status check_reverse_sequence(const Tensor& input, const Tensor& lengths, int64_t seq, int64_t batch) {
  if (!is_vector(lengths)) return invalid("seq_lengths must be 1-dim, not ", lengths.rank());
  if (batch == seq) return invalid("batch_dim == seq_dim == ", seq);
  if (seq < 0) return invalid("Invalid seq_dim ", seq);
  if (batch < 0) return invalid("Invalid batch_dim ", batch);
  if (seq >= input.rank()) return invalid("seq_dim must be < input rank ( ", seq, " vs. ", input.rank(), ")");
  if (batch >= input.rank())
    return invalid("batch_dim must be < input rank ( ", batch, " vs. ", input.rank(), ")");
  int64_t n = lengths.dim(0);
  if (n != input.dim(static_cast<int>(batch))) {
    return invalid("Length of seq_lengths != input.dims(", batch, "), (", n, " vs. ",
                   input.dim(static_cast<int>(batch)), ")");
  }
  return absl::OkStatus();
}

absl::StatusOr<Indices> rolled_axes(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& shift = context.input(1);
  const Tensor& axis = context.input(2);
  if (input.rank() < 1) return invalid("input must be 1-D or higher");
  if (shift.rank() > 1)
    return invalid("shift must be a scalar or a 1-D vector. Found: ", shift.shape().to_string());
  if (axis.rank() > 1)
    return invalid("axis must be a scalar or a 1-D vector. Found: ", axis.shape().to_string());
  if (!(shift.shape() == axis.shape())) return invalid("shift and axis must have the same size");
  Indices moved(input.rank(), 0);
  for (int64_t i = 0; i < shift.num_elements(); ++i) {
    int64_t a = int_at(axis, i);
    if (a < 0) a += input.rank();
    if (a < 0 || a >= input.rank()) return invalid("axis ", a, " is out of range");
    int64_t size = std::max<int64_t>(input.dim(static_cast<int>(a)), 1);
    moved[a] = (moved[a] + int_at(shift, i) % size + size) % size;
  }
  return moved;
}

}  // namespace troupe
