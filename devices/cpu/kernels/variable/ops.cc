// Resource variables: VarHandleOp and the ops that read, assign and update what its handle names.

#include <limits>

#include "absl/strings/str_cat.h"
#include "devices/common/variable/variable.h"
#include "devices/cpu/kernels/variable/update.h"
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

template <bool kSubtract>
class AssignUpdateVariableKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(DataType dtype, c.attr<DataType>("dtype"));
    UpdateLoop loop = update_loop(dtype, kSubtract);
    if (loop == nullptr) return absl::InvalidArgumentError("no addition for dtype " + dtype_name(dtype));
    return std::make_unique<AssignUpdateVariableKernel>(dtype, loop);
  }
  AssignUpdateVariableKernel(DataType dtype, UpdateLoop loop) : dtype_(dtype), loop_(loop) {}

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    const Tensor& value = context.input(1);
    Tensor old;
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
    old = var->locked();
    Tensor now = std::move(old);
    var->set_locked(Tensor());
    absl::Status status = update_tensor(context, loop_, value, &now);
    var->set_locked(std::move(now));
    return status;
  }

 private:
  const DataType dtype_;
  const UpdateLoop loop_;
};

absl::Status var_is_initialized(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  auto found = lookup_handle<Var>(context, *handle);
  if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape()));
  out->flat<bool>()[0] = found.ok() && (*found)->initialized();
  return absl::OkStatus();
}

absl::Status variable_shape(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
  Shape shape;
  {
    std::shared_lock lock(var->mu());
    shape = var->locked().shape();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, Shape{shape.rank()}));
  for (int i = 0; i < shape.rank(); ++i) {
    const size_t k = static_cast<size_t>(i);
    if (context.output_type(0) == DataType::kInt64) {
      out->flat<int64_t>()[k] = shape.dim(i);
    } else if (shape.dim(i) > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Shape output type is 32-bit but dim ", i, " is ", shape.dim(i)));
    } else {
      out->flat<int32_t>()[k] = static_cast<int32_t>(shape.dim(i));
    }
  }
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

/// Returns the value before adding one; OutOfRange once it has reached the limit.
class ResourceCountUpToKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(int64_t limit, c.attr<int64_t>("limit"));
    return std::make_unique<ResourceCountUpToKernel>(limit);
  }
  explicit ResourceCountUpToKernel(int64_t limit) : limit_(limit) {}
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    std::unique_lock lock(var->mu());
    if (var->locked().dtype() != context.output_type(0)) {
      return absl::InvalidArgumentError(absl::StrCat("Trying to count a variable of dtype ",
                                                     dtype_name(var->dtype()), " as ",
                                                     dtype_name(context.output_type(0))));
    }
    Tensor before = var->locked();
    TROUPE_ASSIGN_OR_RETURN(Tensor after, count_up(before, limit_));
    var->set_locked(std::move(after));
    context.set_output(0, std::move(before));
    return absl::OkStatus();
  }
  bool is_expensive() const override { return false; }

 private:
  const int64_t limit_;
};

}  // namespace

void register_variable_ops(KernelRegistry* registry) {
  registry->add(KernelDef("VarHandleOp").kernel<VarHandleKernel>());
  registry->add(KernelDef("_VarHandlesOp").kernel<VarHandlesKernel>());
  registry->add(KernelDef("ReadVariableOp").fn(read_variables, /*cheap=*/true));
  registry->add(KernelDef("_ReadVariablesOp").fn(read_variables, /*cheap=*/true));
  registry->add(KernelDef("AssignVariableOp").kernel<AssignVariableKernel>());
  registry->add(KernelDef("AssignAddVariableOp")
                    .types("dtype", update_dtypes())
                    .kernel<AssignUpdateVariableKernel<false>>());
  registry->add(KernelDef("AssignSubVariableOp")
                    .types("dtype", update_dtypes())
                    .kernel<AssignUpdateVariableKernel<true>>());
  registry->add(KernelDef("VarIsInitializedOp").fn(var_is_initialized, /*cheap=*/true));
  registry->add(KernelDef("VariableShape").fn(variable_shape, /*cheap=*/true));
  registry->add(KernelDef("DestroyResourceOp").fn(destroy_resource, /*cheap=*/true));
  registry->add(KernelDef("ResourceCountUpTo")
                    .types("T", {DataType::kInt32, DataType::kInt64})
                    .kernel<ResourceCountUpToKernel>());
}

}  // namespace troupe
