#pragma once

#include "absl/container/inlined_vector.h"
#include "devices/kernel.h"

namespace troupe {

using Indices = absl::InlinedVector<int64_t, 8>;

/// Blocks of space that go to the batch, or come from it.
struct BlockPlan {
  /// Per block dimension: its size; and before and behind it the padding, or what is cropped.
  Indices blocks, edges;
  /// Product of `blocks`.
  int64_t product = 1;
  Shape shape;
};

/// What SpaceToBatchND and BatchToSpaceND are asked for by their inputs 1 and 2, which are in the host's memory. InvalidArgument with
/// TensorFlow's words.
absl::StatusOr<BlockPlan> space_to_batch_nd_plan(const KernelContext& context);
absl::StatusOr<BlockPlan> batch_to_space_nd_plan(const KernelContext& context);

/// The same for images and one block size, SpaceToBatch and BatchToSpace: input 1 are the edges.
absl::StatusOr<BlockPlan> space_to_batch_plan(const KernelContext& context, int64_t block);
absl::StatusOr<BlockPlan> batch_to_space_plan(const KernelContext& context, int64_t block);

}  // namespace troupe
