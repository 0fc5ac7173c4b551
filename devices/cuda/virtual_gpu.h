#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "devices/cuda/copy_engine.h"
#include "devices/cuda/event_poller.h"
#include "devices/cuda/gpu_allocator.h"
#include "devices/cuda/stream.h"

namespace troupe {

/// A GPU, or a part of its memory with streams of its own: what devices of sessions share. Thread-safe. Goes when no session has it and its
/// machine's table (MachineGpus) is gone; its tensors are gone by then.
class VirtualGpu {
 public:
  struct Options {
    GpuAllocator::Options memory;
    /// Of its streams: smaller runs first. InvalidArgument "Priority 1 is outside the range of supported priorities [-5,0] ..." for others.
    int priority = 0;
    std::shared_ptr<EventPoller> poller;
    std::shared_ptr<PinnedAllocator> pinned;
  };

  /// Of a started GPU.
  static absl::StatusOr<std::shared_ptr<VirtualGpu>> make(std::shared_ptr<Gpu> gpu, Options options);
  ~VirtualGpu();
  VirtualGpu(const VirtualGpu&) = delete;

  Gpu& gpu() const { return *gpu_; }
  /// The one stream for kernels.
  Stream& compute() const { return *compute_; }
  GpuAllocator& memory() const { return *memory_; }
  CopyEngine& copies() const { return *copies_; }
  PinnedAllocator& pinned() const { return *pinned_; }

  /// Calls `done` when all that was enqueued on the compute stream so far is done, or with the error of the GPU: at once where there is nothing to
  /// wait for, else from the poller's thread, which it must not hold up.
  void when_done(std::function<void(absl::Status)> done);

 private:
  VirtualGpu() = default;

  // In the order in which they need each other.
  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<EventPoller> poller_;
  std::shared_ptr<PinnedAllocator> pinned_;
  std::unique_ptr<EventPool> events_;
  std::unique_ptr<Stream> compute_;
  std::unique_ptr<GpuAllocator> memory_;
  std::unique_ptr<CopyEngine> copies_;
};

}  // namespace troupe
