#pragma once

#include <cstdint>

namespace troupe::bench {

/// False when this build does not count (sanitizers have their own allocator).
bool counts_allocations();
/// Calls of malloc, operator new and their like so far, by all threads of this process. Memory that tensors take from
/// the host allocator is not among them.
int64_t allocation_count();

}  // namespace troupe::bench
