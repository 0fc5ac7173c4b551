// Ops about resource handles and memory, not about what the handles name.
#include "devices/cpu/kernels/array_util.h"
#include "devices/cpu/kernels/misc_families.h"
#include "devices/cpu/kernels/variable.h"

namespace troupe {
namespace {

/// Whether the resource lives as long as its handles.
absl::Status is_ref_counting(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  context.set_output(0, Tensor::scalar(handle->anonymous != nullptr));
  return absl::OkStatus();
}

/// The same handle without a claim on the resource: look-ups find it under its name or not at all.
absl::Status make_weak(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  ResourceHandle weak = *handle;
  weak.anonymous = nullptr;
  context.set_output(0, handle_tensor(std::move(weak)));
  return absl::OkStatus();
}

/// Values once read never change here, whether readers copy them or not; only the variable must be there.
absl::Status disable_copy_on_read(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, 0));
  auto found = lookup_handle<Var>(context, *handle);
  if (found.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "Could not find variable ", handle->name, ". This could mean that the variable has been deleted. ",
      "In TF1, it can also mean the variable is uninitialized. Debug info: container=", handle->container,
      ", status error message=", found.status().message()));
}

}  // namespace

void register_handle_kernels(KernelRegistry* registry) {
  registry->add(KernelDef("IsResourceHandleRefCounting").fn(is_ref_counting, true));
  registry->add(KernelDef("MakeWeakResourceHandle").fn(make_weak, true));
  registry->add(KernelDef("DisableCopyOnRead").fn(disable_copy_on_read, true));
}

}  // namespace troupe
