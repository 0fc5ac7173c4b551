#include "tests/devices/cuda/emulated_calls.h"

#include <cstdlib>

namespace troupe::test {
namespace {

EmulatedMachine* machine = nullptr;
/// Counts machines, so that a thread's context of one that is gone is not taken for one of the next.
uint64_t machine_number = 0;
constexpr char kImage[] = "all kernels that the host's compiler compiled";

struct Current {
  uint64_t machine = 0;
  cuda::CUcontext context = nullptr;
};
thread_local Current current_context;

cuda::Driver table() {
  cuda::Driver driver;
#define TROUPE_EMULATED_CALL(name, symbol, parameters) driver.name = &calls::name;
  TROUPE_CUDA_DRIVER_CALLS(TROUPE_EMULATED_CALL)
#undef TROUPE_EMULATED_CALL
  return driver;
}

}  // namespace

void emulate(EmulatedMachine* wanted) {
  if (wanted != nullptr && machine != nullptr) std::abort();
  machine = wanted;
  ++machine_number;
}

EmulatedMachine& emulated_machine() { return *machine; }

const cuda::Driver& emulated_calls() {
  static const cuda::Driver driver = table();
  return driver;
}

const void* emulated_image() { return kImage; }

cuda::CUresult EmulatedMachine::current_gpu(int* gpu) const {
  if (current_context.machine != machine_number || current_context.context == nullptr)
    return cuda::CUDA_ERROR_INVALID_CONTEXT;
  if (!current_context.context->alive) return cuda::CUDA_ERROR_INVALID_CONTEXT;
  *gpu = current_context.context->gpu;
  return gpus[*gpu].lost;
}

namespace calls {

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current_context.machine == machine_number ? current_context.context : nullptr;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  TROUPE_BEGIN(cuCtxSetCurrent)
  if (context != nullptr) {
    const bool there = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                   [&](const auto& gpu) { return gpu.context() == context; });
    if (!there) return CUDA_ERROR_INVALID_CONTEXT;
  }
  current_context = {machine_number, context};
  return CUDA_SUCCESS;
}

}  // namespace calls

}  // namespace troupe::test
