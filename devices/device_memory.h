#pragma once

#include "graph/tensor/tensor.h"

namespace troupe {

/// Whether a value is where CPUs do not read it. Memory that somebody else brought (Buffer::adopt) is the host's.
inline bool in_device_memory(const Tensor& value) {
  const Buffer* buffer = value.buffer();
  return buffer != nullptr && buffer->allocator() != nullptr && !buffer->allocator()->is_host();
}

}  // namespace troupe
