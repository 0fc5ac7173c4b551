#pragma once

#include <vector>

#include "devices/kernel.h"

namespace troupe {

/// out[i] = a[i] + b[i] or a[i] - b[i]; `out` may be `a`. Integers wrap.
using UpdateLoop = void (*)(void* out, const void* a, const void* b, int64_t n);

/// Null for dtypes without addition.
UpdateLoop update_loop(DataType dtype, bool subtract);
/// The dtypes that have one.
const std::vector<DataType>& update_dtypes();

/// *target += value, in place when nobody shares its memory, else in new memory. Both of one dtype and shape.
absl::Status update_tensor(KernelContext& context, UpdateLoop loop, const Tensor& value, Tensor* target);

/// A counter plus one. InvalidArgument when it is no integer scalar, OutOfRange "Reached limit of n".
absl::StatusOr<Tensor> count_up(const Tensor& counter, int64_t limit);

}  // namespace troupe
