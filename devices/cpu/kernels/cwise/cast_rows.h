#pragma once

#include "devices/cpu/loops/elementwise.h"
#include "graph/tensor/dtype.h"

namespace troupe {

/// The row function that converts elements of `from` to `to`, or null when there is none. `truncate` cuts mantissas
/// instead of rounding them.
UnaryRow cast_row(DataType from, DataType to, bool truncate);

}  // namespace troupe
