// Tensors joined: Concat along an axis, Pack along a new one, and where each piece begins.
#include "absl/strings/str_join.h"
#include "devices/common/array/join.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

using Pieces = absl::InlinedVector<ConcatPiece, 16>;

/// Concatenates inputs [first, first + n) along the axis that input `axis_input` tells.
absl::Status concat_inputs(KernelContext& context, int first, int n, int axis_input, const char* axis_name) {
  TROUPE_ASSIGN_OR_RETURN(Joint joint, concat_shape(context, first, n, axis_input, axis_name));
  const Shape& shape = joint.shape;
  const int concat_axis = joint.axis, rank = shape.rank();
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

class Pack final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Joint joint, pack_shape(context, axis_));
    const Tensor& head = context.input(0);
    const int n = context.num_inputs(), rank = joint.shape.rank(), axis = joint.axis;
    Shape& shape = joint.shape;
    if (n == 1) {
      context.set_output(0, head.reshaped(std::move(shape)));
      return absl::OkStatus();
    }
    int64_t elements = 0;
    if (multiply_overflows(head.num_elements(), n, &elements))
      return invalid("The packed tensor would be too large");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (elements == 0) return absl::OkStatus();
    int64_t run = count_dims(head.shape(), axis, rank - 1);
    Pieces pieces;
    for (int i = 0; i < n; ++i) pieces.push_back({context.input(i).raw(), run});
    concat_rows(context.parallel(), out->dtype(), head.num_elements() / run, pieces, out->raw());
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

}  // namespace

void register_array_concat(KernelRegistry* registry) {
  auto joined =
      with(with(value_types(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn}),
           {DataType::kQint8, DataType::kQuint8, DataType::kQint16, DataType::kQuint16, DataType::kQint32});
  registry->add(KernelDef("Concat").types("T", joined).fn(concat));
  registry->add(KernelDef("ConcatV2").types("T", joined).fn(concat_v2));
  registry->add(KernelDef("ConcatOffset").types("shape_type", index_types()).fn(concat_offset, true));
  registry->add(
      KernelDef("Pack").types("T", with(joined, {DataType::kResource, DataType::kVariant})).kernel<Pack>());
  registry->add(KernelDef("ParallelConcat").types("T", value_types()).kernel<ParallelConcat>());
}

}  // namespace troupe
