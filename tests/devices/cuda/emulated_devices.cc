#include "tests/devices/cuda/emulated_calls.h"

#include <algorithm>
#include <cstdio>

namespace troupe::test::calls {
namespace {

bool is_gpu(const EmulatedMachine& machine, int i) {
  return i >= 0 && i < static_cast<int>(machine.gpus.size());
}

}  // namespace

CUresult cuInit(unsigned) {
  TROUPE_BEGIN(cuInit)
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  TROUPE_BEGIN(cuDriverGetVersion)
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case CUDA_ERROR_ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    case CUDA_ERROR_ECC_UNCORRECTABLE: *name = "CUDA_ERROR_ECC_UNCORRECTABLE"; break;
    case CUDA_ERROR_LAUNCH_FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; break;
    case CUDA_ERROR_INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; break;
    case CUDA_ERROR_INVALID_HANDLE: *name = "CUDA_ERROR_INVALID_HANDLE"; break;
    case CUDA_ERROR_NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; break;
    case CUDA_ERROR_NO_BINARY_FOR_GPU: *name = "CUDA_ERROR_NO_BINARY_FOR_GPU"; break;
    default: *name = nullptr; return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : nullptr;
  return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  TROUPE_BEGIN(cuDeviceGetCount)
  *count = static_cast<int>(machine.gpus.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  TROUPE_BEGIN(cuDeviceGet)
  if (!is_gpu(machine, ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  TROUPE_BEGIN(cuDeviceGetName)
  std::snprintf(name, length, "Emulated GPU");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  TROUPE_BEGIN(cuDeviceGetAttribute)
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 2; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 1024; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = machine.options.compute_major; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = machine.options.compute_minor; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 48 << 10; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice) {
  TROUPE_BEGIN(cuDeviceTotalMem)
  *bytes = machine.options.memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  TROUPE_BEGIN(cuDeviceGetPCIBusId)
  std::snprintf(id, length, "0000:%02X:00.0", device + 10);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  TROUPE_BEGIN(cuDeviceCanAccessPeer)
  *can = machine.options.peers ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  TROUPE_BEGIN(cuDevicePrimaryCtxRetain)
  if (!is_gpu(machine, device)) return CUDA_ERROR_INVALID_DEVICE;
  EmulatedMachine::Gpu& gpu = machine.gpus[device];
  if (gpu.retained++ == 0) gpu.contexts.push_back(std::make_unique<CUctx_st>(CUctx_st{.gpu = device}));
  *context = gpu.context();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  TROUPE_BEGIN(cuDevicePrimaryCtxRelease)
  EmulatedMachine::Gpu& gpu = machine.gpus[device];
  if (gpu.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--gpu.retained > 0) return CUDA_SUCCESS;
  gpu.contexts.back()->alive = false;
  const auto here = [&](const auto& one) { return one->gpu == device && one->alive; };
  if (gpu.lost == CUDA_SUCCESS) {
    if (!gpu.blocks.empty()) machine.fault("a context that ends with memory in use");
    if (std::any_of(machine.streams.begin(), machine.streams.end(), here))
      machine.fault("a context that ends with streams");
    if (std::any_of(machine.events.begin(), machine.events.end(), here))
      machine.fault("a context that ends with events");
    if (!machine.idle(device)) machine.fault("a context that ends with work");
  }
  machine.forget(device);
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  TROUPE_BEGIN_ON_GPU(cuCtxEnablePeerAccess)
  return machine.options.peers ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  TROUPE_BEGIN_ON_GPU(cuCtxGetStreamPriorityRange)
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  TROUPE_BEGIN_ON_GPU(cuModuleLoadData)
  if (image != emulated_image()) return CUDA_ERROR_INVALID_IMAGE;
  *module = machine.modules.emplace_back(std::make_unique<CUmod_st>(CUmod_st{.gpu = gpu})).get();
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  TROUPE_BEGIN_ON_GPU(cuModuleUnload)
  if (!knows(machine, machine.modules, module, "a module")) return CUDA_ERROR_INVALID_HANDLE;
  module->alive = false;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  TROUPE_BEGIN_ON_GPU(cuModuleGetFunction)
  if (!knows(machine, machine.modules, module, "a module")) return CUDA_ERROR_INVALID_HANDLE;
  const auto found = machine.functions.find(name);
  if (found == machine.functions.end()) return CUDA_ERROR_NOT_FOUND;
  *function = &found->second;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
  TROUPE_BEGIN_ON_GPU(cuFuncGetAttribute)
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  TROUPE_BEGIN_ON_GPU(cuFuncSetAttribute)
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  TROUPE_BEGIN_ON_GPU(cuFuncGetParamInfo)
  const std::vector<size_t>& sizes = function->kernel->sizes;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  size_t at = 0;
  for (size_t i = 0; i < index; ++i) at += sizes[i];
  if (offset != nullptr) *offset = at;
  if (bytes != nullptr) *bytes = sizes[index];
  return CUDA_SUCCESS;
}

}  // namespace troupe::test::calls
