#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/devices/cuda/emulated_machine.h"

namespace troupe::test {

/// The driver's functions for this machine; null: for none any more. One at a time.
void emulate(EmulatedMachine* machine);
/// The machine that is emulated.
EmulatedMachine& emulated_machine();
const cuda::Driver& emulated_calls();

/// What modules are loaded from.
const void* emulated_image();

/// Under `mu`: whether the handle is there; if not, that is a fault.
template <class T>
bool knows(EmulatedMachine& machine, const std::vector<std::unique_ptr<T>>& all, const T* handle,
           const char* what) {
  const bool there =
      std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.get() == handle && one->alive; });
  if (!there) machine.fault(std::string("a call with ") + what + " that is not there");
  return there;
}

/// How every function begins: `machine`, locked by `lock`.
#define TROUPE_BEGIN(call)                       \
  EmulatedMachine& machine = emulated_machine(); \
  EmulatedMachine::Lock lock(machine.mu);        \
  if (const cuda::CUresult begun = machine.begin(#call); begun != cuda::CUDA_SUCCESS) return begun;

/// Of those that need a context: `gpu` is its GPU.
#define TROUPE_BEGIN_ON_GPU(call) \
  TROUPE_BEGIN(call)              \
  int gpu = 0;                    \
  if (const cuda::CUresult current = machine.current_gpu(&gpu); current != cuda::CUDA_SUCCESS) return current;

/// The functions, under CUDA's names. In emulated_devices, emulated_memory and emulated_streams.
namespace calls {
using namespace cuda;  // NOLINT: their types, too
#define TROUPE_EMULATED_CALL(name, symbol, parameters) CUresult name parameters;
TROUPE_CUDA_DRIVER_CALLS(TROUPE_EMULATED_CALL)
#undef TROUPE_EMULATED_CALL
}  // namespace calls

}  // namespace troupe::test
