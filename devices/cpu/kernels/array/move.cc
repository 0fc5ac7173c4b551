// Kernels that move whole tensors: Transpose, Concat, Split, Pack, Tile, Reverse, Roll and their like.
#include <algorithm>
#include <complex>

#include "absl/strings/str_join.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using Pieces = absl::InlinedVector<ConcatPiece, 16>;

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

template <class Real>
void conjugate(Tensor* t) {
  for (auto& v : t->flat<std::complex<Real>>()) v = std::conj(v);
}

absl::Status transpose_any(KernelContext& context, bool conjugated) {
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
  conjugated = conjugated && is_complex(input.dtype());
  if (!conjugated && (!moves || input.num_elements() == 0)) {
    context.set_output(0, input.reshaped(std::move(shape)));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  Indices from = strides_of(input.shape());
  Indices to = strides_of(shape);
  Box box;
  for (int i = 0; i < input.rank(); ++i) box.add(shape.dim(i), from[perm[i]], to[i]);
  copy_box(context.parallel(), input.dtype(), box, input.raw(), out->raw());
  if (conjugated && input.dtype() == DataType::kComplex64) conjugate<float>(out);
  if (conjugated && input.dtype() == DataType::kComplex128) conjugate<double>(out);
  return absl::OkStatus();
}

absl::Status transpose(KernelContext& context) { return transpose_any(context, false); }
absl::Status conjugate_transpose(KernelContext& context) { return transpose_any(context, true); }

absl::Status invert_permutation(KernelContext& context) {
  const Tensor& input = context.input(0);
  if (!is_vector(input)) return invalid("invert_permutation expects a 1D vector.");
  int64_t n = input.dim(0);
  if (n > INT32_MAX) return invalid("permutation of nonnegative int32s must have <= int32 max elements");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  for (int64_t i = 0; i < n; ++i) set_int(out, i, -1);
  for (int64_t i = 0; i < n; ++i) {
    int64_t v = int_at(input, i);
    if (v < 0 || v >= n) return invalid(v, " is not between 0 and ", n);
    if (int_at(*out, v) != -1) return invalid(v, " is duplicated in the input.");
    set_int(out, v, i);
  }
  return absl::OkStatus();
}

/// Concatenates inputs [first, first + n) along the axis that input `axis_input` tells.
absl::Status concat_inputs(KernelContext& context, int first, int n, int axis_input, const char* axis_name) {
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
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  int64_t rows = count_dims(shape, 0, concat_axis);
  int64_t inner = count_dims(shape, concat_axis + 1, rank);
  Pieces pieces;
  for (int i = 0; i < n; ++i) {
    const Tensor& in = context.input(first + i);
    if (in.num_elements() > 0) pieces.push_back({in.raw(), in.dim(concat_axis) * inner});
  }
  concat_rows(context.parallel(), out->dtype(), rows, pieces, out->raw());
  return absl::OkStatus();
}

absl::Status concat(KernelContext& context) {
  return concat_inputs(context, 1, context.num_inputs() - 1, 0, "concat_dim");
}
absl::Status concat_v2(KernelContext& context) {
  int n = context.num_inputs() - 1;
  return concat_inputs(context, 0, n, n, "axis");
}

absl::Status concat_offset(KernelContext& context) {
  const Tensor& dim = context.input(0);
  if (!is_scalar(dim)) {
    return invalid("Concat dim tensor should be a scalar integer, but got shape ", dim.shape().to_string());
  }
  const Tensor& head = context.input(1);
  int n = context.num_inputs() - 1;
  for (int i = 0; i < n; ++i) {
    const Tensor& in = context.input(i + 1);
    if (!is_vector(in))
      return invalid("input ", i + 1, " should be a vector, but got shape ", in.shape().to_string());
    if (in.dim(0) != head.num_elements()) {
      return invalid("input ", i + 1, " should contain ", head.num_elements(), " elements, but got ",
                     in.dim(0));
    }
  }
  int64_t rank = head.dim(0);
  int64_t axis = int_at(dim, 0);
  if (axis < -rank || axis >= rank) return invalid("Concat dim is out of range: ", axis, " vs. ", rank);
  if (axis < 0) axis += rank;
  uint64_t offset = 0;
  for (int i = 0; i < n; ++i) {
    const Tensor& in = context.input(i + 1);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, in.shape()));
    for (int64_t d = 0; d < rank; ++d) {
      if (d == axis) {
        set_int(out, d, static_cast<int64_t>(offset));
        offset += static_cast<uint64_t>(int_at(in, d));
        continue;
      }
      if (int_at(in, d) != int_at(head, d)) {
        return invalid("All dimensions except ", axis, " must match. Input ", i, " has shape [",
                       absl::StrJoin(ints_of(in), " "), "] and doesn't match input 0 with shape [",
                       absl::StrJoin(ints_of(head), " "), "].");
      }
      set_int(out, d, 0);
    }
  }
  return absl::OkStatus();
}

