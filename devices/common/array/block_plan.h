#pragma once

#include <array>

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

/// One of the axes (batch, y, y in the block, x, x in the block, depth) of which SpaceToDepth and DepthToSpace are a permutation: its size and
/// its strides where the blocks are spread over space, and where they lie in the depth.
struct DepthBlockAxis {
  int64_t size, wide, deep;
};

/// What those two are asked for. InvalidArgument with TensorFlow's words.
struct DepthBlockAttrs {
  int64_t block = 0;
  bool channels_last = true;

  static absl::StatusOr<DepthBlockAttrs> make(const KernelConstruction& c, bool to_depth);
  /// Of the output.
  absl::StatusOr<Shape> shape(const Shape& input, bool to_depth) const;
  /// From the outermost of the destination inwards.
  std::array<DepthBlockAxis, 6> axes(const Shape& wide, const Shape& deep, bool to_depth) const;
};

}  // namespace troupe
