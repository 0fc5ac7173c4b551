// Tensors joined and taken apart: Concat, Pack, Split, Unpack.
#include "devices/common/array/join.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

using Pieces = absl::InlinedVector<Piece, 16>;

void* data_of(const Tensor& t) { return const_cast<void*>(t.raw()); }

absl::Status concat_inputs(KernelContext& context, int first, int n, int axis_input, const char* axis_name) {
  TROUPE_ASSIGN_OR_RETURN(Joint joint, concat_shape(context, first, n, axis_input, axis_name));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, joint.shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const int64_t inner = count_dims(joint.shape, joint.axis + 1, joint.shape.rank());
  Pieces pieces;
  for (int i = 0; i < n; ++i) {
    const Tensor& in = context.input(first + i);
    if (in.num_elements() > 0) pieces.push_back({data_of(in), in.dim(joint.axis) * inner});
  }
  return enqueue_join(context, out->dtype(), count_dims(joint.shape, 0, joint.axis), pieces, out->raw());
}

absl::Status concat(KernelContext& context) {
  return concat_inputs(context, 1, context.num_inputs() - 1, 0, "concat_dim");
}
absl::Status concat_v2(KernelContext& context) {
  const int n = context.num_inputs() - 1;
  return concat_inputs(context, 0, n, n, "axis");
}

class Pack final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Joint joint, pack_shape(context, axis_));
    const Tensor& head = context.input(0);
    const int n = context.num_inputs();
    if (n == 1) {
      context.set_output(0, head.reshaped(std::move(joint.shape)));
      return absl::OkStatus();
    }
    int64_t elements = 0;
    if (multiply_overflows(head.num_elements(), n, &elements))
      return invalid("The packed tensor would be too large");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, joint.shape));
    if (elements == 0) return absl::OkStatus();
    const int64_t run = count_dims(head.shape(), joint.axis, head.rank());
    Pieces pieces;
    for (int i = 0; i < n; ++i) pieces.push_back({data_of(context.input(i)), run});
    return enqueue_join(context, out->dtype(), head.num_elements() / run, pieces, out->raw());
  }

 private:
  int64_t axis_ = 0;
};

absl::Status split_into(KernelContext& context, const Tensor& input, const Cut& cut) {
  if (cut.sizes.size() == 1) {
    context.set_output(0, input);
    return absl::OkStatus();
  }
  const int64_t inner = count_dims(input.shape(), cut.axis + 1, input.rank());
  Pieces pieces;
  for (size_t i = 0; i < cut.sizes.size(); ++i) {
    Shape shape = input.shape();
    shape.set_dim(cut.axis, cut.sizes[i]);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(static_cast<int>(i), shape));
    if (out->num_elements() > 0) pieces.push_back({out->raw(), cut.sizes[i] * inner});
  }
  if (pieces.empty()) return absl::OkStatus();
  return enqueue_split(context, input.dtype(), count_dims(input.shape(), 0, cut.axis), pieces, input.raw());
}

absl::Status split(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Cut cut, split_cut(context));
  return split_into(context, context.input(1), cut);
}

absl::Status split_v(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Cut cut, split_v_cut(context));
  return split_into(context, context.input(0), cut);
}

class Unpack final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(Joint joint, unpack_shape(context, axis_));
    const Tensor& input = context.input(0);
    const int n = context.num_outputs();
    if (n == 1) {
      context.set_output(0, input.reshaped(joint.shape));
      return absl::OkStatus();
    }
    const int64_t run = count_dims(input.shape(), joint.axis + 1, input.rank());
    Pieces pieces;
    for (int i = 0; i < n; ++i) {
      TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(i, joint.shape));
      pieces.push_back({out->raw(), run});
    }
    if (input.num_elements() == 0) return absl::OkStatus();
    return enqueue_split(context, input.dtype(), count_dims(input.shape(), 0, joint.axis), pieces,
                         input.raw());
  }

 private:
  int64_t axis_ = 0;
};

}  // namespace

void register_cuda_array_join(KernelRegistry* registry) {
  registry->add(
      KernelDef("Concat").device("GPU").types("T", gpu_types()).host_memory({"concat_dim"}).fn(concat));
  registry->add(
      KernelDef("ConcatV2").device("GPU").types("T", gpu_types()).host_memory({"axis"}).fn(concat_v2));
  registry->add(KernelDef("Pack").device("GPU").types("T", gpu_types()).kernel<Pack>());
  registry->add(
      KernelDef("Split").device("GPU").types("T", gpu_types()).host_memory({"split_dim"}).fn(split));
  registry->add(KernelDef("SplitV")
                    .device("GPU")
                    .types("T", gpu_types())
                    .host_memory({"size_splits", "split_dim"})
                    .fn(split_v));
  registry->add(KernelDef("Unpack").device("GPU").types("T", gpu_types()).kernel<Unpack>());
  add_int32_on_host(registry, "Concat", {"concat_dim", "values", "output"});
  add_int32_on_host(registry, "ConcatV2", {"values", "axis", "output"});
  add_int32_on_host(registry, "Pack", {"values", "output"});
  add_int32_on_host(registry, "Split", {"split_dim", "value", "output"});
  add_int32_on_host(registry, "SplitV", {"value", "size_splits", "split_dim", "output"});
  add_int32_on_host(registry, "Unpack", {"value", "output"});
}

}  // namespace troupe
