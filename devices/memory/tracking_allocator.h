#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/tensor/allocator.h"

namespace troupe {

class AllocationLog;
class Buffer;

/// A block that came, or (bytes below zero) that went.
struct AllocationRecord {
  /// Microseconds since the epoch.
  int64_t micros = 0;
  int64_t bytes = 0;
};

/// Bytes that came from a TrackingAllocator: of tensors' elements, without the headers of their buffers.
struct TrackedBytes {
  int64_t total = 0;
  int64_t peak = 0;
  int64_t live = 0;
};

/// Keeps account of what one execution of one node allocates from a device's memory, and of when that is given back, which may be
/// long after. Lives while somebody holds it or a block that came from it; the memory behind it must live longer. Thread-safe.
class TrackingAllocator final : public Allocator, public std::enable_shared_from_this<TrackingAllocator> {
 public:
  static std::shared_ptr<TrackingAllocator> make(Allocator* source);
  /// Whoever allocates through it, told to `log` with every block.
  void log_to(AllocationLog* log, int64_t step_id, std::string node);

  /// The memory that an allocator hands out: a TrackingAllocator's source, any other itself. Null for null.
  static const Allocator* source_of(const Allocator* allocator);
  /// The number of the block behind a buffer, from 1, given once in this process; 0 when it came from elsewhere.
  static int64_t allocation_id(const Buffer& buffer);

  void* allocate(size_t bytes) override;
  void deallocate(void* block, size_t bytes) override;
  absl::string_view name() const override { return source_->name(); }
  AllocatorStats stats() const override { return source_->stats(); }
  bool is_host() const override { return source_->is_host(); }

  TrackedBytes bytes() const;
  /// In the order of time.
  std::vector<AllocationRecord> records() const;
  const Allocator* source() const { return source_; }

 private:
  struct Block {
    const void* start;
    int64_t id;
  };

  explicit TrackingAllocator(Allocator* source) : source_(source) {}

  Allocator* const source_;
  // Set before the first block.
  AllocationLog* log_ = nullptr;
  int64_t step_id_ = 0;
  std::string node_;
  mutable std::mutex mu_;
  // Guarded by mu_.
  TrackedBytes bytes_;
  std::vector<Block> blocks_;
  std::vector<AllocationRecord> records_;
  /// Itself while there are blocks.
  std::shared_ptr<TrackingAllocator> self_;
};

}  // namespace troupe
