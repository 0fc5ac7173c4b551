#include "tests/devices/cuda/emulated_calls.h"

#include <cstring>

namespace troupe::test::calls {
namespace {

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

// What is enqueued. Called without the lock.

CUresult copy_now(EmulatedMachine& machine, void* to, const void* from, size_t bytes, bool to_gpu,
                  bool from_gpu, bool to_pinned, bool from_pinned) {
  {
    std::lock_guard lock(machine.mu);
    const bool to_there = to_gpu ? machine.on_gpu(to, bytes) : (!to_pinned || machine.pinned(to, bytes));
    const bool from_there =
        from_gpu ? machine.on_gpu(from, bytes) : (!from_pinned || machine.pinned(from, bytes));
    if (!to_there || !from_there) {
      machine.fault(std::string("a copy ") + (to_there ? "from" : "to") + " memory that was given back");
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
  }
  std::memmove(to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult enqueue_copy(EmulatedMachine& machine, CUstream stream, void* to, const void* from, size_t bytes,
                      bool to_gpu, bool from_gpu) {
  if (!knows(machine, machine.streams, stream, "a stream")) return CUDA_ERROR_INVALID_HANDLE;
  if ((to_gpu && !machine.on_gpu(to, bytes)) || (from_gpu && !machine.on_gpu(from, bytes))) {
    machine.fault("a copy of memory that is no GPU's");
    return CUDA_ERROR_INVALID_VALUE;
  }
  const bool to_pinned = !to_gpu && machine.pinned(to, bytes);
  const bool from_pinned = !from_gpu && machine.pinned(from, bytes);
  if ((!to_gpu && !to_pinned) || (!from_gpu && !from_pinned)) ++machine.pageable_copies;
  machine.enqueue(stream, {.run = [=, &machine] {
                    return copy_now(machine, to, from, bytes, to_gpu, from_gpu, to_pinned, from_pinned);
                  }});
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemGetInfo(size_t* free, size_t* total) {
  TROUPE_BEGIN_ON_GPU(cuMemGetInfo)
  *total = machine.options.memory_bytes;
  *free = *total - machine.gpus[gpu].bytes_in_use;
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* block, size_t bytes) {
  TROUPE_BEGIN_ON_GPU(cuMemAlloc)
  EmulatedMachine::Gpu& g = machine.gpus[gpu];
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > machine.options.memory_bytes - g.bytes_in_use) return CUDA_ERROR_OUT_OF_MEMORY;
  void* start = EmulatedMachine::map(bytes);
  if (start == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  g.blocks[reinterpret_cast<uintptr_t>(start)] = bytes;
  g.bytes_in_use += bytes;
  *block = reinterpret_cast<CUdeviceptr>(start);
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr block) {
  TROUPE_BEGIN_ON_GPU(cuMemFree)
  EmulatedMachine::Gpu& g = machine.gpus[gpu];
  if (!g.blocks.contains(block)) {
    machine.fault("memory given back that is not there");
    return CUDA_ERROR_INVALID_VALUE;
  }
  // As the real one.
  machine.wait_until(lock, [gpu, &machine] { return machine.idle(gpu); });
  const auto found = g.blocks.find(block);
  EmulatedMachine::unmap(pointer(block), found->second);
  g.bytes_in_use -= found->second;
  g.blocks.erase(found);
  return g.lost;
}

CUresult cuMemHostAlloc(void** block, size_t bytes, unsigned) {
  TROUPE_BEGIN_ON_GPU(cuMemHostAlloc)
  *block = EmulatedMachine::map(bytes);
  if (*block == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  machine.pinned_blocks[reinterpret_cast<uintptr_t>(*block)] = bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* block) {
  TROUPE_BEGIN(cuMemFreeHost)
  const auto found = machine.pinned_blocks.find(reinterpret_cast<uintptr_t>(block));
  if (found == machine.pinned_blocks.end()) {
    machine.fault("pinned memory given back that is not there");
    return CUDA_ERROR_INVALID_VALUE;
  }
  EmulatedMachine::unmap(block, found->second);
  machine.pinned_blocks.erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuMemcpyHtoDAsync)
  return enqueue_copy(machine, stream, pointer(to), from, bytes, true, false);
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuMemcpyDtoHAsync)
  return enqueue_copy(machine, stream, to, pointer(from), bytes, false, true);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuMemcpyDtoDAsync)
  return enqueue_copy(machine, stream, pointer(to), pointer(from), bytes, true, true);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes, CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuMemcpyPeerAsync)
  if (!machine.on_gpu(pointer(to), bytes, to_context->gpu) ||
      !machine.on_gpu(pointer(from), bytes, from_context->gpu)) {
    machine.fault("a peer copy of memory of other GPUs");
    return CUDA_ERROR_INVALID_VALUE;
  }
  return enqueue_copy(machine, stream, pointer(to), pointer(from), bytes, true, true);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuMemsetD8Async)
  if (!knows(machine, machine.streams, stream, "a stream")) return CUDA_ERROR_INVALID_HANDLE;
  machine.enqueue(stream, {.run = [=, &machine]() -> CUresult {
                    {
                      std::lock_guard guard(machine.mu);
                      if (!machine.on_gpu(pointer(to), count)) {
                        machine.fault("memory set that is not there");
                        return CUDA_ERROR_ILLEGAL_ADDRESS;
                      }
                    }
                    std::memset(pointer(to), value, count);
                    return CUDA_SUCCESS;
                  }});
  return CUDA_SUCCESS;
}

}  // namespace troupe::test::calls
