#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "devices/kernel.h"
#include "devices/resource_manager.h"

namespace troupe {

/// Where the resource of a node lives: attrs `container` and `shared_name` resolved.
struct ResourceName {
  std::string container;
  std::string name;
  /// Nobody else can name it: it goes away with its kernel.
  bool is_private = false;
};

/// What stands in for an empty `shared_name`.
enum class UnnamedResource {
  /// The node's name: variables and stages.
  kNodeName,
  /// "_<number>_<node name>", a private resource: queues, tables, barriers.
  kPrivate,
};

/// Resolves the name. InvalidArgument for a container that is no name, or a shared_name that begins with '_'.
absl::StatusOr<ResourceName> resolve_resource_name(const KernelConstruction& construction,
                                                   UnnamedResource unnamed);

/// The handle in input i. InvalidArgument when it is no scalar, or names another device's resource.
absl::StatusOr<const ResourceHandle*> input_handle(const KernelContext& context, int i);

/// Container and name in a v1 handle, a Ref(string) of two elements. InvalidArgument when it is none.
absl::StatusOr<std::pair<std::string, std::string>> input_ref_handle(const KernelContext& context, int i);

namespace internal {
absl::Status wrong_resource_type(const ResourceHandle& handle, const char* expected);
}  // namespace internal

/// The resource behind a handle. NotFound when there is none, InvalidArgument when the handle is of another type.
template <class T>
absl::StatusOr<std::shared_ptr<T>> lookup_handle(const KernelContext& context, const ResourceHandle& handle) {
  if (handle.hash_code != ResourceManager::type_hash<T>()) [[unlikely]] {
    return internal::wrong_resource_type(handle, T::kTypeName);
  }
  if (handle.anonymous != nullptr) {
    return std::static_pointer_cast<T>(std::static_pointer_cast<Resource>(handle.anonymous));
  }
  return context.resources().lookup<T>(handle.container, handle.name);
}

/// The resource that input i names, through a resource handle or a v1 one.
template <class T>
absl::StatusOr<std::shared_ptr<T>> lookup_resource(const KernelContext& context, int i) {
  if (context.input_type(i) == DataType::kResource) {
    TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, i));
    return lookup_handle<T>(context, *handle);
  }
  TROUPE_ASSIGN_OR_RETURN(auto name, input_ref_handle(context, i));
  return context.resources().lookup<T>(name.first, name.second);
}

/// A handle to a T of that name on `device`.
template <class T>
ResourceHandle make_handle(const Device& device, std::string container, std::string name) {
  ResourceHandle h;
  h.device = device.name();
  h.container = std::move(container);
  h.name = std::move(name);
  h.hash_code = ResourceManager::type_hash<T>();
  h.maybe_type_name = T::kTypeName;
  return h;
}

/// What handles of variables say that they are to: mangled, as TensorFlow's are.
inline constexpr const char* kVariableTypeName = "N10tensorflow3VarE";

/// A scalar resource tensor.
Tensor handle_tensor(ResourceHandle handle);
/// A v1 handle.
std::shared_ptr<RefTensor> make_ref_handle(const std::string& container, const std::string& name);

/// A kernel that makes a resource on its first run, or finds the one that others share under the name, and outputs
/// its handle. A private resource dies with the kernel. Serves both handle kinds: the output's type tells.
template <class T>
class ResourceKernel : public Kernel {
 public:
  ~ResourceKernel() override {
    if (name_.is_private && !resource_.expired()) {
      (void)device_->resources().template remove<T>(name_.container, name_.name);
    }
  }
  absl::Status compute(KernelContext& context) final {
    Tensor handle;
    std::shared_ptr<RefTensor> ref;
    {
      std::lock_guard lock(mu_);
      if (resource_.expired()) {
        TROUPE_ASSIGN_OR_RETURN(auto found,
                                device_->resources().template lookup_or_create<T>(
                                    name_.container, name_.name, [&] { return make(context.allocator()); }));
        TROUPE_RETURN_IF_ERROR(verify(*found));
        resource_ = found;
        if (is_ref(context.output_type(0))) {
          ref_ = make_ref_handle(name_.container, name_.name);
        } else {
          handle_ = handle_tensor(make_handle<T>(*device_, name_.container, name_.name));
        }
      }
      handle = handle_;
      ref = ref_;
    }
    if (ref != nullptr) {
      context.set_output_ref(0, std::move(ref));
    } else {
      context.set_output(0, std::move(handle));
    }
    return absl::OkStatus();
  }
  bool is_expensive() const final { return false; }

 protected:
  ResourceKernel(const KernelConstruction& construction, ResourceName name)
      : device_(construction.device()), name_(std::move(name)) {}

  /// Runs under the resource manager's lock.
  virtual absl::StatusOr<std::shared_ptr<T>> make(Allocator* allocator) = 0;
  /// InvalidArgument when a resource found under the name is not what this node describes.
  virtual absl::Status verify(const T& found) const {
    (void)found;
    return absl::OkStatus();
  }

  Device* const device_;
  const ResourceName name_;

 private:
  std::mutex mu_;
  // Guarded by mu_.
  std::weak_ptr<T> resource_;
  Tensor handle_;
  std::shared_ptr<RefTensor> ref_;
};

}  // namespace troupe
