// Blocks of space: SpaceToBatch, BatchToSpace, SpaceToDepth, DepthToSpace.
#include <algorithm>

#include "devices/common/array/block_kernels.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

/// `image` has the blocks in space, `blocked` in the batch. Block dimensions that neither cut nor pad go to the batch, before the others,
/// or to what is inside them.
BlockAxes block_axes(const BlockPlan& plan, const Shape& image, const Shape& blocked) {
  const int n = static_cast<int>(plan.blocks.size());
  auto idle = [&](int i) {
    return plan.blocks[i] == 1 && plan.edges[2 * i] == 0 && plan.edges[2 * i + 1] == 0;
  };
  int begin = 0, end = n;
  while (begin < end && idle(begin)) ++begin;
  while (end > begin && idle(end - 1)) --end;
  BlockAxes axes = {};
  axes.batch = count_dims(image, 0, 1 + begin);
  axes.inner = count_dims(image, 1 + end, image.rank());
  // The plan has checked that no more dimensions are left.
  for (int i = begin; i < end; ++i) {
    axes.blocks[axes.rank] = plan.blocks[i];
    axes.edges[axes.rank] = plan.edges[2 * i];
    axes.image[axes.rank] = image.dim(1 + i);
    axes.blocked[axes.rank++] = blocked.dim(1 + i);
  }
  return axes;
}

absl::Status move_blocks(KernelContext& context, const BlockPlan& plan, bool to_batch) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  if (input.num_elements() == 0) return enqueue_zeros(context, out);
  BlockAxes axes = to_batch ? block_axes(plan, input.shape(), out->shape())
                            : block_axes(plan, out->shape(), input.shape());
  const WideRuns wide = widest_runs(input.dtype(), axes.inner, {input.raw(), out->raw()});
  const int64_t n = out->num_elements() / axes.inner * wide.run;
  axes.inner = wide.run;
  const char* kernel = to_batch ? "space_to_batch" : "batch_to_space";
  return enqueue(context, by_size(kernel, wide.element), n, axes, input.raw(), out->raw(), n);
}

}  // namespace

void register_cuda_array_block(KernelRegistry* registry) {
  auto def = [](const char* op) { return KernelDef(op).device("GPU").types("T", gpu_types_and_int32()); };
  registry->add(def("SpaceToBatch").host_memory({"paddings"}).kernel<ImageBlocks<true, move_blocks>>());
  registry->add(def("BatchToSpace").host_memory({"crops"}).kernel<ImageBlocks<false, move_blocks>>());
  registry->add(
      def("SpaceToBatchND").host_memory({"block_shape", "paddings"}).fn(move_blocks_nd<true, move_blocks>));
  registry->add(
      def("BatchToSpaceND").host_memory({"block_shape", "crops"}).fn(move_blocks_nd<false, move_blocks>));
  registry->add(def("SpaceToDepth").kernel<DepthBlocks<true, enqueue_axes>>());
  registry->add(def("DepthToSpace").kernel<DepthBlocks<false, enqueue_axes>>());
}

}  // namespace troupe
