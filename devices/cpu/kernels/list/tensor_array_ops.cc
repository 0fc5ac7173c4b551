// The TensorArray ops in their three kinds: handles as Ref(string), as string pairs (V2) and as resources
// (V3). One element at a time; tensor_array_bulk.cc has those that take and give several.
#include "devices/cpu/kernels/list/element_shapes.h"
#include "devices/cpu/kernels/list/step_resource.h"
#include "devices/cpu/kernels/list/tensor_array_input.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

absl::Status output_handle(KernelContext& context, const ArrayPtr& array) {
  TROUPE_RETURN_IF_ERROR(output_step_handle(context, array));
  if (context.num_outputs() > 1) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * flow, context.allocate_output(1, Shape()));
    flow->flat<float>()[0] = 0;
  }
  return absl::OkStatus();
}

class CreateKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    auto kernel = std::make_unique<CreateKernel>();
    TensorArray::Options& o = kernel->options_;
    TROUPE_ASSIGN_OR_RETURN(o.dtype, c.attr<DataType>("dtype"));
    o.element_shape = attrs.get_or<PartialShape>("element_shape", PartialShape());
    o.dynamic_size = attrs.get_or<bool>("dynamic_size", false);
    o.clear_after_read = attrs.get_or<bool>("clear_after_read", true);
    o.identical_element_shapes = attrs.get_or<bool>("identical_element_shapes", false);
    kernel->name_ = attrs.get_or<std::string>("tensor_array_name", "");
    if (kernel->name_.empty()) kernel->name_ = c.name();
    return kernel;
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& size = context.input(0);
    if (!is_scalar(size)) {
      return invalid("TensorArray size must be scalar, but had shape: ", size.shape().to_string());
    }
    const int32_t n = size.value<int32_t>();
    if (n < 0) return invalid("Size should be >= 0.");
    if (n > TensorArray::kMaxElements) {
      return absl::ResourceExhaustedError(
          absl::StrCat("TensorArray ", name_, ": cannot make ", n, " elements"));
    }
    return output_handle(context,
                         std::make_shared<TensorArray>(
                             context.step().step_container,
                             absl::StrCat(name_, "_", ResourceManager::next_private_number()), options_, n));
  }

 private:
  TensorArray::Options options_;
  std::string name_;
};

class GradKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("source", &source_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
    PartialShape prefix(std::vector<int64_t>{});
    if (context.num_inputs() > 2) {
      TROUPE_ASSIGN_OR_RETURN(prefix, shape_from_tensor(context.input(2)));
      if (!prefix.fully_defined())
        return invalid("shape_to_prepend must be fully defined, but is ", prefix.to_string());
    }
    TROUPE_ASSIGN_OR_RETURN(ArrayPtr gradient, array->gradient(source_, prefix));
    return output_handle(context, gradient);
  }
  bool is_expensive() const override { return false; }

 private:
  std::string source_;
};

absl::Status write(KernelContext& context) {
  const Tensor& index = context.input(1);
  if (!is_scalar(index))
    return invalid("TensorArray index must be scalar, but had shape: ", index.shape().to_string());
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_RETURN_IF_ERROR(check_written_type(*array, context.input(2).dtype()));
  TROUPE_RETURN_IF_ERROR(array->write(context, index.value<int32_t>(), context.take_input(2)));
  context.forward_input(3, 0);
  return absl::OkStatus();
}

absl::Status read(KernelContext& context) {
  const Tensor& index = context.input(1);
  if (!is_scalar(index))
    return invalid("TensorArray index must be scalar, but had shape: ", index.shape().to_string());
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_RETURN_IF_ERROR(check_read_type(*array, context.output_type(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor value, array->read(context, index.value<int32_t>()));
  context.set_output(0, std::move(value));
  return absl::OkStatus();
}

absl::Status size(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_ASSIGN_OR_RETURN(int64_t n, array->size());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<int32_t>()[0] = static_cast<int32_t>(n);
  return absl::OkStatus();
}

absl::Status close(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  array->close();
  return absl::OkStatus();
}

}  // namespace

void register_list_tensor_array_ops(KernelRegistry* registry) {
  const std::vector<DataType> storable = every_type();
  for (std::string v : {"", "V2", "V3"}) {
    registry->add(KernelDef("TensorArray" + v).kernel<CreateKernel>());
    registry->add(KernelDef("TensorArrayGrad" + v).kernel<GradKernel>());
    registry->add(KernelDef("TensorArraySize" + v).fn(size, /*cheap=*/true));
    registry->add(KernelDef("TensorArrayClose" + v).fn(close));
    registry->add(KernelDef("TensorArrayWrite" + v).types("T", storable).fn(write, /*cheap=*/true));
    registry->add(KernelDef("TensorArrayRead" + v).types("dtype", storable).fn(read, /*cheap=*/true));
  }
  registry->add(KernelDef("TensorArrayGradWithShape").kernel<GradKernel>());
}

}  // namespace troupe
