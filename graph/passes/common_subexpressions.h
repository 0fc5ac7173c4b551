#pragma once

#include "graph/passes/pass.h"

namespace troupe {

/// Of nodes that compute the same (op, attrs, device, inputs, control inputs) keeps the first; the others' consumers use it.
/// The inputs of a commutative op may come in any order. Stateful ops, control flow, ops that take references, what must
/// survive (Draft::roots) and nodes that `consider` says false of are left alone. Linear.
absl::StatusOr<PassStats> merge_common_subexpressions(Draft* draft, const NodeFilter& consider = nullptr);

}  // namespace troupe
