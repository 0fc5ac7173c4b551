// Slice, StridedSlice, its gradient and its assignments.
#include "devices/common/array/slice_kernels.h"
#include "devices/common/variable/variable.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/kernels/shared/box_copy.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

class StridedKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    AttrReader reader(c);
    kernel->masks_.attributes(reader);
    TROUPE_RETURN_IF_ERROR(reader.status());
    return kernel;
  }

 protected:
  absl::StatusOr<StridedRange> resolve(KernelContext& context, std::span<const int64_t> dims) const {
    return resolve_slice(dims, context.input(1), context.input(2), context.input(3), masks_);
  }
  StridedMasks masks_;
};

class StridedSlice final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<StridedSlice>(c);
  }
  absl::Status compute(KernelContext& context) override { return strided_slice(context, masks_, copy_axes); }
};

class StridedSliceGrad final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<StridedSliceGrad>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& sizes = context.input(0);
    const Tensor& dy = context.input(4);
    if (!is_vector(sizes)) return invalid("shape must be 1-D, got shape.shape = ", sizes.shape().to_string());
    Indices dims = ints_of(sizes);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, shape.dims()));
    if (!(dy.shape() == range.shape)) {
      return invalid("shape of dy was ", dy.shape().to_string(), " instead of ", range.shape.to_string());
    }
    if (range.identity) {
      context.set_output(0, dy.reshaped(std::move(shape)));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
    if (range.shape.num_elements() == 0) return absl::OkStatus();
    Indices steps;
    int64_t offset = range.offset_and_steps(shape, &steps);
    int64_t from = dy.num_elements();
    Box box;
    for (int i = 0; i < shape.rank(); ++i) {
      from /= range.size[i];
      box.add(range.size[i], from, steps[i]);
    }
    copy_box(context.parallel(), dy.dtype(), box, dy.raw(), element_at(*out, offset));
    return absl::OkStatus();
  }
};

/// target[range] = value, which broadcasts to the range.
absl::Status assign_range(KernelContext& context, const StridedRange& range, const Tensor& value,
                          Tensor* target) {
  TROUPE_ASSIGN_OR_RETURN(Indices along, range.value_strides(value.shape()));
  if (range.shape.num_elements() == 0) return absl::OkStatus();
  Indices steps;
  int64_t offset = range.offset_and_steps(target->shape(), &steps);
  Box box;
  for (int i = 0; i < target->rank(); ++i) box.add(range.size[i], along[i], steps[i]);
  copy_box(context.parallel(), target->dtype(), box, value.raw(), element_at(*target, offset));
  return absl::OkStatus();
}

class TensorStridedSliceUpdate final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<TensorStridedSliceUpdate>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, input.shape().dims()));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
    if (!out->shares_buffer_with(input)) {
      copy_flat(context.parallel(), input.dtype(), input.raw(), out->raw(), input.num_elements());
    }
    return assign_range(context, range, context.input(4), out);
  }
};

class StridedSliceAssign final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<StridedSliceAssign>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const std::shared_ptr<RefTensor>& ref = context.input_ref(0);
    if (ref == nullptr) return invalid("StridedSliceAssign needs a variable");
    {
      std::lock_guard lock(ref->mu);
      if (!ref->tensor.initialized()) return uninitialized_ref(*ref);
      TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, ref->tensor.shape().dims()));
      TROUPE_RETURN_IF_ERROR(make_unique(&ref->tensor, context.allocator()));
      TROUPE_RETURN_IF_ERROR(assign_range(context, range, context.input(4), &ref->tensor));
    }
    context.set_output_ref(0, ref);
    return absl::OkStatus();
  }
};

class ResourceStridedSliceAssign final : public StridedKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<ResourceStridedSliceAssign>(c);
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    const Tensor& value = context.input(4);
    std::unique_lock lock(var->mu());
    if (var->dtype() != value.dtype()) {
      return invalid("l-value dtype ", dtype_name(var->dtype()), " does not match r-value dtype ",
                     dtype_name(value.dtype()));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * target, var->writable(context.allocator()));
    TROUPE_ASSIGN_OR_RETURN(StridedRange range, resolve(context, target->shape().dims()));
    return assign_range(context, range, value, target);
  }
};

}  // namespace

void register_array_slice(KernelRegistry* registry) {
  auto slice_types = with(value_types(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn, DataType::kQint8,
                                          DataType::kQuint8, DataType::kQint32});
  auto types = with(slice_types, {DataType::kResource, DataType::kVariant});
  registry->add(KernelDef("Slice").types("T", slice_types).fn(slice<copy_axes>));
  registry->add(KernelDef("StridedSlice").types("T", types).kernel<StridedSlice>());
  registry->add(KernelDef("StridedSliceGrad").types("T", types).kernel<StridedSliceGrad>());
  registry->add(KernelDef("TensorStridedSliceUpdate").types("T", types).kernel<TensorStridedSliceUpdate>());
  registry->add(KernelDef("StridedSliceAssign").types("T", types).kernel<StridedSliceAssign>());
  registry->add(
      KernelDef("ResourceStridedSliceAssign").types("T", types).kernel<ResourceStridedSliceAssign>());
}

}  // namespace troupe