/// Cuts `input` along `axis` into outputs of the given sizes, which are not negative and add up.
absl::Status split_into(KernelContext& context, const Tensor& input, int axis, const Indices& sizes) {
  int64_t rows = count_dims(input.shape(), 0, axis);
  int64_t inner = count_dims(input.shape(), axis + 1, input.rank());
  int64_t row = input.dim(axis) * inner;
  int64_t offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Shape shape = input.shape();
    shape.set_dim(axis, sizes[i]);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(static_cast<int>(i), shape));
    if (shape.num_elements() == 0) continue;
    int64_t run = sizes[i] * inner;
    Box box;
    box.add(rows, row, run);
    box.add(run, 1, 1);
    copy_box(context.parallel(), input.dtype(), box, element_at(input, offset), out->raw());
    offset += run;
  }
  return absl::OkStatus();
}

absl::StatusOr<int> split_axis(const Tensor& dim, int rank) {
  int64_t axis = int_at(dim, 0);
  if (axis < -rank || axis >= rank) {
    return invalid("-input rank(-", rank, ") <= split_dim < input rank (", rank, "), but got ", axis);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

absl::Status split(KernelContext& context) {
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
  if (n == 1) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  return split_into(context, input, axis, Indices(n, input.dim(axis) / n));
}

absl::Status split_v(KernelContext& context) {
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
    context.set_output(0, input);
    return absl::OkStatus();
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
  return split_into(context, input, axis, sizes);
}

class Pack final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& head = context.input(0);
    int n = context.num_inputs();
    int rank = head.rank() + 1;
    int64_t axis = axis_ < 0 ? axis_ + rank : axis_;
    if (axis < 0 || axis >= rank) return invalid("axis = ", axis_, " not in [", -rank, ", ", rank, ")");
    if (rank > Shape::kMaxRank) return invalid("Too many dimensions: ", rank);
    for (int i = 1; i < n; ++i) {
      if (!(context.input(i).shape() == head.shape())) {
        return invalid("Shapes of all inputs must match: values[0].shape = ", head.shape().to_string(),
                       " != values[", i, "].shape = ", context.input(i).shape().to_string());
      }
    }
    Shape shape = head.shape();
    shape.insert_dim(static_cast<int>(axis), n);
    if (n == 1) {
      context.set_output(0, head.reshaped(std::move(shape)));
      return absl::OkStatus();
    }
    int64_t elements = 0;
    if (multiply_overflows(head.num_elements(), n, &elements))
      return invalid("The packed tensor would be too large");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (elements == 0) return absl::OkStatus();
    int64_t run = count_dims(head.shape(), static_cast<int>(axis), rank - 1);
    Pieces pieces;
    for (int i = 0; i < n; ++i) pieces.push_back({context.input(i).raw(), run});
    concat_rows(context.parallel(), out->dtype(), head.num_elements() / run, pieces, out->raw());
    return absl::OkStatus();
  }

 private:
  int64_t axis_ = 0;
};

class Unpack final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    int n = context.num_outputs();
    int rank = input.rank();
    int64_t axis = axis_ < 0 ? axis_ + rank : axis_;
    if (axis < 0 || axis >= rank) return invalid("axis = ", axis_, " not in [", -rank, ", ", rank, ")");
    if (input.dim(static_cast<int>(axis)) != n) {
      return invalid("Input shape axis ", axis, " must equal ", n, ", got shape ", input.shape().to_string());
    }
    Shape shape = input.shape();
    shape.remove_dim(static_cast<int>(axis));
    int64_t rows = count_dims(input.shape(), 0, static_cast<int>(axis));
    int64_t run = count_dims(input.shape(), static_cast<int>(axis) + 1, rank);
    for (int i = 0; i < n; ++i) {
      if (n == 1) {
        context.set_output(0, input.reshaped(shape));
        break;
      }
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, shape));
      if (shape.num_elements() == 0) continue;
      Box box;
      box.add(rows, run * n, run);
      box.add(run, 1, 1);
      copy_box(context.parallel(), input.dtype(), box, element_at(input, i * run), out->raw());
    }
    return absl::OkStatus();
  }

 private:
  int64_t axis_ = 0;
};

