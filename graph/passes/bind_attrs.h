#pragma once

#include "graph/ops/op_def.h"

namespace troupe {

// Attrs of the nodes of a function, bound to those of one instance of it.

/// Replaces `$T` by the attr of that name, in functions' own attrs too. NotFound when there is none.
absl::StatusOr<AttrValue> substitute(const AttrValue& value, const AttrMap& attrs);

/// Marks a node that draws numbers by its own seeds, or calls functions.
void set_random_scope(const AttrValue& scope, bool is_call, const OpDef& op, AttrMap* attrs);

}  // namespace troupe
