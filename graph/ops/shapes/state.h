#pragma once

#include "graph/ops/shapes/common_shapes.h"

namespace troupe::shapes {

/// The shape of the variable behind input i: of the reference itself, or what its resource handle tells; unknown rank when it
/// tells nothing.
PartialShape shape_behind(const ShapeContext& c, int i);

}  // namespace troupe::shapes
