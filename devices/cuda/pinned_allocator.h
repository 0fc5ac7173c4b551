#pragma once

#include <memory>

#include "devices/cuda/best_fit_pool.h"
#include "devices/cuda/gpu.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// Host memory that GPUs copy from and to by themselves, while the CPU does something else. Scarce: the system cannot move it. Thread-safe.
class PinnedAllocator final : public Allocator, public std::enable_shared_from_this<PinnedAllocator> {
 public:
  /// TensorFlow's limit (TF_GPU_HOST_MEM_LIMIT_IN_MB).
  static constexpr size_t kLimitBytes = size_t{64} << 30;

  /// From `gpu`'s context, for all GPUs.
  static std::shared_ptr<PinnedAllocator> make(std::shared_ptr<Gpu> gpu, size_t limit_bytes = kLimitBytes);

  void* allocate(size_t bytes) override { return gpu_->is_lost() ? nullptr : pool_.allocate(bytes); }
  void deallocate(void* block, size_t) override { pool_.deallocate(block); }
  absl::string_view name() const override { return "cuda_host_bfc"; }
  AllocatorStats stats() const override { return pool_.stats(); }

  /// The GPU whose context it came from is lost: there is no new memory.
  bool is_lost() const { return gpu_->is_lost(); }
  /// True for addresses in its memory.
  bool owns(const void* memory) const { return pool_.owns(memory); }
  /// A tensor that keeps the allocator alive, as clients may hold it longer than their sessions. Not initialised when there is no memory.
  Tensor make_tensor(DataType dtype, const Shape& shape);

 private:
  PinnedAllocator(std::shared_ptr<Gpu> gpu, size_t limit_bytes);

  const std::shared_ptr<Gpu> gpu_;
  BestFitPool pool_;
};

}  // namespace troupe
