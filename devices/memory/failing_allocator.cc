#include "devices/memory/failing_allocator.h"

namespace troupe {

void* FailingAllocator::allocate(size_t bytes) {
  int64_t n = ++count_;
  if (fail_at_ > 0 && n >= fail_at_) return nullptr;
  void* block = base_->allocate(bytes);
  if (block != nullptr) ++live_;
  return block;
}

void FailingAllocator::deallocate(void* block, size_t bytes) {
  --live_;
  base_->deallocate(block, bytes);
}

}  // namespace troupe
