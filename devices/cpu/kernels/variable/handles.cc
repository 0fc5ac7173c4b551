// Ops about resource handles, memory and file systems, not about what the handles name.
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/variable.h"
#include "devices/kernel_registry.h"

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

/// A handle behind which there is nothing.
absl::Status empty_counter(KernelContext& context) {
  ResourceHandle handle;
  handle.device = context.device()->name();
  handle.container = "localhost";
  handle.name = "no_resource";
  context.set_output(0, handle_tensor(std::move(handle)));
  return absl::OkStatus();
}

/// Pinned memory is memory that a GPU can reach.
absl::Status check_pinned(KernelContext&) {
  return absl::FailedPreconditionError("to check pinnedness, must be built with `--config=cuda`");
}

/// Local files have no settings.
absl::Status configure_file_system(KernelContext& context) {
  const char* const names[] = {"scheme", "key", "value"};
  for (int i = 0; i < 3; ++i) {
    if (is_scalar(context.input(i))) continue;
    return invalid(names[i], " must be scalar, got shape ", context.input(i).shape().to_string());
  }
  const std::string scheme = context.input(0).value<TString>().str();
  if (scheme.empty() || scheme == "file") return absl::UnimplementedError("SetOption");
  return absl::UnimplementedError(
      absl::StrCat("File system scheme '", scheme, "' not found to set configuration"));
}

}  // namespace

void register_variable_handles(KernelRegistry* registry) {
  registry->add(KernelDef("IsResourceHandleRefCounting").fn(is_ref_counting, true));
  registry->add(KernelDef("MakeWeakResourceHandle").fn(make_weak, true));
  registry->add(KernelDef("DisableCopyOnRead").fn(disable_copy_on_read, true));
  registry->add(KernelDef("DummyIterationCounter").fn(empty_counter, true));
  registry->add(KernelDef("CheckPinned").fn(check_pinned, true));
  registry->add(KernelDef("FileSystemSetConfiguration").fn(configure_file_system));
}

}  // namespace troupe
