#pragma once

#include <memory>

#include "graph/tensor/allocator.h"

namespace troupe {

/// Host memory for tensors: mimalloc's size-class caches, large blocks kept for the next step (LargeBlockCache), with statistics counted per
/// thread stripe so that concurrent steps do not share a cache line. `limit_bytes` 0: none; past it allocate returns null.
std::unique_ptr<Allocator> make_host_allocator(int64_t limit_bytes = 0);

}  // namespace troupe
