#include "devices/cuda/gpu_allocator.h"

#include <utility>

namespace troupe {
namespace {

BestFitPool::Source regions_of(Gpu* gpu) {
  return {[gpu](size_t bytes) -> void* {
            if (gpu->is_lost()) return nullptr;
            Gpu::Current current(*gpu);
            cuda::CUdeviceptr region = 0;
            // Short of memory is no error here; anything else makes itself heard with the next call.
            if (!gpu->check(gpu->driver().cuMemAlloc(&region, bytes), "cuMemAlloc").ok()) return nullptr;
            return reinterpret_cast<void*>(region);
          },
          [gpu](void* region, size_t) {
            if (gpu->is_lost()) return;
            Gpu::Current current(*gpu);
            gpu->check(gpu->driver().cuMemFree(reinterpret_cast<cuda::CUdeviceptr>(region)), "cuMemFree")
                .IgnoreError();
          }};
}

}  // namespace

GpuAllocator::GpuAllocator(std::shared_ptr<Gpu> gpu, Stream* compute, Options options)
    : gpu_(std::move(gpu)), compute_(compute), name_(std::move(options.name)),
      fill_freed_(options.fill_freed),
      pool_(regions_of(gpu_.get()), {.limit_bytes = options.limit_bytes, .grows = options.grows}) {}

void* GpuAllocator::allocate(size_t bytes) { return gpu_->is_lost() ? nullptr : pool_.allocate(bytes); }

void GpuAllocator::deallocate(void* block, size_t bytes) {
  if (fill_freed_) compute_->fill(block, *fill_freed_, bytes).IgnoreError();
  // Whoever used it has enqueued that and counted it before he let go.
  pool_.deallocate(block, compute_->enqueued());
}

}  // namespace troupe
