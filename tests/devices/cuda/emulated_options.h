#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe::test {

/// What an emulated machine has (EmulatedDriver), and how its GPUs work.
struct EmulatedOptions {
  int gpus = 1;
  size_t memory_bytes = size_t{256} << 20;
  uint64_t seed = 1;
  /// Works by itself; else only while somebody asks (cuEventQuery does some) or waits.
  bool works_alone = false;
  /// "9.0"
  int compute_major = 9;
  int compute_minor = 0;
  bool peers = true;
};

}  // namespace troupe::test
