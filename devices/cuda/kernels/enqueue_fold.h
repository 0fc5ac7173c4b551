#pragma once

#include <string>

#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/fold_plan.h"

namespace troupe {

/// Appends an inner dimension to a walk; one of size 1 is left out. Unimplemented for more dimensions than a walk holds.
absl::Status add_dim(FoldWalk* walk, int64_t size, int64_t stride);

/// What a fold of [outer, channels, inner] keeps per channel: all but the channels are folded.
absl::StatusOr<FoldPlan> plan_of_channels(int64_t outer, int64_t channels, int64_t inner);

/// Sets the counts of a plan whose walks are set, and how it is cut into pieces. Whether a block folds a piece, or a thread.
bool cut_plan(FoldPlan* plan);

/// The kernels of a fold: where a block folds a piece, where a thread does, and for the pieces of all outputs.
struct FoldKernels {
  std::string rows, columns, pieces;
};

/// Enqueues a fold of `inputs` into y, all in the device's memory; its kernels take (inputs..., accumulators, y, plan, finish), the last
/// of them as TROUPE_FOLD says. Only the walks of `plan` are read. ResourceExhausted where there is no memory for the pieces.
template <class... Inputs>
absl::Status enqueue_fold_of(KernelContext& c, const FoldKernels& kernels, void* y, FoldPlan plan,
                             FoldFinish finish, Inputs... inputs) {
  const bool rows = cut_plan(&plan);
  const int64_t num_pieces = plan.outputs * plan.chunks;
  Tensor pieces;
  if (plan.chunks > 1) {
    // No accumulator is larger than 16 bytes.
    TROUPE_ASSIGN_OR_RETURN(pieces, c.allocate_temp(DataType::kComplex128, Shape{num_pieces}));
  }
  void* p = pieces.raw();
  TROUPE_RETURN_IF_ERROR(rows ? enqueue_blocks(c, kernels.rows, num_pieces, inputs..., p, y, plan, finish)
                              : enqueue(c, kernels.columns, num_pieces, inputs..., p, y, plan, finish));
  if (plan.chunks == 1) return absl::OkStatus();
  return enqueue_blocks(c, kernels.pieces, plan.outputs, p, y, plan.outputs, plan.chunks, plan.count, finish);
}

/// The same with the kernels `op`_rows, _columns and _pieces of `dtype`, of one input.
absl::Status enqueue_fold(KernelContext& c, absl::string_view op, DataType dtype, const void* x, void* y,
                          const FoldPlan& plan, FoldFinish finish = FoldFinish::kNone);

}  // namespace troupe
