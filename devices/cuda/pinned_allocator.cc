#include "devices/cuda/pinned_allocator.h"

#include <utility>

namespace troupe {
namespace {

BestFitPool::Source pinned_regions(Gpu* gpu) {
  return {[gpu](size_t bytes) -> void* {
            Gpu::Current current(*gpu);
            void* region = nullptr;
            const cuda::CUresult result =
                gpu->driver().cuMemHostAlloc(&region, bytes, cuda::kMemHostAllocPortable);
            return gpu->check(result, "cuMemHostAlloc").ok() ? region : nullptr;
          },
          [gpu](void* region, size_t) {
            // Even of a lost GPU: it is the host's.
            Gpu::Current current(*gpu);
            gpu->driver().cuMemFreeHost(region);
          }};
}

}  // namespace

PinnedAllocator::PinnedAllocator(std::shared_ptr<Gpu> gpu, size_t limit_bytes)
    : gpu_(std::move(gpu)), pool_(pinned_regions(gpu_.get()), {.limit_bytes = limit_bytes}) {}

std::shared_ptr<PinnedAllocator> PinnedAllocator::make(std::shared_ptr<Gpu> gpu, size_t limit_bytes) {
  return std::shared_ptr<PinnedAllocator>(new PinnedAllocator(std::move(gpu), limit_bytes));
}

Tensor PinnedAllocator::make_tensor(DataType dtype, const Shape& shape) {
  const size_t bytes = static_cast<size_t>(shape.num_elements()) * dtype_size(dtype);
  void* block = allocate(bytes);
  if (block == nullptr) return Tensor();
  using Holder = std::shared_ptr<PinnedAllocator>;
  auto* holder = new Holder(shared_from_this());
  const auto release = [](void* data, size_t size, void* arg) {
    const std::unique_ptr<Holder> held(static_cast<Holder*>(arg));
    (*held)->deallocate(data, size);
  };
  return Tensor(dtype, shape, Buffer::adopt(block, bytes, release, holder));
}

}  // namespace troupe
