#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// What a kernel that calls functions says outside sessions: FailedPrecondition.
absl::Status needs_a_session(const KernelContext& context);
/// What If, While and their like take for true: a scalar number other than zero, a scalar string with a byte in it, any other
/// tensor with an element in it. InvalidArgument for scalars of other types.
absl::StatusOr<bool> truth_of(const Tensor& t);

}  // namespace troupe
