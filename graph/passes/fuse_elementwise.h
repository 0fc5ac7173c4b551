#pragma once

#include "graph/passes/replace.h"

namespace troupe {

/// Makes one node, a _FusedElementwise, of element-wise operations on floats or doubles of which each but the last is used by one other
/// of them alone, so that their results need not be stored: the kernel goes through them block by block. The last node becomes the
/// fused one; it waits for what any of them waited for. Shapes do not matter: where they are not all alike the kernel does
/// as the single nodes would. At most kMostFusedSteps become one. Nodes that `consider` says false of stay. Linear.
absl::StatusOr<PassStats> fuse_elementwise(const DeviceCatalog& devices, Draft* draft,
                                           const NodeFilter& consider = nullptr);

inline constexpr int kMostFusedSteps = 24;

}  // namespace troupe
