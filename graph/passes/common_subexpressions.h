#pragma once

#include "graph/passes/pass.h"

namespace troupe {

/// Of nodes that compute the same (op, attrs, device, inputs, control inputs) keeps the first; the others' consumers use it.
/// Stateful ops, control flow, ops that take references and what must survive (Draft::roots) are left alone. Linear.
absl::StatusOr<PassStats> merge_common_subexpressions(Draft* draft);

}  // namespace troupe
