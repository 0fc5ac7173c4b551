// What reads or changes a shape: most of it is the CPU's, on the host, and shares the memory of its input. Fills.
#include <cstring>

#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

absl::Status fill(KernelContext& context) {
  const Tensor& dims = context.input(0);
  const Tensor& value = context.input(1);
  if (dims.rank() > 1) return invalid("dims must represent a vector, got shape ", dims.shape().to_string());
  if (value.rank() > 1 || value.num_elements() != 1) {
    return invalid("value must represent a scalar, got shape ", value.shape().to_string());
  }
  const Indices sizes = ints_of(dims);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({sizes.data(), sizes.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return enqueue_fill_from(context, value.dtype(), value.raw(), out->raw(), out->num_elements());
}

/// The bytes of a number 1 of `dtype`.
Element16 one_of(DataType dtype) {
  Element16 bytes = {};
  auto put = [&bytes](auto value) { std::memcpy(&bytes, &value, sizeof(value)); };
  switch (dtype) {
    case DataType::kFloat:
    case DataType::kComplex64: put(1.0F); break;
    case DataType::kDouble:
    case DataType::kComplex128: put(1.0); break;
    case DataType::kHalf: put(uint16_t{0x3c00}); break;
    case DataType::kBfloat16: put(uint16_t{0x3f80}); break;
    default: put(uint64_t{1});  // An integer or bool; GPUs and their hosts keep the low byte first.
  }
  return bytes;
}

absl::Status ones_like(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  const Element16 one = one_of(out->dtype());
  return enqueue_fill(context, out->dtype(), &one, out->raw(), out->num_elements());
}

absl::Status zeros_like(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  return enqueue_zeros(context, out);
}

/// ZerosLike and OnesLike of int32 look at the shape alone, wherever the input is.
template <int32_t kValue>
absl::Status host_constant_like(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, allocate_host_output(context, 0, context.input(0).shape()));
  for (int32_t& v : out->flat<int32_t>()) v = kValue;
  return absl::OkStatus();
}

/// Elements are zero whatever `init` says: memory of others must not show.
absl::Status empty(KernelContext& context) {
  const Tensor& sizes = context.input(0);
  if (!is_vector(sizes))
    return invalid("shape must be a vector of int32, got shape ", sizes.shape().to_string());
  const Indices dims = ints_of(sizes);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return enqueue_zeros(context, out);
}

/// Own memory with the same elements, unless nobody else has the input's.
absl::Status snapshot(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  return enqueue_copy(context, input.raw(), out->raw(), input.bytes());
}

}  // namespace

void register_cuda_array_shape(KernelRegistry* registry) {
  auto on_host = [registry](const char* op, const char* attr, std::vector<DataType> types,
                            std::vector<std::string> args) {
    add_host_kernel(registry,
                    KernelDef(op).device("GPU").types(attr, std::move(types)).host_memory(std::move(args)));
  };
  for (const char* op : {"Shape", "ShapeN", "Size", "Rank"}) {
    on_host(op, "T", gpu_types(), {"output"});
    on_host(op, "T", {DataType::kInt32}, {"input", "output"});
  }
  on_host("Reshape", "T", gpu_types(), {"shape"});
  on_host("Reshape", "T", {DataType::kInt32}, {"tensor", "shape", "output"});
  on_host("ExpandDims", "T", gpu_types(), {"dim"});
  on_host("ExpandDims", "T", {DataType::kInt32}, {"input", "dim", "output"});
  for (const char* op : {"Squeeze", "EnsureShape"}) {
    on_host(op, "T", gpu_types(), {});
    on_host(op, "T", {DataType::kInt32}, {"input", "output"});
  }
  on_host("Bitcast", "T", gpu_types_and_int32(), {});
  on_host("Fill", "T", {DataType::kInt32}, {"dims", "value", "output"});
  on_host("ConcatOffset", "shape_type", index_types(), {"concat_dim", "shape", "offset"});
  on_host("InvertPermutation", "T", index_types(), {"x", "y"});
  on_host("BroadcastArgs", "T", index_types(), {"s0", "s1", "r0"});
  on_host("BroadcastGradientArgs", "T", index_types(), {"s0", "s1", "r0", "r1"});
  on_host("Range", "Tidx", with(float_types(), {DataType::kInt32, DataType::kInt64}),
          {"start", "limit", "delta", "output"});
  on_host("LinSpace", "T", {DataType::kFloat, DataType::kDouble}, {"start", "stop", "num", "output"});

  registry->add(KernelDef("Fill").device("GPU").types("T", gpu_types()).host_memory({"dims"}).fn(fill));
  registry->add(KernelDef("ZerosLike").device("GPU").types("T", gpu_types()).fn(zeros_like));
  registry->add(KernelDef("ZerosLike")
                    .device("GPU")
                    .types("T", {DataType::kInt32})
                    .host_memory({"y"})
                    .fn(host_constant_like<0>, true));
  registry->add(KernelDef("OnesLike").device("GPU").types("T", gpu_types()).fn(ones_like));
  registry->add(KernelDef("OnesLike")
                    .device("GPU")
                    .types("T", {DataType::kInt32})
                    .host_memory({"y"})
                    .fn(host_constant_like<1>, true));
  registry->add(
      KernelDef("Empty").device("GPU").types("dtype", gpu_types()).host_memory({"shape"}).fn(empty));
  registry->add(KernelDef("Snapshot").device("GPU").types("T", gpu_types_and_int32()).fn(snapshot));
}

}  // namespace troupe
