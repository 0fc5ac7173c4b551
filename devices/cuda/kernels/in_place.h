#pragma once

#include <vector>

#include "devices/kernel.h"

namespace troupe {

/// What variables of GPUs hold. Those of int32 are on the host, as what they count is needed there.
const std::vector<DataType>& gpu_variable_types();
/// Those that are added to.
const std::vector<DataType>& gpu_sum_types();

/// Makes `t`, in the GPU's memory, the only user of its memory: a copy on the compute stream when it is shared.
absl::Status make_unique_on_gpu(KernelContext& context, Tensor* t);

/// out = a + b, or a - b, on the compute stream. All of one dtype, of gpu_sum_types(), and as many elements; `out` may be a or b.
absl::Status enqueue_sum(KernelContext& context, bool subtract, const Tensor& a, const Tensor& b,
                         Tensor* out);

}  // namespace troupe