class ParallelConcat final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
    auto full = shape.to_shape();
    if (!full || full->rank() == 0)
      return invalid("attr shape must be fully defined and not scalar: ", shape.to_string());
    shape_ = *std::move(full);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    int n = context.num_inputs();
    if (shape_.dim(0) != n) return invalid("attr shape has ", shape_.dim(0), " rows for ", n, " values");
    for (int i = 0; i < n; ++i) {
      const Shape& s = context.input(i).shape();
      if (s.rank() < 1 || s.dim(0) != 1) return invalid("update shape doesn't match: ", s.to_string());
      Shape row = shape_;
      row.set_dim(0, 1);
      if (!(row == s)) {
        return invalid("value and update shape doesn't match ", shape_.to_string(), " vs. ", s.to_string());
      }
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape_));
    if (shape_.num_elements() == 0) return absl::OkStatus();
    Pieces pieces;
    for (int i = 0; i < n; ++i) pieces.push_back({context.input(i).raw(), context.input(i).num_elements()});
    concat_rows(context.parallel(), out->dtype(), 1, pieces, out->raw());
    return absl::OkStatus();
  }

 private:
  Shape shape_;
};

absl::Status tile(KernelContext& context) {
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
  bool same = true;
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
    same &= multiples[i] == 1;
  }
  if (same) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  if (total == 0) return absl::OkStatus();
  Indices from = strides_of(input.shape());
  Indices to = strides_of(shape);
  Box box;
  for (int i = 0; i < input.rank(); ++i) {
    box.add(multiples[i], 0, input.dim(i) * to[i]);
    box.add(input.dim(i), from[i], to[i]);
  }
  copy_box(context.parallel(), input.dtype(), box, input.raw(), out->raw());
  return absl::OkStatus();
}

absl::Status reverse_axes(KernelContext& context, const bool* reversed) {
  const Tensor& input = context.input(0);
  bool any = false;
  for (int i = 0; i < input.rank(); ++i) any |= reversed[i] && input.dim(i) > 1;
  if (!any || input.num_elements() == 0) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  Indices strides = strides_of(input.shape());
  Box box;
  int64_t start = 0;
  for (int i = 0; i < input.rank(); ++i) {
    if (reversed[i]) start += (input.dim(i) - 1) * strides[i];
    box.add(input.dim(i), reversed[i] ? -strides[i] : strides[i], strides[i]);
  }
  copy_box(context.parallel(), input.dtype(), box, element_at(input, start), out->raw());
  return absl::OkStatus();
}

absl::Status reverse(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& dims = context.input(1);
  if (!is_vector(dims) && input.rank() > 0) return invalid("'dims' must be 1-dimension, not ", dims.rank());
  if (input.rank() > 0 && dims.dim(0) != input.rank()) {
    return invalid("'dims' must have the same number of values as 'input' has dimensions. 'input' has ",
                   input.rank(), "'dims' has ", dims.dim(0), " values");
  }
  return reverse_axes(context, dims.flat<bool>().data());
}

absl::Status reverse_v2(KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& axes = context.input(1);
  bool reversed[Shape::kMaxRank] = {};
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
  return reverse_axes(context, reversed);
}

