// Blocks of space: SpaceToBatch, BatchToSpace, SpaceToDepth, DepthToSpace.
#include <algorithm>

#include "devices/common/array/block_plan.h"
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

absl::Status move_blocks(KernelContext& context, absl::string_view kernel, const BlockPlan& plan,
                         bool to_batch) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  if (input.num_elements() == 0) return enqueue_zeros(context, out);
  BlockAxes axes = to_batch ? block_axes(plan, input.shape(), out->shape())
                            : block_axes(plan, out->shape(), input.shape());
  const WideRuns wide = widest_runs(input.dtype(), axes.inner, {input.raw(), out->raw()});
  const int64_t n = out->num_elements() / axes.inner * wide.run;
  axes.inner = wide.run;
  return enqueue(context, by_size(kernel, wide.element), n, axes, input.raw(), out->raw(), n);
}

absl::Status space_to_batch_nd(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(BlockPlan plan, space_to_batch_nd_plan(context));
  return move_blocks(context, "space_to_batch", plan, true);
}

absl::Status batch_to_space_nd(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(BlockPlan plan, batch_to_space_nd_plan(context));
  return move_blocks(context, "batch_to_space", plan, false);
}

/// SpaceToBatch and BatchToSpace: images and one block size.
template <bool kToBatch>
class ImageBlocks final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("block_size", &block_); }
  absl::Status init(const KernelConstruction&) {
    if (block_ <= 1) return invalid("Block size should be > 1: ", block_);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(BlockPlan plan, kToBatch ? space_to_batch_plan(context, block_)
                                                     : batch_to_space_plan(context, block_));
    return move_blocks(context, kToBatch ? "space_to_batch" : "batch_to_space", plan, kToBatch);
  }

 private:
  int64_t block_ = 0;
};

/// SpaceToDepth and DepthToSpace, channels last or first.
template <bool kToDepth>
class DepthBlocks final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, DepthBlockAttrs::make(c, kToDepth));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(Shape shape, attrs_.shape(input.shape(), kToDepth));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    const Shape& wide = kToDepth ? input.shape() : shape;
    const Shape& deep = kToDepth ? shape : input.shape();
    StridedCopy copy;
    for (const DepthBlockAxis& a : attrs_.axes(wide, deep, kToDepth)) {
      copy.add(a.size, kToDepth ? a.wide : a.deep, kToDepth ? a.deep : a.wide);
    }
    return copy.enqueue(context, input.dtype(), input.raw(), out->raw());
  }

 private:
  DepthBlockAttrs attrs_;
};

}  // namespace

void register_cuda_array_block(KernelRegistry* registry) {
  auto def = [](const char* op) { return KernelDef(op).device("GPU").types("T", gpu_types_and_int32()); };
  registry->add(def("SpaceToBatch").host_memory({"paddings"}).kernel<ImageBlocks<true>>());
  registry->add(def("BatchToSpace").host_memory({"crops"}).kernel<ImageBlocks<false>>());
  registry->add(def("SpaceToBatchND").host_memory({"block_shape", "paddings"}).fn(space_to_batch_nd));
  registry->add(def("BatchToSpaceND").host_memory({"block_shape", "crops"}).fn(batch_to_space_nd));
  registry->add(def("SpaceToDepth").kernel<DepthBlocks<true>>());
  registry->add(def("DepthToSpace").kernel<DepthBlocks<false>>());
}

}  // namespace troupe
