#pragma once

#include "devices/cpu/loops/vector/isa.h"
#include "devices/cpu/loops/vector/tables.h"

namespace troupe {

/// The loops of a set that has_isa() has.
const VectorLoops& vector_loops(Isa isa);
/// Those of current_isa().
const VectorLoops& vector_loops();

}  // namespace troupe
