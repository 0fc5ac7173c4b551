#pragma once

#include "devices/common/array/block_plan.h"
#include "devices/common/array/box_copy.h"
#include "devices/common/array_values.h"
#include "devices/kernel_attrs.h"

namespace troupe {

/// How a type of devices moves blocks of space to the batch, or from it: allocates output 0 as the plan says, and fills it from input 0.
using BlockMove = absl::Status (*)(KernelContext& context, const BlockPlan& plan, bool to_batch);

/// SpaceToBatchND and BatchToSpaceND.
template <bool kToBatch, BlockMove kMove>
absl::Status move_blocks_nd(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(const BlockPlan plan,
                          kToBatch ? space_to_batch_nd_plan(context) : batch_to_space_nd_plan(context));
  return kMove(context, plan, kToBatch);
}

/// SpaceToBatch and BatchToSpace: images and one block size.
template <bool kToBatch, BlockMove kMove>
class ImageBlocks final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("block_size", &block_); }
  absl::Status init(const KernelConstruction&) {
    if (block_ <= 1) return invalid("Block size should be > 1: ", block_);
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(const BlockPlan plan, kToBatch ? space_to_batch_plan(context, block_)
                                                           : batch_to_space_plan(context, block_));
    return kMove(context, plan, kToBatch);
  }

 private:
  int64_t block_ = 0;
};

/// SpaceToDepth and DepthToSpace, channels last or first (which TensorFlow's CPU lacks).
absl::Status move_depth_blocks(KernelContext& context, const DepthBlockAttrs& attrs, bool to_depth,
                               BoxCopy copy);

template <bool kToDepth, BoxCopy kCopy>
class DepthBlocks final : public Kernel {
 public:
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(attrs_, DepthBlockAttrs::make(c, kToDepth));
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    return move_depth_blocks(context, attrs_, kToDepth, kCopy);
  }

 private:
  DepthBlockAttrs attrs_;
};

}  // namespace troupe
