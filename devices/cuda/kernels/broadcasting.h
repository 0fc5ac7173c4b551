#pragma once

#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "devices/cuda/kernels/broadcast_plan.h"
#include "graph/tensor/shape.h"

namespace troupe {

/// The shape of an element-wise result of operands of shapes `a` and `b`, aligned at the last dimension, where dimensions of 1 repeat.
/// Nothing when they do not fit, or the result would have more than 2^63 elements.
std::optional<Shape> common_shape(const Shape& a, const Shape& b);

/// Fills sizes and strides (kMaxRank for each operand, one operand after the other). False when too many dimensions are left.
bool plan_broadcast(const Shape& out, std::span<const Shape* const> operands, int32_t* rank, int64_t* sizes, int64_t* strides,
                    int max_rank);

/// A plan for operands that broadcast to `out`. Unimplemented when more than kMaxRank dimensions are left after merging.
template <int kOperands>
absl::StatusOr<BroadcastPlan<kOperands>> broadcast_plan(const Shape& out, const Shape* const (&operands)[kOperands]) {
  BroadcastPlan<kOperands> plan;
  if (!plan_broadcast(out, operands, &plan.rank, plan.sizes, plan.strides[0], plan.kMaxRank)) {
    return absl::UnimplementedError("Broadcast to " + out.to_string() + " is not supported yet.");
  }
  return plan;
}

}  // namespace troupe
