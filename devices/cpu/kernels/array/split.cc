// Tensors cut: Split along an axis, Unpack that removes it.
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

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

}  // namespace

void register_array_split(KernelRegistry* registry) {
  auto moved = with(every_type(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn});
  auto cut = with(moved, {DataType::kQuint8, DataType::kInt4, DataType::kUint4});
  registry->add(KernelDef("Split").types("T", cut).fn(split));
  registry->add(KernelDef("SplitV").types("T", cut).fn(split_v));
  registry->add(KernelDef("Unpack").types("T", moved).kernel<Unpack>());
}

}  // namespace troupe
