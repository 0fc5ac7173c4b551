#include "tests/devices/cuda/emulated_calls.h"

#include <cstddef>
#include <cstring>

namespace troupe::test::calls {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int) {
  TROUPE_BEGIN_ON_GPU(cuStreamCreateWithPriority)
  // A stream that waits for stream 0 waits for whatever else the process does.
  if (flags != kStreamNonBlocking) machine.fault("a blocking stream");
  *stream = machine.streams.emplace_back(std::make_unique<CUstream_st>(CUstream_st{.gpu = gpu})).get();
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuStreamDestroy)
  if (!knows(machine, machine.streams, stream, "a stream")) return CUDA_ERROR_INVALID_HANDLE;
  // What it has is still done.
  stream->alive = false;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuStreamSynchronize)
  if (!knows(machine, machine.streams, stream, "a stream")) return CUDA_ERROR_INVALID_HANDLE;
  machine.wait_until(lock, [stream] { return stream->queue.empty(); });
  return machine.gpus[gpu].lost;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  TROUPE_BEGIN_ON_GPU(cuStreamWaitEvent)
  if (!knows(machine, machine.streams, stream, "a stream") ||
      !knows(machine, machine.events, event, "an event"))
    return CUDA_ERROR_INVALID_HANDLE;
  machine.enqueue(stream, {.waits_for = event, .waits_for_number = event->recorded});
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  TROUPE_BEGIN_ON_GPU(cuEventCreate)
  *event = machine.events.emplace_back(std::make_unique<CUevent_st>(CUevent_st{.gpu = gpu})).get();
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  TROUPE_BEGIN_ON_GPU(cuEventDestroy)
  if (!knows(machine, machine.events, event, "an event")) return CUDA_ERROR_INVALID_HANDLE;
  event->alive = false;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  TROUPE_BEGIN_ON_GPU(cuEventRecord)
  if (!knows(machine, machine.streams, stream, "a stream") ||
      !knows(machine, machine.events, event, "an event"))
    return CUDA_ERROR_INVALID_HANDLE;
  if (event->gpu != stream->gpu) {
    machine.fault("an event recorded in a stream of another GPU");
    return CUDA_ERROR_INVALID_HANDLE;
  }
  event->open.insert(++event->recorded);
  machine.enqueue(stream, {.records = event, .records_number = event->recorded});
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  TROUPE_BEGIN_ON_GPU(cuEventQuery)
  if (!knows(machine, machine.events, event, "an event")) return CUDA_ERROR_INVALID_HANDLE;
  if (!machine.options.works_alone) {
    for (uint64_t n = machine.random() % 3; n > 0 && machine.step(lock);) --n;
  }
  if (machine.gpus[event->gpu].lost != CUDA_SUCCESS) return machine.gpus[event->gpu].lost;
  return event->reached(event->recorded) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  TROUPE_BEGIN_ON_GPU(cuEventSynchronize)
  if (!knows(machine, machine.events, event, "an event")) return CUDA_ERROR_INVALID_HANDLE;
  machine.wait_until(lock, [event, number = event->recorded] { return event->reached(number); });
  return machine.gpus[event->gpu].lost;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned, CUstream stream,
                        void** arguments, void**) {
  TROUPE_BEGIN_ON_GPU(cuLaunchKernel)
  if (!knows(machine, machine.streams, stream, "a stream")) return CUDA_ERROR_INVALID_HANDLE;
  if (grid_x == 0 || block_x == 0 || block_x > 1024 || grid_y != 1 || grid_z != 1 || block_y != 1 ||
      block_z != 1) {
    machine.fault("a launch of an odd size");
    return CUDA_ERROR_INVALID_VALUE;
  }
  const EmulatedKernel& kernel = *function->kernel;
  // Each begins where any type may; the caller's are gone when the kernel runs.
  std::vector<std::vector<std::max_align_t>> values;
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    auto& value = values.emplace_back(kernel.sizes[i] / sizeof(std::max_align_t) + 1);
    std::memcpy(value.data(), arguments[i], kernel.sizes[i]);
  }
  machine.enqueue(stream, {.run = [&kernel, values = std::move(values), grid_x]() mutable {
                    std::vector<void*> pointers;
                    for (auto& value : values) pointers.push_back(value.data());
                    kernel.run(pointers.data(), grid_x);
                    return CUDA_SUCCESS;
                  }});
  return CUDA_SUCCESS;
}

}  // namespace troupe::test::calls
