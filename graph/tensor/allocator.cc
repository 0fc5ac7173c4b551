#include "graph/tensor/allocator.h"

#include <cstdlib>

namespace troupe {
namespace {

class PlainAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    size_t rounded = (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
    if (rounded < bytes) return nullptr;
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
