#pragma once

#include <cstdint>

namespace troupe {

/// Where `index` <= `max_index` goes: numbers beyond are encrypted again, which ends, as a permutation's cycle comes back.
uint64_t shuffled_index(uint64_t index, const uint32_t (&key)[3], uint64_t max_index, int64_t rounds);

}  // namespace troupe
