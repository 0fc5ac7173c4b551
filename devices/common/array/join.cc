#include "devices/common/array/join.h"

#include "devices/common/array_values.h"

namespace troupe {
namespace {

absl::StatusOr<int> split_axis(const Tensor& dim, int rank) {
  int64_t axis = int_at(dim, 0);
  if (axis < -rank || axis >= rank) {
    return invalid("-input rank(-", rank, ") <= split_dim < input rank (", rank, "), but got ", axis);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace

absl::StatusOr<Joint> concat_shape(const KernelContext& context, int first, int n, int axis_input,
                                   const char* axis_name) {
  const Tensor& axis_tensor = context.input(axis_input);
  if (axis_tensor.num_elements() != 1 || axis_tensor.rank() > 1) {
    return invalid(axis_name, " tensor should be a scalar integer, but got shape ",
                   axis_tensor.shape().to_string());
  }
  const Tensor& head = context.input(first);
  int rank = head.rank();
  int64_t axis = int_at(axis_tensor, 0);
  if (rank == 0) {
    for (int i = 0; i < n; ++i) {
      if (context.input(first + i).rank() == 0) {
        return invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
      }
    }
  }
  if (axis < -rank || axis >= rank) {
    return invalid("ConcatOp : Expected concatenating dimensions in the range [", -rank, ", ", rank,
                   "), but got ", axis);
  }
  int concat_axis = static_cast<int>(axis < 0 ? axis + rank : axis);
  int64_t total = 0;
  for (int i = 0; i < n; ++i) {
    const Tensor& in = context.input(first + i);
    if (in.rank() != rank) {
      return invalid("ConcatOp : Ranks of all input tensors should match: shape[0] = ",
                     head.shape().to_string(), " vs. shape[", i, "] = ", in.shape().to_string());
    }
    for (int d = 0; d < rank; ++d) {
      if (d != concat_axis && in.dim(d) != head.dim(d)) {
        return invalid("ConcatOp : Dimension ", d,
                       " in both shapes must be equal: shape[0] = ", head.shape().to_string(), " vs. shape[",
                       i, "] = ", in.shape().to_string());
      }
    }
    if (__builtin_add_overflow(total, in.dim(concat_axis), &total)) {
      return invalid("ConcatOp : the output would have more than 2**63 - 1 rows");
    }
  }
  Indices dims(head.shape().dims().begin(), head.shape().dims().end());
  dims[concat_axis] = total;
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  return Joint{concat_axis, std::move(shape)};
}

absl::StatusOr<Joint> pack_shape(const KernelContext& context, int64_t given_axis) {
  const Tensor& head = context.input(0);
  int n = context.num_inputs();
  int rank = head.rank() + 1;
  int64_t axis = given_axis < 0 ? given_axis + rank : given_axis;
  if (axis < 0 || axis >= rank) return invalid("axis = ", given_axis, " not in [", -rank, ", ", rank, ")");
  if (rank > Shape::kMaxRank) return invalid("Too many dimensions: ", rank);
  for (int i = 1; i < n; ++i) {
    if (!(context.input(i).shape() == head.shape())) {
      return invalid("Shapes of all inputs must match: values[0].shape = ", head.shape().to_string(),
                     " != values[", i, "].shape = ", context.input(i).shape().to_string());
    }
  }
  Shape shape = head.shape();
  shape.insert_dim(static_cast<int>(axis), n);
  return Joint{static_cast<int>(axis), std::move(shape)};
}

absl::StatusOr<Joint> unpack_shape(const KernelContext& context, int64_t given_axis) {
  const Tensor& input = context.input(0);
  int n = context.num_outputs();
  int rank = input.rank();
  int64_t axis = given_axis < 0 ? given_axis + rank : given_axis;
  if (axis < 0 || axis >= rank) return invalid("axis = ", given_axis, " not in [", -rank, ", ", rank, ")");
  if (input.dim(static_cast<int>(axis)) != n) {
    return invalid("Input shape axis ", axis, " must equal ", n, ", got shape ", input.shape().to_string());
  }
  Shape shape = input.shape();
  shape.remove_dim(static_cast<int>(axis));
  return Joint{static_cast<int>(axis), std::move(shape)};
}

absl::StatusOr<Cut> split_cut(const KernelContext& context) {
  const Tensor& dim = context.input(0);
  const Tensor& input = context.input(1);
  if (!is_scalar(dim)) return invalid("split_dim must be a scalar but has rank ", dim.rank());
  TROUPE_ASSIGN_OR_RETURN(int axis, split_axis(dim, input.rank()));
  int n = context.num_outputs();
  if (n <= 0) return invalid("Number of ways to split should be > 0, but got ", n);
  if (input.dim(axis) % n != 0) {
    return invalid("Number of ways to split should evenly divide the split dimension, but got split_dim ",
                   axis, " (size = ", input.dim(axis), ") and num_split ", n);
  }
  return Cut{axis, Indices(n, input.dim(axis) / n)};
}

absl::StatusOr<Cut> split_v_cut(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& sizes_tensor = context.input(1);
  const Tensor& dim = context.input(2);
  int n = context.num_outputs();
  if (dim.num_elements() != 1) return invalid("split_dim_tensor must have exactly one element.");
  if (!is_vector(sizes_tensor) || sizes_tensor.num_elements() != n) {
    return invalid("size of the split_tensor must be 1-D and have the same elements as outputs got ",
                   sizes_tensor.rank(), " -D and ", sizes_tensor.num_elements(), " elements");
  }
  TROUPE_ASSIGN_OR_RETURN(int axis, split_axis(dim, input.rank()));
  Indices sizes = ints_of(sizes_tensor);
  int64_t whole = input.dim(axis);
  if (n == 1) {
    if (sizes[0] != -1 && sizes[0] != whole) {
      return invalid("If there is only one output, it must have the same size as the input. Input size: ",
                     whole, " output size: ", sizes[0]);
    }
    return Cut{axis, {whole}};
  }
  int64_t known = 0;
  int unknown = -1;
  for (int i = 0; i < n; ++i) {
    if (sizes[i] == -1) {
      if (unknown != -1) return invalid("There can only be one -1 in the input.");
      unknown = i;
    } else if (sizes[i] < 0) {
      return invalid("Split size at index ", i, " must be >= 0. Got: ", sizes[i]);
    } else if (__builtin_add_overflow(known, sizes[i], &known)) {
      return invalid("Split sizes add up to more than 2**63 - 1");
    }
  }
  if (known > whole || (unknown == -1 && known != whole)) {
    return invalid(
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be "
        "less than the size of the input along split_dim if not fully specified.  Got: ",
        known);
  }
  if (unknown != -1) sizes[unknown] = whole - known;
  return Cut{axis, std::move(sizes)};
}

}  // namespace troupe
