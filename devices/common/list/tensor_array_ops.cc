// The TensorArray ops in their three kinds: handles as Ref(string), as string pairs (V2) and as resources
// (V3). One element at a time; tensor_array_bulk.cc has those that take and give several.
#include "devices/common/list/element_shapes.h"
#include "devices/common/list/step_resource.h"
#include "devices/common/list/tensor_array_input.h"
#include "devices/common/array_values.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

absl::Status output_handle(KernelContext& context, const ArrayPtr& array) {
  TROUPE_RETURN_IF_ERROR(output_step_handle(context, array));
  if (context.num_outputs() > 1) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * flow, array->memory().host_output(context, 1, Shape()));
    flow->flat<float>()[0] = 0;
  }
  return absl::OkStatus();
}

class CreateKernel final : public Kernel {
 public:
  explicit CreateKernel(const ElementMemory& memory) { options_.memory = &memory; }
  absl::Status init(const KernelConstruction& c) {
    const AttrMap& attrs = c.node().attrs;
    TROUPE_ASSIGN_OR_RETURN(options_.dtype, c.attr<DataType>("dtype"));
    options_.element_shape = attrs.get_or<PartialShape>("element_shape", PartialShape());
    options_.dynamic_size = attrs.get_or<bool>("dynamic_size", false);
    options_.clear_after_read = attrs.get_or<bool>("clear_after_read", true);
    options_.identical_element_shapes = attrs.get_or<bool>("identical_element_shapes", false);
    name_ = attrs.get_or<std::string>("tensor_array_name", "");
    if (name_.empty()) name_ = c.name();
    return absl::OkStatus();
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
  explicit GradKernel(const ElementMemory&) {}
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

absl::Status write(KernelContext& context, const ElementMemory&) {
  const Tensor& index = context.input(1);
  if (!is_scalar(index))
    return invalid("TensorArray index must be scalar, but had shape: ", index.shape().to_string());
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_RETURN_IF_ERROR(check_written_type(*array, context.input(2).dtype()));
  TROUPE_RETURN_IF_ERROR(array->write(context, index.value<int32_t>(), context.take_input(2)));
  context.forward_input(3, 0);
  return absl::OkStatus();
}

absl::Status read(KernelContext& context, const ElementMemory&) {
  const Tensor& index = context.input(1);
  if (!is_scalar(index))
    return invalid("TensorArray index must be scalar, but had shape: ", index.shape().to_string());
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_RETURN_IF_ERROR(check_read_type(*array, context.output_type(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor value, array->read(context, index.value<int32_t>()));
  context.set_output(0, std::move(value));
  return absl::OkStatus();
}

absl::Status size(KernelContext& context, const ElementMemory& memory) {
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  TROUPE_ASSIGN_OR_RETURN(int64_t n, array->size());
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, memory.host_output(context, 0, Shape()));
  out->flat<int32_t>()[0] = static_cast<int32_t>(n);
  return absl::OkStatus();
}

absl::Status close(KernelContext& context, const ElementMemory&) {
  TROUPE_ASSIGN_OR_RETURN(ArrayPtr array, input_array(context));
  array->close();
  return absl::OkStatus();
}

}  // namespace

void add_tensor_array_ops(const ElementMemory* memory, const AddElementOp& add) {
  const std::vector<DataType> storable = every_type();
  for (std::string v : {"", "V2", "V3"}) {
    add({"TensorArray" + v,
         "dtype",
         {},
         {"size", "handle", "flow"},
         {},
         element_kernel<CreateKernel>(memory)});
    add({"TensorArrayGrad" + v,
         nullptr,
         {},
         {"handle", "flow_in", "grad_handle", "flow_out"},
         {},
         element_kernel<GradKernel>(memory)});
    add({"TensorArraySize" + v,
         nullptr,
         {},
         {"handle", "flow_in", "size"},
         {},
         element_kernel(size, memory, /*cheap=*/true)});
    add({"TensorArrayClose" + v, nullptr, {}, {"handle"}, {}, element_kernel(close, memory)});
    add({"TensorArrayWrite" + v,
         "T",
         storable,
         {"handle", "index", "flow_in", "flow_out"},
         {"value"},
         element_kernel(write, memory, /*cheap=*/true)});
    add({"TensorArrayRead" + v,
         "dtype",
         storable,
         {"handle", "index", "flow_in"},
         {"value"},
         element_kernel(read, memory, /*cheap=*/true)});
  }
  add({"TensorArrayGradWithShape",
       nullptr,
       {},
       {"handle", "flow_in", "shape_to_prepend", "grad_handle", "flow_out"},
       {},
       element_kernel<GradKernel>(memory)});
  add_tensor_array_bulk_ops(memory, add);
}

}  // namespace troupe
