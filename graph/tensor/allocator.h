#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace troupe {

/// Counters of an allocator since it was made. Bytes as asked for, not as rounded up.
struct AllocatorStats {
  int64_t num_allocations = 0;
  int64_t bytes_in_use = 0;
  /// Highest bytes_in_use seen; allocators that count without locks may miss short peaks.
  int64_t peak_bytes_in_use = 0;
  int64_t largest_allocation = 0;
  /// 0: no limit.
  int64_t bytes_limit = 0;
  /// Not in use, and kept for who asks next.
  int64_t bytes_kept = 0;
};

/// A source of memory for tensor buffers. Thread-safe. Outlives every buffer that came from it.
class Allocator {
 public:
  /// Every buffer starts at a multiple of this: a cache line, and the widest vector register.
  static constexpr size_t kAlignmentBytes = 64;

  virtual ~Allocator() = default;
  /// A block of at least `bytes` at a multiple of kAlignmentBytes, or null when there is none.
  virtual void* allocate(size_t bytes) = 0;
  /// Gives back what allocate(bytes) returned.
  virtual void deallocate(void* block, size_t bytes) = 0;
  virtual absl::string_view name() const = 0;
  virtual AllocatorStats stats() const { return {}; }
  /// Nobody runs anything: what is kept for later goes back to the system. From any thread, at any time.
  virtual void rest() {}
  /// True when the CPU can read and write the blocks.
  virtual bool is_host() const { return true; }
};

/// The C library's heap, without statistics: for tensors made outside any device (attributes, files, clients).
Allocator* plain_allocator();

}  // namespace troupe
