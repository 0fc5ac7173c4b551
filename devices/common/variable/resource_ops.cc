// Resource variables: VarHandleOp and the ops that read, assign and update what its handle names.
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "devices/common/array_values.h"
#include "devices/common/variable/variable.h"
#include "devices/common/variable/variable_ops.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// A handle with this shared_name is to a fresh variable each time, which lives as long as its handles.
constexpr const char* kAnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

class VarHandleKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(std::string container, c.attr<std::string>("container"));
    TROUPE_ASSIGN_OR_RETURN(std::string name, c.attr<std::string>("shared_name"));
    TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("dtype"));
    auto kernel = std::make_unique<VarHandleKernel>();
    kernel->dtype_ = dtype;
    kernel->anonymous_ = name == kAnonymousName;
    if (container.empty()) container = c.device()->resources().default_container();
    ResourceHandle handle = make_handle<Var>(*c.device(), std::move(container), std::move(name));
    handle.dtypes_and_shapes.push_back({dtype, c.node().attrs.get_or<PartialShape>("shape", PartialShape())});
    kernel->handle_ = handle_tensor(std::move(handle));
    return kernel;
  }
  absl::Status compute(KernelContext& context) override {
    if (!anonymous_) {
      context.set_output(0, handle_);
      return absl::OkStatus();
    }
    ResourceHandle handle = handle_.value<ResourceHandle>();
    std::shared_ptr<Resource> var = std::make_shared<Var>(dtype_);
    handle.anonymous = std::move(var);
    context.set_output(0, handle_tensor(std::move(handle)));
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  DataType dtype_ = DataType::kInvalid;
  bool anonymous_ = false;
  Tensor handle_;
};

/// Several variables' handles from one node.
class VarHandlesKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(auto containers, c.attr<std::vector<std::string>>("containers"));
    TROUPE_ASSIGN_OR_RETURN(auto names, c.attr<std::vector<std::string>>("shared_names"));
    TROUPE_ASSIGN_OR_RETURN(auto dtypes, c.attr<std::vector<DataType>>("dtypes"));
    TROUPE_ASSIGN_OR_RETURN(auto shapes, c.attr<std::vector<PartialShape>>("shapes"));
    const size_t n = static_cast<size_t>(c.num_outputs());
    if (containers.size() != n || names.size() != n || dtypes.size() != n || shapes.size() != n) {
      return absl::InvalidArgumentError(
          absl::StrCat("containers, shared_names, dtypes and shapes must have ", n, " elements each"));
    }
    auto kernel = std::make_unique<VarHandlesKernel>();
    for (size_t i = 0; i < n; ++i) {
      if (containers[i].empty()) containers[i] = c.device()->resources().default_container();
      ResourceHandle handle = make_handle<Var>(*c.device(), containers[i], names[i]);
      handle.dtypes_and_shapes.push_back({dtypes[i], shapes[i]});
      kernel->handles_.push_back(handle_tensor(std::move(handle)));
    }
    return kernel;
  }
  absl::Status compute(KernelContext& context) override {
    for (size_t i = 0; i < handles_.size(); ++i) context.set_output(static_cast<int>(i), handles_[i]);
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  std::vector<Tensor> handles_;
};

absl::Status read_into(KernelContext& context, int i) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, i));
  auto found = lookup_handle<Var>(context, *handle);
  if (!found.ok()) [[unlikely]] {
    if (!absl::IsNotFound(found.status())) return found.status();
    return absl::FailedPreconditionError(absl::StrCat(
        "Could not find variable ", handle->name, ". This could mean that the variable has been deleted. ",
        "In TF1, it can also mean the variable is uninitialized. Debug info: container=", handle->container,
        ", status error message=", found.status().message()));
  }
  Tensor value = (*found)->snapshot();
  if (!value.initialized()) [[unlikely]] {
    return absl::FailedPreconditionError(absl::StrCat("Variable ", handle->name, " is uninitialized."));
  }
  if (value.dtype() != context.output_type(i)) [[unlikely]] {
    return absl::InvalidArgumentError(absl::StrCat("Trying to read variable with wrong dtype. Expected ",
                                                   dtype_name(context.output_type(i)), " got ",
                                                   dtype_name(value.dtype())));
  }
  context.set_output(i, std::move(value));
  return absl::OkStatus();
}

absl::Status read_variables(KernelContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) TROUPE_RETURN_IF_ERROR(read_into(context, i));
  return absl::OkStatus();
}

class AssignVariableKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("dtype"));
    return std::make_unique<AssignVariableKernel>(dtype,
                                                  c.node().attrs.get_or<bool>("validate_shape", false));
  }
  AssignVariableKernel(DataType dtype, bool validate_shape)
      : dtype_(dtype), validate_shape_(validate_shape) {}

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
    std::shared_ptr<Var> var;
    if (handle->anonymous != nullptr) {
      TROUPE_ASSIGN_OR_RETURN(var, lookup_handle<Var>(context, *handle));
    } else if (handle->hash_code != ResourceManager::type_hash<Var>()) {
      return internal::wrong_resource_type(*handle, Var::kTypeName);
    } else {
      DataType dtype = dtype_;
      auto make = [dtype]() -> absl::StatusOr<std::shared_ptr<Var>> { return std::make_shared<Var>(dtype); };
      TROUPE_ASSIGN_OR_RETURN(
          var, context.resources().lookup_or_create<Var>(handle->container, handle->name, make));
    }
    if (var->dtype() != dtype_) {
      return absl::InvalidArgumentError(absl::StrCat("Trying to assign variable with wrong dtype. Expected ",
                                                     dtype_name(var->dtype()), " got ", dtype_name(dtype_)));
    }
    Tensor value = context.take_input(1);
    Tensor old;  // freed outside the lock
    std::unique_lock lock(var->mu());
    if (validate_shape_ && var->locked().initialized() && !(var->locked().shape() == value.shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Trying to assign to variable with tensor with wrong shape. Expected ",
                       var->locked().shape().to_string(), " got ", value.shape().to_string()));
    }
    old = var->locked();
    var->set_locked(std::move(value));
    lock.unlock();
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const DataType dtype_;
  const bool validate_shape_;
};

/// The value plus or minus the input.
class AssignUpdateVariableKernel final : public Kernel {
 public:
  AssignUpdateVariableKernel(DataType dtype, VariableDevice::Update update, bool subtract)
      : dtype_(dtype), update_(update), subtract_(subtract) {}

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    const Tensor& value = context.input(1);
    std::unique_lock lock(var->mu());
    if (!var->locked().initialized()) {
      return absl::FailedPreconditionError("Resource variable is uninitialized.");
    }
    if (var->dtype() != dtype_) {
      return absl::InvalidArgumentError(absl::StrCat("Trying to update variable of dtype ",
                                                     dtype_name(var->dtype()), " using a Tensor of dtype ",
                                                     dtype_name(dtype_)));
    }
    if (!(var->locked().shape() == value.shape())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Cannot update variable with shape ", var->locked().shape().to_string(),
                       " using a Tensor with shape ", value.shape().to_string(), ", shapes must be equal."));
    }
    return update_(context, subtract_, value, var->locked_for_writing());
  }

 private:
  const DataType dtype_;
  const VariableDevice::Update update_;
  const bool subtract_;
};

absl::Status var_is_initialized(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  auto found = lookup_handle<Var>(context, *handle);
  if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
  context.set_output(0, Tensor::scalar(found.ok() && (*found)->initialized()));
  return absl::OkStatus();
}

absl::Status variable_shape(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
  Shape shape;
  {
    std::shared_lock lock(var->mu());
    shape = var->locked().shape();
  }
  Tensor out(context.output_type(0), Shape{shape.rank()});
  for (int i = 0; i < shape.rank(); ++i) {
    if (out.dtype() == DataType::kInt32 && shape.dim(i) > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape output type is 32-bit but dim ", i, " is ", shape.dim(i)));
    }
    set_int(&out, i, shape.dim(i));
  }
  context.set_output(0, std::move(out));
  return absl::OkStatus();
}

absl::Status destroy_resource(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  if (handle->anonymous != nullptr) return absl::OkStatus();  // goes with its last handle
  absl::Status status = context.resources().remove(*handle);
  if (absl::IsNotFound(status) && context.node().attrs.get_or<bool>("ignore_lookup_error", true)) {
    return absl::OkStatus();
  }
  return status;
}

}  // namespace

void register_resource_variable_kernels(KernelRegistry* registry, const VariableDevice& device) {
  auto def = [&](const char* op, std::vector<std::string> host_args) {
    return device.def(op, std::move(host_args));
  };
  auto typed = [&](const char* op, const std::vector<DataType>& types, std::vector<std::string> host_args) {
    KernelDef d = def(op, std::move(host_args));
    if (!types.empty()) d.constraints.emplace_back("dtype", types);
    return d;
  };
  registry->add(typed("VarHandleOp", device.types, {"resource"}).kernel<VarHandleKernel>());
  registry->add(def("_VarHandlesOp", {"resources"}).kernel<VarHandlesKernel>());
  registry->add(typed("ReadVariableOp", device.types, {"resource"}).fn(read_variables, /*cheap=*/true));
  registry->add(def("_ReadVariablesOp", {"resources"}).fn(read_variables, /*cheap=*/true));
  registry->add(typed("AssignVariableOp", device.types, {"resource"}).kernel<AssignVariableKernel>());
  for (const bool subtract : {false, true}) {
    KernelDef update =
        typed(subtract ? "AssignSubVariableOp" : "AssignAddVariableOp", device.sums, {"resource"});
    update.factory = [subtract, update = device.update](
                         const KernelConstruction& c) -> absl::StatusOr<std::unique_ptr<Kernel>> {
      TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("dtype"));
      return std::make_unique<AssignUpdateVariableKernel>(dtype, update, subtract);
    };
    registry->add(std::move(update));
  }
  registry->add(
      def("VarIsInitializedOp", {"resource", "is_initialized"}).fn(var_is_initialized, /*cheap=*/true));
  registry->add(def("VariableShape", {"input", "output"}).fn(variable_shape, /*cheap=*/true));
  registry->add(def("DestroyResourceOp", {"resource"}).fn(destroy_resource, /*cheap=*/true));
}

}  // namespace troupe
