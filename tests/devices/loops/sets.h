#pragma once

#include "devices/cpu/loops/vector/vector_loops.h"

#include <cstddef>
#include <vector>

namespace troupe::test {

/// Rows up to this length have every number of whole registers and of elements behind them.
inline constexpr size_t kLongestRow = 67;

/// The instruction sets that this machine has.
inline std::vector<Isa> sets() {
  std::vector<Isa> out;
  for (Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (has_isa(isa)) out.push_back(isa);
  }
  return out;
}

}  // namespace troupe::test
