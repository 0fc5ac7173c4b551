#include "devices/common/variable/variable.h"

#include "absl/strings/str_cat.h"

namespace troupe {

std::string Var::debug_string() const {
  std::shared_lock lock(mu_);
  return absl::StrCat(dtype_name(dtype_), "/", tensor_.shape().to_string());
}

absl::Status check_readable(const Var& var, DataType dtype) {
  if (!var.locked().initialized())
    return absl::FailedPreconditionError("Resource variable is uninitialized.");
  if (var.locked().dtype() != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("Trying to read variable with wrong dtype. Expected ",
                                                   dtype_name(dtype), " got ",
                                                   dtype_name(var.locked().dtype())));
  }
  return absl::OkStatus();
}

absl::Status make_unique(Tensor* tensor, Allocator* allocator) {
  if (tensor->unique() || tensor->num_elements() == 0) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(Tensor copy, Tensor::make(tensor->dtype(), tensor->shape(), allocator));
  copy_elements(*tensor, 0, copy, 0, tensor->num_elements());
  *tensor = std::move(copy);
  return absl::OkStatus();
}

absl::StatusOr<Tensor*> Var::writable(Allocator* allocator) {
  if (!tensor_.initialized()) return absl::FailedPreconditionError("Resource variable is uninitialized.");
  TROUPE_RETURN_IF_ERROR(make_unique(&tensor_, allocator));
  return &tensor_;
}

absl::Status uninitialized_ref(const RefTensor& ref) {
  return absl::FailedPreconditionError(absl::StrCat("Attempting to use uninitialized value ", ref.name));
}

}  // namespace troupe
