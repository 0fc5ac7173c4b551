#pragma once

#include <cstdint>

namespace troupe {

/// A random number that is not zero, for DeviceAttributes::incarnation. Thread-safe.
uint64_t new_incarnation();

}  // namespace troupe
