#pragma once

#include "devices/cuda/kernels/fold_plan.h"
#include "devices/kernel.h"

namespace troupe {

/// Appends an inner dimension to a walk; one of size 1 is left out. Unimplemented for more dimensions than a walk holds.
absl::Status add_dim(FoldWalk* walk, int64_t size, int64_t stride);

/// Sets the counts of a plan whose walks are set, and how it is cut into pieces. Whether elements lie side by side is the result.
bool cut_plan(FoldPlan* plan);

/// Enqueues the kernels `op`_rows, _columns and _pieces of `dtype` (TROUPE_FOLD) that fold x into y, both in the device's memory. Only the
/// walks of `plan` are read. ResourceExhausted where there is no memory for the pieces.
absl::Status enqueue_fold(KernelContext& c, absl::string_view op, DataType dtype, const void* x, void* y,
                          FoldPlan plan, FoldFinish finish = FoldFinish::kNone);

/// What a fold of [outer, channels, inner] keeps per channel: all but the channels are folded.
absl::StatusOr<FoldPlan> plan_of_channels(int64_t outer, int64_t channels, int64_t inner);

}  // namespace troupe
