#pragma once

#include "devices/cpu/kernels/cwise/cast_rows.h"

namespace troupe {

/// Conversions from and to floats of 8 bits and integers of 4, as cast_row has them for all others. Quantised numbers are
/// their integers. Null for pairs that there are none for: floats become 8 bits only from floats, 4 bits are of integers
/// and become integers only.
UnaryRow narrow_cast_row(DataType from, DataType to);

}  // namespace troupe
