// Stacks: what the forward half of a loop saves for its gradient. They live as long as the step.

#include "absl/strings/str_cat.h"
#include "devices/common/list/element_memory.h"
#include "devices/common/list/step_resource.h"
#include "devices/common/array_values.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

class Stack final : public Resource {
 public:
  static constexpr const char* kTypeName = "tensorflow::Stack";

  /// `max_size` below 0: no bound.
  Stack(std::string container, std::string name, DataType dtype, int64_t max_size)
      : container_(std::move(container)), name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}

  std::string type_name() const override { return kTypeName; }
  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }
  DataType dtype() const { return dtype_; }

  absl::Status push(Tensor value) {
    std::lock_guard lock(mu_);
    TROUPE_RETURN_IF_ERROR(check_open());
    if (max_size_ >= 0 && static_cast<int64_t>(values_.size()) >= max_size_) {
      return invalid("Stack[", name_, "] overflowed its max_size (", max_size_, ")");
    }
    values_.push_back(std::move(value));
    return absl::OkStatus();
  }
  absl::StatusOr<Tensor> pop() {
    std::lock_guard lock(mu_);
    TROUPE_RETURN_IF_ERROR(check_open());
    if (values_.empty()) return invalid("Stack[", name_, "] is empty when calling Pop().");
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }
  void close() {
    std::vector<Tensor> dying;
    std::lock_guard lock(mu_);
    closed_ = true;
    dying.swap(values_);
  }

 private:
  absl::Status check_open() const {
    if (closed_) return invalid("Stack[", name_, "] has already been closed.");
    return absl::OkStatus();
  }

  const std::string container_;
  const std::string name_;
  const DataType dtype_;
  const int64_t max_size_;
  std::mutex mu_;
  // Guarded by mu_.
  bool closed_ = false;
  std::vector<Tensor> values_;
};

class StackKernel final : public Kernel {
 public:
  explicit StackKernel(const ElementMemory&) {}
  void attributes(AttrReader& a) { a("elem_type", &dtype_); }
  absl::Status init(const KernelConstruction& c) {
    name_ = c.node().attrs.get_or<std::string>("stack_name", "");
    if (name_.empty()) name_ = c.name();
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    int64_t max_size = -1;
    if (context.num_inputs() > 0) {
      const Tensor& t = context.input(0);
      if (!is_scalar(t))
        return invalid("Stack size must be a scalar, but had shape: ", t.shape().to_string());
      max_size = t.value<int32_t>();
    }
    return output_step_handle(
        context, std::make_shared<Stack>(context.step().step_container,
                                         absl::StrCat(name_, "_", ResourceManager::next_private_number()),
                                         dtype_, max_size));
  }
  bool is_expensive() const override { return false; }

 private:
  DataType dtype_ = DataType::kInvalid;
  std::string name_;
};

absl::Status push(KernelContext& context, const ElementMemory&) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Stack> stack, input_step_resource<Stack>(context));
  const DataType type = context.input(1).dtype();
  if (stack->dtype() != type) {
    return invalid("Must have type ", static_cast<int>(stack->dtype()), " but got ", static_cast<int>(type),
                   ": a stack of ", dtype_name(stack->dtype()), " takes no ", dtype_name(type));
  }
  TROUPE_RETURN_IF_ERROR(stack->push(context.input(1)));
  context.forward_input(1, 0);
  return absl::OkStatus();
}

absl::Status pop(KernelContext& context, const ElementMemory&) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Stack> stack, input_step_resource<Stack>(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor value, stack->pop());
  if (value.dtype() != context.output_type(0)) {
    return absl::InternalError(absl::StrCat("Output 0 of type ", dtype_name(value.dtype()),
                                            " does not match declared output type ",
                                            dtype_name(context.output_type(0))));
  }
  context.set_output(0, std::move(value));
  return absl::OkStatus();
}

absl::Status close(KernelContext& context, const ElementMemory&) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Stack> stack, input_step_resource<Stack>(context));
  stack->close();
  return absl::OkStatus();
}

}  // namespace

void add_stack_ops(const ElementMemory* memory, const AddElementOp& add) {
  for (std::string v : {"", "V2"}) {
    add({"Stack" + v, nullptr, {}, {"max_size", "handle"}, {}, element_kernel<StackKernel>(memory)});
    add({"StackPush" + v,
         "T",
         {},
         {"handle"},
         {"elem", "output"},
         element_kernel(push, memory, /*cheap=*/true)});
    add({"StackPop" + v, "elem_type", {}, {"handle"}, {"elem"}, element_kernel(pop, memory, /*cheap=*/true)});
    add({"StackClose" + v, nullptr, {}, {"handle"}, {}, element_kernel(close, memory)});
  }
}

}  // namespace troupe
