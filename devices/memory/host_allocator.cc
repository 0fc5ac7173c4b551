#include "devices/memory/host_allocator.h"

#include <mimalloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "devices/memory/available_memory.h"
#include "devices/memory/large_block_cache.h"

namespace troupe {
namespace {

/// Stripes of counters: enough that the threads of one machine seldom share one.
constexpr int kStripes = 32;
/// Blocks from this size on are counted exactly against the peak and the limit; smaller ones only in sums.
constexpr size_t kExactBytes = 64 << 10;

int stripe_of_thread() {
  static std::atomic<int> next{0};
  thread_local int mine = next.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return mine;
}

/// Under valgrind and the sanitizers memory comes from the system's allocator, whose blocks they know: in mimalloc's they
/// would not see a tensor overrun, nor that a block has changed hands between threads.
bool memory_is_watched() {
#ifdef TROUPE_SANITIZED
  return true;
#endif
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "vgpreload") != nullptr;
}

/// The sanitizers end a process that asks for more, where an allocator says no.
constexpr size_t kMostWatchedBytes = size_t{1} << 39;

void* take_from_system(size_t bytes) {
  const size_t alignment = Allocator::kAlignmentBytes;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  return rounded < bytes || rounded > kMostWatchedBytes ? nullptr : std::aligned_alloc(alignment, rounded);
}
void* take_from_mimalloc(size_t bytes) { return mi_malloc_aligned(bytes, Allocator::kAlignmentBytes); }

/// Blocks from this size on are looked at before they are taken: the system would promise them, and end a process when they are written.
constexpr size_t kDoubtfulBytes = size_t{256} << 20;

void* take_large(size_t bytes) {
  if (bytes >= kDoubtfulBytes && static_cast<int64_t>(bytes) > available_memory()) return nullptr;
  return take_from_mimalloc(bytes);
}

/// Of large blocks that are kept, beside what the peak leaves for them.
constexpr int64_t kSpareBytes = int64_t{64} << 20;

class HostAllocator final : public Allocator {
 public:
  explicit HostAllocator(int64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void* allocate(size_t bytes) override {
    if (bytes >= kExactBytes || limit_bytes_ > 0) [[unlikely]] {
      int64_t in_use = total_in_use() + static_cast<int64_t>(bytes);
      if (limit_bytes_ > 0 && in_use > limit_bytes_) return nullptr;
      raise(peak_, in_use);
    }
    if (static_cast<int64_t>(bytes) > largest_.load(std::memory_order_relaxed)) {
      raise(largest_, static_cast<int64_t>(bytes));
    }
    void* block = take(bytes == 0 ? 1 : bytes);
    if (block == nullptr) return nullptr;
    Stripe& s = stripes_[stripe_of_thread()];
    s.allocations.fetch_add(1, std::memory_order_relaxed);
    s.bytes.fetch_add(static_cast<int64_t>(bytes), std::memory_order_relaxed);
    return block;
  }

  void deallocate(void* block, size_t bytes) override {
    stripes_[stripe_of_thread()].bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
    if (is_watched_) [[unlikely]] {
      std::free(block);
    } else if (bytes >= LargeBlockCache::kLeastBytes) {
      large_.deallocate(block, bytes);
    } else {
      mi_free(block);
    }
  }

  void rest() override { large_.rest(); }

  absl::string_view name() const override { return "cpu"; }

  AllocatorStats stats() const override {
    AllocatorStats out;
    for (const Stripe& s : stripes_) out.num_allocations += s.allocations.load(std::memory_order_relaxed);
    out.bytes_in_use = total_in_use();
    out.peak_bytes_in_use = std::max(peak_.load(std::memory_order_relaxed), out.bytes_in_use);
    out.largest_allocation = largest_.load(std::memory_order_relaxed);
    out.bytes_limit = limit_bytes_;
    out.bytes_kept = large_.kept_bytes();
    return out;
  }

 private:
  struct alignas(64) Stripe {
    std::atomic<int64_t> allocations{0};
    std::atomic<int64_t> bytes{0};
  };

  void* take(size_t bytes) {
    if (is_watched_) [[unlikely]]
      return take_from_system(bytes);
    return bytes >= LargeBlockCache::kLeastBytes ? large_.allocate(bytes) : take_from_mimalloc(bytes);
  }

  int64_t total_in_use() const {
    int64_t n = 0;
    for (const Stripe& s : stripes_) n += s.bytes.load(std::memory_order_relaxed);
    return n;
  }
  static void raise(std::atomic<int64_t>& high, int64_t value) {
    int64_t seen = high.load(std::memory_order_relaxed);
    while (seen < value && !high.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }

  const int64_t limit_bytes_;
  const bool is_watched_ = memory_is_watched();
  LargeBlockCache large_{take_large, mi_free, kSpareBytes};
  std::array<Stripe, kStripes> stripes_;
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> largest_{0};
};

}  // namespace

std::unique_ptr<Allocator> make_host_allocator(int64_t limit_bytes) {
  return std::make_unique<HostAllocator>(limit_bytes);
}

}  // namespace troupe
