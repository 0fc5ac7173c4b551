#include "graph/tensor/allocator.h"

#include <cstdint>
#include <cstdlib>

namespace troupe {
namespace {

#ifdef TROUPE_SANITIZED
/// The sanitizers end a process that asks for more, where an allocator says no.
constexpr size_t kMostBytes = size_t{1} << 39;
#else
constexpr size_t kMostBytes = PTRDIFF_MAX;
#endif

class PlainAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    size_t rounded = (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
    if (rounded < bytes || rounded > kMostBytes) return nullptr;
    return std::aligned_alloc(kAlignmentBytes, rounded == 0 ? kAlignmentBytes : rounded);
  }
  void deallocate(void* block, size_t) override { std::free(block); }
  absl::string_view name() const override { return "plain"; }
};

}  // namespace

Allocator* plain_allocator() {
  // Never destroyed: buffers may be freed by other statics' destructors.
  static auto* allocator = new PlainAllocator;
  return allocator;
}

}  // namespace troupe
