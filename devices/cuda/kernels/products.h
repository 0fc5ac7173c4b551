#pragma once

#include "devices/cuda/enqueue.h"
#include "devices/cuda/libraries/product_library.h"

namespace troupe {

/// Enqueues c = op(a) op(b), all in the device's memory: by the library where it has that product, else by a kernel of our own. Extents
/// may be 0: a sum of nothing is 0. What `end` asks for is done only where the library does it along: true then, or where it asks nothing.
absl::StatusOr<bool> enqueue_product(KernelContext& context, const MatrixProduct& product, const void* a,
                                     const void* b, void* c, const ProductEnd& end);
absl::Status enqueue_product(KernelContext& context, const MatrixProduct& product, const void* a,
                             const void* b, void* c);

}  // namespace troupe
