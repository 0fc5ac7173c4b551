#include "devices/memory/tracking_allocator.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "devices/memory/allocation_log.h"
#include "graph/tensor/buffer.h"

namespace troupe {
namespace {

int64_t micros_now() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Of the header of a buffer in its block: memory that the CPU does not write has none.
size_t header_bytes(const Allocator& memory) { return memory.is_host() ? Buffer::kHeaderBytes : 0; }

/// Of a block that holds a buffer, header and all.
int64_t element_bytes(const Allocator& memory, size_t bytes) {
  return static_cast<int64_t>(bytes - std::min(bytes, header_bytes(memory)));
}

}  // namespace

std::shared_ptr<TrackingAllocator> TrackingAllocator::make(Allocator* source) {
  return std::shared_ptr<TrackingAllocator>(new TrackingAllocator(source));
}

void TrackingAllocator::log_to(AllocationLog* log, int64_t step_id, std::string node) {
  log_ = log;
  step_id_ = step_id;
  node_ = std::move(node);
}

const Allocator* TrackingAllocator::source_of(const Allocator* allocator) {
  const auto* tracking = dynamic_cast<const TrackingAllocator*>(allocator);
  return tracking == nullptr ? allocator : tracking->source_;
}

int64_t TrackingAllocator::allocation_id(const Buffer& buffer) {
  const auto* tracking = dynamic_cast<const TrackingAllocator*>(buffer.allocator());
  if (tracking == nullptr) return 0;
  // A buffer that came from an allocator begins its block, or its elements do.
  const Buffer& whole = buffer.whole();
  const void* start = tracking->is_host() ? static_cast<const void*>(&whole) : whole.data();
  std::lock_guard lock(tracking->mu_);
  for (const Block& b : tracking->blocks_) {
    if (b.start == start) return b.id;
  }
  return 0;
}

void* TrackingAllocator::allocate(size_t bytes) {
  static std::atomic<int64_t> next_id{1};
  void* block = source_->allocate(bytes);
  if (block == nullptr) return nullptr;
  const int64_t size = element_bytes(*source_, bytes);
  const int64_t id = next_id.fetch_add(1, std::memory_order_relaxed);
  if (log_ != nullptr) {
    log_->allocated(step_id_, node_, name(), id, static_cast<char*>(block) + header_bytes(*source_), size);
  }
  std::lock_guard lock(mu_);
  blocks_.push_back({block, id});
  records_.push_back({micros_now(), size});
  bytes_.total += size;
  bytes_.live += size;
  bytes_.peak = std::max(bytes_.peak, bytes_.live);
  if (self_ == nullptr) self_ = shared_from_this();
  return block;
}

void TrackingAllocator::deallocate(void* block, size_t bytes) {
  std::shared_ptr<TrackingAllocator> last;  // freed outside the lock
  const int64_t size = element_bytes(*source_, bytes);
  int64_t id = 0;
  {
    std::lock_guard lock(mu_);
    const auto at =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.start == block; });
    id = at->id;
    blocks_.erase(at);
    records_.push_back({micros_now(), -size});
    bytes_.live -= size;
    if (blocks_.empty()) last.swap(self_);
  }
  if (log_ != nullptr) log_->freed(step_id_, node_, name(), id);
  source_->deallocate(block, bytes);
}

TrackedBytes TrackingAllocator::bytes() const {
  std::lock_guard lock(mu_);
  return bytes_;
}

std::vector<AllocationRecord> TrackingAllocator::records() const {
  std::lock_guard lock(mu_);
  return records_;
}

}  // namespace troupe
