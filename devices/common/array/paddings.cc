#include "devices/common/array/paddings.h"

#include <algorithm>
#include <string>

#include "devices/common/array_values.h"

namespace troupe {
namespace {

absl::Status check_paddings_shape(const Tensor& input, const Tensor& paddings, const char* separator) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return invalid("paddings must be a matrix with 2 columns: ", paddings.shape().to_string());
  }
  if (paddings.dim(0) != input.rank()) {
    return invalid("The first dimension of paddings must be the rank of inputs", paddings.shape().to_string(),
                   separator, input.shape().to_string());
  }
  return absl::OkStatus();
}

/// The shape after padding. Sums wrap around: InvalidArgument when one ends up negative, or positive but wrapped.
absl::StatusOr<Shape> padded_shape(const Tensor& input, const Indices& paddings) {
  Indices dims(input.rank());
  for (int i = 0; i < input.rank(); ++i) {
    const auto before = static_cast<uint64_t>(paddings[2 * i]),
               after = static_cast<uint64_t>(paddings[2 * i + 1]);
    dims[i] = static_cast<int64_t>(static_cast<uint64_t>(input.dim(i)) + before + after);
    if (dims[i] > 0 && dims[i] < input.dim(i)) {
      return invalid("Expected a non-negative size, got one of more than 2**63 - 1");
    }
  }
  return Shape::make({dims.data(), dims.size()});
}

}  // namespace

absl::StatusOr<Padded> pad_shape(const KernelContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& paddings_tensor = context.input(1);
  TROUPE_RETURN_IF_ERROR(check_paddings_shape(input, paddings_tensor, " "));
  const Tensor* constant = context.num_inputs() > 2 ? &context.input(2) : nullptr;
  if (constant != nullptr && !is_scalar(*constant)) {
    return invalid("constant_values must be a scalar. Found: ", constant->shape().to_string());
  }
  Indices paddings = ints_of(paddings_tensor);
  for (int i = 0; i < input.rank(); ++i) {
    if (paddings[2 * i] < 0 || paddings[2 * i + 1] < 0) {
      return invalid("Paddings must be non-negative: ", paddings[2 * i], " ", paddings[2 * i + 1]);
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, padded_shape(input, paddings));
  return Padded{std::move(paddings), std::move(shape)};
}

absl::StatusOr<Padded> mirror_pad_shape(const KernelContext& context, int64_t offset) {
  const Tensor& input = context.input(0);
  TROUPE_RETURN_IF_ERROR(check_paddings_shape(input, context.input(1), ", "));
  Indices paddings = ints_of(context.input(1));
  for (int i = 0; i < input.rank(); ++i) {
    int64_t before = paddings[2 * i], after = paddings[2 * i + 1], d = input.dim(i);
    if (before < 0 || after < 0) return invalid("paddings must be non-negative: ", before, " ", after);
    if (offset == 0 && (before > d || after > d)) {
      return invalid("paddings must be no greater than the dimension size: ", before, ", ", after,
                     " greater than ", d);
    }
    if (offset == 1 && (before >= d || after >= d) && (before > 0 || after > 0 || d == 0)) {
      return invalid("paddings must be less than the dimension size: ", before, ", ", after,
                     " not less than ", d);
    }
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, padded_shape(input, paddings));
  return Padded{std::move(paddings), std::move(shape)};
}

absl::StatusOr<Padded> mirror_pad_grad_shape(const KernelContext& context, int64_t offset) {
  const Tensor& input = context.input(0);
  TROUPE_RETURN_IF_ERROR(check_paddings_shape(input, context.input(1), " "));
  Indices paddings = ints_of(context.input(1));
  Shape shape = input.shape();
  for (int i = 0; i < input.rank(); ++i) {
    int64_t before = paddings[2 * i], after = paddings[2 * i + 1];
    if (before < 0 || after < 0) return invalid("Paddings must be non-negative: ", before, ", ", after);
    int64_t total = 0;
    if (__builtin_add_overflow(before, after, &total) || total > input.dim(i)) {
      return invalid("Total paddings must be less than the input dimension size: ", total,
                     " was not less than ", input.dim(i));
    }
    int64_t d = input.dim(i) - total;
    if (offset == 1 && std::max(before, after) >= d && (d == 0 || total > 0)) {
      if (total == input.dim(i)) {
        return invalid("Total paddings must be less than the input dimension size: ", total,
                       " was not less than ", input.dim(i));
      }
      return invalid("Paddings must be less than the output dimension size: ", before, ", ", after,
                     " not less than ", d);
    }
    if (offset == 0 && std::max(before, after) > d) {
      return invalid("Paddings must be no greater than the output dimension size: ", before, ", ", after,
                     " greater than ", d);
    }
    shape.set_dim(i, d);
  }
  return Padded{std::move(paddings), std::move(shape)};
}

absl::StatusOr<int64_t> read_mirror_offset(const KernelConstruction& c) {
  TROUPE_ASSIGN_OR_RETURN(std::string mode, c.attr<std::string>("mode"));
  if (mode != "REFLECT" && mode != "SYMMETRIC") {
    return invalid("mode must be either REFLECT or SYMMETRIC.");
  }
  return mode == "REFLECT" ? 1 : 0;
}

void melt_axes(Tensor* input, Indices* paddings, Shape* shape) {
  Shape in, out;
  Indices pads;
  for (int i = 0; i < shape->rank(); ++i) {
    bool plain = (*paddings)[2 * i] == 0 && (*paddings)[2 * i + 1] == 0;
    if (plain && in.rank() > 0) {
      int last = in.rank() - 1;
      int64_t d = input->dim(i);
      pads[2 * last] *= d;
      pads[2 * last + 1] *= d;
      in.set_dim(last, in.dim(last) * d);
      out.set_dim(last, out.dim(last) * d);
    } else {
      in.add_dim(input->dim(i));
      out.add_dim(shape->dim(i));
      pads.push_back((*paddings)[2 * i]);
      pads.push_back((*paddings)[2 * i + 1]);
    }
  }
  *input = input->reshaped(in);
  *shape = out;
  *paddings = pads;
}

}  // namespace troupe
