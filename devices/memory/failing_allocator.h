#pragma once

#include <atomic>
#include <cstdint>

#include "graph/tensor/allocator.h"

namespace troupe {

/// Fault injection: passes on to another allocator, but the allocation with number `fail_at` (from 1) and all later
/// ones return null. Also counts what is live, for leak checks.
class FailingAllocator final : public Allocator {
 public:
  /// `base` must outlive this. fail_at 0: never fails.
  explicit FailingAllocator(Allocator* base, int64_t fail_at = 0) : base_(base), fail_at_(fail_at) {}

  void set_fail_at(int64_t n) { fail_at_ = n; }
  int64_t num_allocations() const { return count_; }
  int64_t live() const { return live_; }

  void* allocate(size_t bytes) override;
  void deallocate(void* block, size_t bytes) override;
  absl::string_view name() const override { return "failing"; }

 private:
  Allocator* const base_;
  std::atomic<int64_t> fail_at_;
  std::atomic<int64_t> count_{0};
  std::atomic<int64_t> live_{0};
};

}  // namespace troupe
