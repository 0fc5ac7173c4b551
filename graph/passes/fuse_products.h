#pragma once

#include "graph/passes/replace.h"

namespace troupe {

/// Makes one node of a product in float (MatMul, Conv2D, DepthwiseConv2dNative, the last two with channels last) and of what is done to
/// its result, where nobody else wants what is between: a bias or an inference-mode FusedBatchNorm, then perhaps a sum with
/// another tensor, then perhaps an activation. The nodes are TensorFlow's: _FusedMatMul, _FusedConv2D, _FusedDepthwiseConv2dNative, with
/// `fused_ops`. The last node of the chain becomes the fused one; it waits for what any of them waited for. A sum with what is
/// declared as a vector counts as a bias, and is marked: attr `_bias_broadcasts`, upon which the kernel takes summands of any
/// shape. Nodes that `consider` says false of stay. Linear.
absl::StatusOr<PassStats> fuse_products(const DeviceCatalog& devices, Draft* draft,
                                        const NodeFilter& consider = nullptr);

}  // namespace troupe
