// Tensors cut: Split along an axis, Unpack that removes it.
#include "devices/common/array/join.h"
#include "devices/common/array/part.h"
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
    const int64_t run = sizes[i] * inner;
    if (rows == 1 && can_be_part(input, offset, run)) {
      context.set_output(static_cast<int>(i), input.part(offset, std::move(shape)));
      offset += run;
      continue;
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(static_cast<int>(i), shape));
    if (shape.num_elements() == 0) continue;
    Box box;
    box.add(rows, row, run);
    box.add(run, 1, 1);
    copy_box(context.parallel(), input.dtype(), box, element_at(input, offset), out->raw());
    offset += run;
  }
  return absl::OkStatus();
}

absl::Status split(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Cut cut, split_cut(context));
  const Tensor& input = context.input(1);
  if (cut.sizes.size() == 1) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  return split_into(context, input, cut.axis, cut.sizes);
}

absl::Status split_v(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Cut cut, split_v_cut(context));
  const Tensor& input = context.input(0);
  if (cut.sizes.size() == 1) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  return split_into(context, input, cut.axis, cut.sizes);
}

class Unpack final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Joint joint, unpack_shape(context, axis_));
    const Tensor& input = context.input(0);
    const int n = context.num_outputs(), rank = input.rank(), axis = joint.axis;
    const Shape& shape = joint.shape;
    int64_t rows = count_dims(input.shape(), 0, axis);
    int64_t run = count_dims(input.shape(), axis + 1, rank);
    for (int i = 0; i < n; ++i) {
      if (n == 1) {
        context.set_output(0, input.reshaped(shape));
        break;
      }
      if (rows == 1 && can_be_part(input, i * run, run)) {
        context.set_output(i, input.part(i * run, shape));
        continue;
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