class ReverseSequence final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("seq_dim", &seq_)("batch_dim", &batch_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    const Tensor& lengths = context.input(1);
    TROUPE_RETURN_IF_ERROR(check(input, lengths));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    Indices strides = strides_of(input.shape());
    int seq = static_cast<int>(seq_), batch = static_cast<int>(batch_);
    for (int64_t b = 0; b < input.dim(batch); ++b) {
      int64_t length = int_at(lengths, b);
      copy_part(context, *out, strides, b, 0, length, -1);
      copy_part(context, *out, strides, b, length, input.dim(seq), 1);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status check(const Tensor& input, const Tensor& lengths) const {
    if (!is_vector(lengths)) return invalid("seq_lengths must be 1-dim, not ", lengths.rank());
    if (batch_ == seq_) return invalid("batch_dim == seq_dim == ", seq_);
    if (seq_ < 0) return invalid("Invalid seq_dim ", seq_);
    if (batch_ < 0) return invalid("Invalid batch_dim ", batch_);
    if (seq_ >= input.rank())
      return invalid("seq_dim must be < input rank ( ", seq_, " vs. ", input.rank(), ")");
    if (batch_ >= input.rank())
      return invalid("batch_dim must be < input rank ( ", batch_, " vs. ", input.rank(), ")");
    int64_t n = lengths.dim(0);
    if (n != input.dim(static_cast<int>(batch_))) {
      return invalid("Length of seq_lengths != input.dims(", batch_, "), (", n, " vs. ",
                     input.dim(static_cast<int>(batch_)), ")");
    }
    for (int64_t i = 0; i < n; ++i) {
      int64_t length = int_at(lengths, i);
      if (length < 0) return invalid("seq_lens(", i, ") < 0");
      if (length > input.dim(static_cast<int>(seq_)))
        return invalid("seq_lens(", i, ") > input.dims(", seq_, ")");
    }
    return absl::OkStatus();
  }
  /// Steps [begin, end) of batch entry b, backwards when `direction` is -1.
  void copy_part(KernelContext& context, Tensor& out, const Indices& strides, int64_t b, int64_t begin,
                 int64_t end, int direction) const {
    const Tensor& input = context.input(0);
    if (begin >= end) return;
    int64_t base = b * strides[batch_];
    Box box;
    for (int i = 0; i < input.rank(); ++i) {
      if (i == batch_) continue;
      if (i == seq_) {
        box.add(end - begin, direction * strides[i], strides[i]);
      } else {
        box.add(input.dim(i), strides[i], strides[i]);
      }
    }
    copy_box(context.parallel(), input.dtype(), box,
             element_at(input, base + (direction < 0 ? end - 1 : begin) * strides[seq_]),
             element_at(out, base + begin * strides[seq_]));
  }

  int64_t seq_ = 0;
  int64_t batch_ = 0;
};

absl::Status roll(KernelContext& context) {
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
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  if (input.num_elements() == 0) return absl::OkStatus();
  Indices strides = strides_of(input.shape());
  absl::InlinedVector<int, 8> rolled;
  for (int i = 0; i < input.rank(); ++i) {
    if (moved[i] != 0) rolled.push_back(i);
  }
  if (rolled.size() > 20) return absl::UnimplementedError("Roll over more than 20 axes");
  // Each rolled axis splits the tensor in two parts that keep their order.
  for (uint32_t part = 0; part < (uint32_t{1} << rolled.size()); ++part) {
    Box box;
    int64_t from = 0, to = 0;
    size_t r = 0;
    for (int i = 0; i < input.rank(); ++i) {
      int64_t size = input.dim(i);
      if (r < rolled.size() && rolled[r] == i) {
        int64_t kept = size - moved[i];
        if ((part >> r & 1) == 0) {
          to += moved[i] * strides[i];
          size = kept;
        } else {
          from += kept * strides[i];
          size = moved[i];
        }
        ++r;
      }
      box.add(size, strides[i], strides[i]);
    }
    copy_box(context.parallel(), input.dtype(), box, element_at(input, from), element_at(*out, to));
  }
  return absl::OkStatus();
}

}  // namespace

void register_array_move(KernelRegistry* registry) {
  auto moved = with(every_type(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn});
  auto joined =
      with(with(value_types(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn}),
           {DataType::kQint8, DataType::kQuint8, DataType::kQint16, DataType::kQuint16, DataType::kQint32});
  auto cut = with(moved, {DataType::kQuint8, DataType::kInt4, DataType::kUint4});
  registry->add(KernelDef("Transpose").types("T", moved).fn(transpose));
  registry->add(KernelDef("ConjugateTranspose").types("T", moved).fn(conjugate_transpose));
  registry->add(KernelDef("InvertPermutation").types("T", index_types()).fn(invert_permutation));
  registry->add(KernelDef("Concat").types("T", joined).fn(concat));
  registry->add(KernelDef("ConcatV2").types("T", joined).fn(concat_v2));
  registry->add(KernelDef("ConcatOffset").types("shape_type", index_types()).fn(concat_offset, true));
  registry->add(KernelDef("Split").types("T", cut).fn(split));
  registry->add(KernelDef("SplitV").types("T", cut).fn(split_v));
  registry->add(
      KernelDef("Pack").types("T", with(joined, {DataType::kResource, DataType::kVariant})).kernel<Pack>());
  registry->add(KernelDef("Unpack").types("T", moved).kernel<Unpack>());
  registry->add(KernelDef("ParallelConcat").types("T", value_types()).kernel<ParallelConcat>());
  registry->add(KernelDef("Tile").types("T", every_type()).fn(tile));
  registry->add(KernelDef("Reverse").types("T", value_types()).fn(reverse));
  registry->add(KernelDef("ReverseV2").types("T", value_types()).fn(reverse_v2));
  registry->add(KernelDef("ReverseSequence").types("T", value_types()).kernel<ReverseSequence>());
  registry->add(KernelDef("Roll").types("T", every_type()).fn(roll));
}

}  // namespace troupe
