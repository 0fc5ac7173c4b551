#pragma once

#include "graph/passes/replace.h"

namespace troupe {

/// Puts cheaper nodes in the place of arithmetic that does nothing, or can be had for less: x + 0, x - 0, x * 1, x / 1, casts to the
/// same type, sums of one, operations done twice that undo each other (negations, transposes, ...), transposes that move nothing,
/// reshapes of reshapes, x - (-y), powers that have a name of their own. What remains of nothing is an Identity of the same name,
/// which waits for all that its node waited for. Nodes that `consider` says false of stay. Linear.
absl::StatusOr<PassStats> rewrite_arithmetic(const DeviceCatalog& devices, Draft* draft,
                                             const NodeFilter& consider = nullptr);

}  // namespace troupe
