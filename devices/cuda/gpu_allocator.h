#pragma once

#include <memory>
#include <optional>
#include <string>

#include "devices/cuda/best_fit_pool.h"
#include "devices/cuda/stream.h"

namespace troupe {

/// Memory of one GPU for the tensors of kernels that go on one stream. Stream-ordered: what the host gives back may be handed out at once, though
/// work that uses it is still enqueued, as all that uses it next goes on the same stream, behind. Other streams ask `last_use`. Thread-safe.
class GpuAllocator final : public Allocator {
 public:
  struct Options {
    /// "GPU_0_bfc", as TensorFlow names them in errors.
    std::string name;
    size_t limit_bytes = 0;
    /// Regions as they are needed; else all at the first allocation.
    bool grows = false;
    /// For tests: what comes back is filled with this, in the stream's order, so that whoever uses it afterwards reads nonsense.
    std::optional<unsigned char> fill_freed = {};
  };

  /// `compute` is the stream; it must outlive this. All blocks must be back, or the GPU lost, when this ends.
  GpuAllocator(std::shared_ptr<Gpu> gpu, Stream* compute, Options options);

  /// Null when there is none, or the GPU is lost.
  void* allocate(size_t bytes) override;
  void deallocate(void* block, size_t bytes) override;
  absl::string_view name() const override { return name_; }
  AllocatorStats stats() const override { return pool_.stats(); }
  bool is_host() const override { return false; }

  /// The number (Stream::enqueued) of the last work on the stream that may use what was in this block's place before. Another stream that writes
  /// the block must wait for that, unless it is completed.
  uint64_t last_use(const void* block) const { return pool_.stamp(block); }
  std::string report() const { return pool_.report(); }
  std::string fault() const { return pool_.fault(); }

 private:
  const std::shared_ptr<Gpu> gpu_;
  Stream* const compute_;
  const std::string name_;
  const std::optional<unsigned char> fill_freed_;
  BestFitPool pool_;
};

}  // namespace troupe
