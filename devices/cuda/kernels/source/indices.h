#pragma once

#include "devices/cuda/kernels/source/launchable.h"

namespace troupe::launchable {

/// Element i of indices, which are int64 when `wide` and else int32.
TROUPE_DEVICE int64_t index_at(const void* indices, int32_t wide, int64_t i) {
  return wide != 0 ? static_cast<const int64_t*>(indices)[i] : static_cast<const int32_t*>(indices)[i];
}

}  // namespace troupe::launchable
