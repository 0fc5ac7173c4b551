#pragma once

#include "devices/common/matmul/fused_steps.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/libraries/product_library.h"

namespace troupe {

/// Enqueues what `steps` ask to be done to `output` (channels last, or second), with inputs from `first` on as arguments, which have its
/// dtype; then makes it output 0. In place, unless a summand makes it larger, which takes channels last. InvalidArgument, in the words
/// of the ops, when an argument has another shape than that asks for.
absl::Status enqueue_fused_steps(KernelContext& context, const FusedSteps& steps, int first,
                                 bool channels_last, Tensor output);

/// The steps as a library may do them with a product of n columns; none where it cannot do all of them.
ProductEnd product_end(const KernelContext& context, const FusedSteps& steps, int first, int64_t n);

}  // namespace troupe
