#pragma once

#include "devices/common/variable/resource_access.h"

namespace troupe {

/// Outputs a handle to a resource of this step as output 0, in the kind that the op declares. String handles
/// go by name, so the resource enters the step's container; a resource handle holds the resource itself. T
/// has container() and name().
template <class T>
absl::Status output_step_handle(KernelContext& context, const std::shared_ptr<T>& resource) {
  const DataType type = context.output_type(0);
  // It goes with the step, also where its handle alone holds it.
  context.step().used_step_container.store(true, std::memory_order_relaxed);
  if (type == DataType::kResource) {
    ResourceHandle handle = make_handle<T>(*context.device(), resource->container(), resource->name());
    handle.anonymous = std::static_pointer_cast<Resource>(resource);
    context.set_output(0, handle_tensor(std::move(handle)));
    return absl::OkStatus();
  }
  TROUPE_RETURN_IF_ERROR(
      context.resources()
          .template lookup_or_create<T>(resource->container(), resource->name(),
                                        [&]() -> absl::StatusOr<std::shared_ptr<T>> { return resource; })
          .status());
  std::shared_ptr<RefTensor> ref = make_ref_handle(resource->container(), resource->name());
  if (is_ref(type)) {
    context.set_output_ref(0, std::move(ref));
  } else {
    context.set_output(0, ref->tensor);
  }
  return absl::OkStatus();
}

/// The resource of input 0. NotFound when it is of another step.
template <class T>
absl::StatusOr<std::shared_ptr<T>> input_step_resource(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<T> resource, lookup_resource<T>(context, 0));
  if (resource->container() != context.step().step_container) [[unlikely]] {
    return absl::NotFoundError("Container " + resource->container() +
                               " does not exist. (Could not find resource: " + resource->container() + "/" +
                               resource->name() + ")");
  }
  return resource;
}

}  // namespace troupe
