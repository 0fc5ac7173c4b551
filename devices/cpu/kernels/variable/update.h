#pragma once

#include <vector>

#include "devices/kernel.h"

namespace troupe {

/// The dtypes that have a sum.
const std::vector<DataType>& update_dtypes();

/// *target += value, or -= it, in place when nobody shares its memory, else in new memory. Both of one dtype, which has a sum, and shape.
/// Integers wrap.
absl::Status update_tensor(KernelContext& context, bool subtract, const Tensor& value, Tensor* target);

/// A counter plus one. InvalidArgument when it is no integer scalar, OutOfRange "Reached limit of n".
absl::StatusOr<Tensor> count_up(const Tensor& counter, int64_t limit);

}  // namespace troupe
