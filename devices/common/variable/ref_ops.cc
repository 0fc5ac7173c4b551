// Ref variables: VariableV2, temporary variables, and the ops on references.
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "devices/common/variable/resource_access.h"
#include "devices/common/variable/variable.h"
#include "devices/common/variable/variable_ops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// A ref variable as the resource manager holds it.
class RefVariable final : public Resource {
 public:
  static constexpr const char* kTypeName = "N10tensorflow9LegacyVarE";

  RefVariable(std::string name, DataType dtype, const PartialShape& shape)
      : dtype_(dtype), value_(std::make_shared<RefTensor>()) {
    value_->name = std::move(name);
    // No memory yet, but a dtype and a shape, which the first assignment must match.
    if (auto s = shape.to_shape()) value_->tensor = Tensor(dtype, *s, static_cast<Buffer*>(nullptr));
  }
  std::string type_name() const override { return kTypeName; }
  DataType dtype() const { return dtype_; }
  const std::shared_ptr<RefTensor>& value() const { return value_; }

 private:
  const DataType dtype_;
  const std::shared_ptr<RefTensor> value_;
};

class VariableKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("dtype", &dtype_)("shape", &shape_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(name_, resolve_resource_name(c, UnnamedResource::kNodeName));
    node_name_ = c.name();
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    auto make = [this]() -> absl::StatusOr<std::shared_ptr<RefVariable>> {
      return std::make_shared<RefVariable>(node_name_, dtype_, shape_);
    };
    // Looked up each time: a reset may have dropped it.
    TROUPE_ASSIGN_OR_RETURN(
        auto var, context.resources().lookup_or_create<RefVariable>(name_.container, name_.name, make));
    if (var->dtype() != dtype_) {
      return absl::InvalidArgumentError(absl::StrCat("Variable ", name_.name, " has dtype ",
                                                     dtype_name(var->dtype()), " but ", dtype_name(dtype_),
                                                     " was requested"));
    }
    context.set_output_ref(0, var->value());
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  ResourceName name_;
  DataType dtype_ = DataType::kInvalid;
  PartialShape shape_;
  std::string node_name_;
};

/// A variable of one step, in the step's container.
class TemporaryResource final : public Resource {
 public:
  static constexpr const char* kTypeName = "TemporaryVariable";
  explicit TemporaryResource(std::shared_ptr<RefTensor> v) : value(std::move(v)) {}
  std::string type_name() const override { return kTypeName; }
  const std::shared_ptr<RefTensor> value;
};

std::string temporary_name(const std::string& var_name, const KernelContext& context) {
  return absl::StrCat(var_name, "/frame:", context.frame_id, "/iter:", context.iteration);
}

class TemporaryVariableKernel final : public Kernel {
 public:
  explicit TemporaryVariableKernel(VariableDevice::Zero zero) : zero_(zero) {}
  void attributes(AttrReader& a) { a("var_name", &var_name_)("dtype", &dtype_); }
  absl::Status init(const KernelConstruction& c) {
    if (var_name_.empty()) var_name_ = c.name();
    TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.attr<PartialShape>("shape"));
    auto known = shape.to_shape();
    if (!known) {
      return absl::InvalidArgumentError("TemporaryVariable needs a known shape, got " + shape.to_string());
    }
    shape_ = *known;
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    auto ref = std::make_shared<RefTensor>();
    ref->name = var_name_;
    TROUPE_ASSIGN_OR_RETURN(ref->tensor, context.allocate_temp(dtype_, shape_));
    if (is_trivial(dtype_)) TROUPE_RETURN_IF_ERROR(zero_(context, &ref->tensor));
    context.step().used_step_container.store(true, std::memory_order_relaxed);
    TROUPE_RETURN_IF_ERROR(context.resources().create(context.step().step_container,
                                                      temporary_name(var_name_, context),
                                                      std::make_shared<TemporaryResource>(ref)));
    context.set_output_ref(0, std::move(ref));
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const VariableDevice::Zero zero_;
  std::string var_name_;
  DataType dtype_ = DataType::kInvalid;
  Shape shape_;
};

