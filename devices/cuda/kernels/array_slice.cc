// Slice, StridedSlice, its gradient and its assignments.
#include <mutex>

#include "devices/common/array/slice_kernels.h"
#include "devices/common/variable/variable.h"
#include "devices/cuda/kernels/array_parts.h"
#include "devices/cuda/kernels/in_place.h"

namespace troupe {
namespace {

class StridedKernel : public Kernel {
 public:
  void attributes(AttrReader& a) { masks_.attributes(a); }

 protected:
  absl::StatusOr<StridedRange> resolve(KernelContext& context, const Shape& shape) const {
    return resolve_slice(shape.dims(), context.input(1), context.input(2), context.input(3), masks_);
  }
  StridedMasks masks_;
};

class StridedSlice final : public StridedKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    return strided_slice(context, masks_, enqueue_axes);
  }
};

class StridedSliceGrad final : public StridedKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& sizes = context.input(0);
    const Tensor& dy = context.input(4);
    if (!is_vector(sizes)) return invalid("shape must be 1-D, got shape.shape = ", sizes.shape().to_string());
    const Indices dims = ints_of(sizes);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, shape));
    if (!(dy.shape() == range.shape)) {
      return invalid("shape of dy was ", dy.shape().to_string(), " instead of ", range.shape.to_string());
    }
    if (range.identity) {
      context.set_output(0, dy.reshaped(std::move(shape)));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, out));
    if (dy.num_elements() == 0) return absl::OkStatus();
    Indices steps;
    const int64_t offset = range.offset_and_steps(shape, &steps);
    int64_t from = dy.num_elements();
    StridedCopy copy;
    for (int i = 0; i < shape.rank(); ++i) {
      from /= range.size[i];
      copy.add(range.size[i], from, steps[i]);
    }
    return copy.enqueue(context, dy.dtype(), dy.raw(), element_at(*out, offset));
  }
};

/// target[range] = value, which broadcasts to the range.
absl::Status assign_range(KernelContext& context, const StridedRange& range, const Tensor& value,
                          Tensor* target) {
  TROUPE_ASSIGN_OR_RETURN(Indices along, range.value_strides(value.shape()));
  if (range.shape.num_elements() == 0) return absl::OkStatus();
  Indices steps;
  const int64_t offset = range.offset_and_steps(target->shape(), &steps);
  StridedCopy copy;
  for (int i = 0; i < target->rank(); ++i) copy.add(range.size[i], along[i], steps[i]);
  return copy.enqueue(context, target->dtype(), value.raw(), element_at(*target, offset));
}

class TensorStridedSliceUpdate final : public StridedKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, input.shape()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
    TROUPE_RETURN_IF_ERROR(enqueue_copy(context, input.raw(), out->raw(), input.bytes()));
    return assign_range(context, range, context.input(4), out);
  }
};

class StridedSliceAssign final : public StridedKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    const std::shared_ptr<RefTensor>& ref = context.input_ref(0);
    if (ref == nullptr) return invalid("StridedSliceAssign needs a variable");
    {
      std::lock_guard lock(ref->mu);
      if (!ref->tensor.initialized()) return uninitialized_ref(*ref);
      TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, ref->tensor.shape()));
      TROUPE_RETURN_IF_ERROR(make_unique_on_gpu(context, &ref->tensor));
      TROUPE_RETURN_IF_ERROR(assign_range(context, range, context.input(4), &ref->tensor));
    }
    context.set_output_ref(0, ref);
    return absl::OkStatus();
  }
};

class ResourceStridedSliceAssign final : public StridedKernel {
 public:
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    const Tensor& value = context.input(4);
    std::unique_lock lock(var->mu());
    if (var->dtype() != value.dtype()) {
      return invalid("l-value dtype ", dtype_name(var->dtype()), " does not match r-value dtype ",
                     dtype_name(value.dtype()));
    }
    if (!var->locked().initialized())
      return absl::FailedPreconditionError("Resource variable is uninitialized.");
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, var->locked().shape()));
    TROUPE_RETURN_IF_ERROR(make_unique_on_gpu(context, var->locked_for_writing()));
    return assign_range(context, range, value, var->locked_for_writing());
  }
};

}  // namespace

void register_cuda_array_slice(KernelRegistry* registry) {
  registry->add(KernelDef("Slice")
                    .device("GPU")
                    .types("T", gpu_types())
                    .host_memory({"begin", "size"})
                    .fn(slice<enqueue_axes>));
  registry->add(KernelDef("StridedSlice")
                    .device("GPU")
                    .types("T", gpu_types())
                    .host_memory({"begin", "end", "strides"})
                    .kernel<StridedSlice>());
  registry->add(KernelDef("StridedSliceGrad")
                    .device("GPU")
                    .types("T", gpu_types())
                    .host_memory({"shape", "begin", "end", "strides"})
                    .kernel<StridedSliceGrad>());
  registry->add(KernelDef("TensorStridedSliceUpdate")
                    .device("GPU")
                    .types("T", gpu_types())
                    .host_memory({"begin", "end", "strides"})
                    .kernel<TensorStridedSliceUpdate>());
  registry->add(KernelDef("StridedSliceAssign")
                    .device("GPU")
                    .types("T", gpu_variable_types())
                    .host_memory({"begin", "end", "strides"})
                    .kernel<StridedSliceAssign>());
  registry->add(KernelDef("ResourceStridedSliceAssign")
                    .device("GPU")
                    .types("T", gpu_variable_types())
                    .host_memory({"ref", "begin", "end", "strides"})
                    .kernel<ResourceStridedSliceAssign>());
  add_int32_on_host(registry, "Slice", {"input", "begin", "size", "output"});
  add_int32_on_host(registry, "StridedSlice", {"input", "begin", "end", "strides", "output"});
  add_int32_on_host(registry, "StridedSliceGrad", {"shape", "begin", "end", "strides", "dy", "output"});
  add_int32_on_host(registry, "TensorStridedSliceUpdate",
                    {"input", "begin", "end", "strides", "value", "output"});
}

}  // namespace troupe
