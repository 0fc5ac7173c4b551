#pragma once

#include "devices/kernel.h"

namespace troupe {

/// Puts `updates` to where `indices` say in `target`, all in the GPU's memory: shapes are checked. `op`: assign, add, sub, max or min. What is
/// out of range is passed over; of several updates of one place, assign leaves any; sums of floats come in any order.
absl::Status enqueue_scatter_nd(KernelContext& context, absl::string_view op, const Tensor& indices,
                                const Tensor& updates, Tensor* target);

}  // namespace troupe