/// The final value of a temporary variable, which ends with it.
class DestroyTemporaryVariableKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string name, c.attr<std::string>("var_name"));
    return std::make_unique<DestroyTemporaryVariableKernel>(std::move(name));
  }
  explicit DestroyTemporaryVariableKernel(std::string name) : var_name_(std::move(name)) {}
  absl::Status compute(KernelContext& context) override {
    Tensor value;
    {
      RefTensor& ref = *context.input_ref(0);
      std::lock_guard lock(ref.mu);
      value = std::exchange(ref.tensor, Tensor());
    }
    context.set_output(0, std::move(value));
    return context.resources().remove<TemporaryResource>(context.step().step_container,
                                                         temporary_name(var_name_, context));
  }
  bool is_expensive() const override { return false; }

 private:
  const std::string var_name_;
};

absl::Status is_variable_initialized(KernelContext& context) {
  bool initialized = false;
  {
    RefTensor& ref = *context.input_ref(0);
    std::lock_guard lock(ref.mu);
    initialized = ref.tensor.initialized();
  }
  context.set_output(0, Tensor::scalar(initialized));
  return absl::OkStatus();
}

class AssignKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(bool validate, c.attr<bool>("validate_shape"));
    return std::make_unique<AssignKernel>(validate);
  }
  explicit AssignKernel(bool validate_shape) : validate_shape_(validate_shape) {}
  absl::Status compute(KernelContext& context) override {
    Tensor value = context.take_input(1);
    {
      RefTensor& ref = *context.input_ref(0);
      std::lock_guard lock(ref.mu);
      // dtype kInvalid: neither a value nor a declared shape yet.
      if (validate_shape_ && ref.tensor.dtype() != DataType::kInvalid &&
          !(ref.tensor.shape() == value.shape())) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Assign requires shapes of both tensors to match. lhs shape= ", ref.tensor.shape().to_string(),
            " rhs shape= ", value.shape().to_string()));
      }
      std::swap(ref.tensor, value);
    }
    context.forward_input(0, 0);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const bool validate_shape_;
};

/// The value plus or minus the input.
class AssignUpdateKernel final : public Kernel {
 public:
  AssignUpdateKernel(VariableDevice::Update update, bool subtract) : update_(update), subtract_(subtract) {}
  absl::Status compute(KernelContext& context) override {
    const Tensor& value = context.input(1);
    {
      RefTensor& ref = *context.input_ref(0);
      std::lock_guard lock(ref.mu);
      if (!ref.tensor.initialized()) return uninitialized_ref(ref);
      if (ref.tensor.dtype() != value.dtype() || !(ref.tensor.shape() == value.shape())) {
        return absl::InvalidArgumentError("Parameters and update must be the same size");
      }
      TROUPE_RETURN_IF_ERROR(update_(context, subtract_, value, &ref.tensor));
    }
    context.forward_input(0, 0);
    return absl::OkStatus();
  }

 private:
  const VariableDevice::Update update_;
  const bool subtract_;
};

}  // namespace

void register_ref_variable_kernels(KernelRegistry* registry, const VariableDevice& device) {
  auto typed = [&](const char* op, const char* attr, const std::vector<DataType>& types,
                   std::vector<std::string> host_args = {}) {
    KernelDef d = device.def(op, std::move(host_args));
    if (!types.empty()) d.constraints.emplace_back(attr, types);
    return d;
  };
  for (const char* op : {"Variable", "VariableV2"})
    registry->add(typed(op, "dtype", device.types).kernel<VariableKernel>());
  KernelDef temporary = typed("TemporaryVariable", "dtype", device.types);
  temporary.factory =
      [zero = device.zero](const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    auto kernel = std::make_unique<TemporaryVariableKernel>(zero);
    TROUPE_RETURN_IF_ERROR(make_ready(c, kernel.get()));
    return kernel;
  };
  registry->add(std::move(temporary));
  registry->add(
      typed("DestroyTemporaryVariable", "T", device.types).kernel<DestroyTemporaryVariableKernel>());
  registry->add(typed("IsVariableInitialized", "dtype", device.types, {"is_initialized"})
                    .fn(is_variable_initialized, /*cheap=*/true));
  registry->add(typed("Assign", "T", device.types).kernel<AssignKernel>());
  for (const bool subtract : {false, true}) {
    KernelDef update = typed(subtract ? "AssignSub" : "AssignAdd", "T", device.sums);
    update.factory = [subtract, update = device.update](
                         const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
      return std::make_unique<AssignUpdateKernel>(update, subtract);
    };
    registry->add(std::move(update));
  }
}

}  // namespace troupe
