#pragma once

#include <cstddef>

/// The part of CUDA's driver interface that Troupe calls, under CUDA's names, so that nothing here needs CUDA's headers: the driver is
/// found at run time. `driver_abi_test` compares it with cuda.h where that is there. In a namespace of its own, as a program may include
/// both.
namespace troupe::cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;

/// Those that code asks for; the driver returns others, too.
enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_CONTAINED = 226,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_TOO_MANY_PEERS = 711,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_TENSOR_MEMORY_LEAK = 721,
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
  CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
  CUDA_ERROR_EXTERNAL_DEVICE = 911,
  CUDA_ERROR_UNKNOWN = 999,
};

enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

/// @name Flags of cuStreamCreateWithPriority, cuEventCreate and cuMemHostAlloc
inline constexpr unsigned kStreamNonBlocking = 0x1;    // CU_STREAM_NON_BLOCKING
inline constexpr unsigned kEventDisableTiming = 0x2;   // CU_EVENT_DISABLE_TIMING
inline constexpr unsigned kMemHostAllocPortable = 0x1; // CU_MEMHOSTALLOC_PORTABLE

/// X(CUDA's name, the symbol in libcuda.so.1, parameters): every function of the driver that Troupe calls.
#define TROUPE_CUDA_DRIVER_CALLS(X)                                                                                                 \
  X(cuInit, "cuInit", (unsigned flags))                                                                                             \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int* version))                                                                       \
  X(cuGetErrorName, "cuGetErrorName", (CUresult error, const char** name))                                                          \
  X(cuGetErrorString, "cuGetErrorString", (CUresult error, const char** text))                                                      \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int* count))                                                                             \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice* device, int ordinal))                                                                    \
  X(cuDeviceGetName, "cuDeviceGetName", (char* name, int length, CUdevice device))                                                  \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int* value, CUdevice_attribute attribute, CUdevice device))                      \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t* bytes, CUdevice device))                                                      \
  X(cuDeviceGetPCIBusId, "cuDeviceGetPCIBusId", (char* id, int length, CUdevice device))                                            \
  X(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int* can, CUdevice device, CUdevice peer))                                     \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext* context, CUdevice device))                                    \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                                                   \
  X(cuCtxGetCurrent, "cuCtxGetCurrent", (CUcontext* context))                                                                       \
  X(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext context))                                                                        \
  X(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (CUcontext peer, unsigned flags))                                               \
  X(cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", (int* least, int* greatest))                                        \
  X(cuMemGetInfo, "cuMemGetInfo_v2", (size_t* free, size_t* total))                                                                 \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr* block, size_t bytes))                                                                \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr block))                                                                                 \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void** block, size_t bytes, unsigned flags))                                                 \
  X(cuMemFreeHost, "cuMemFreeHost", (void* block))                                                                                  \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void* from, size_t bytes, CUstream stream))                   \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void* to, CUdeviceptr from, size_t bytes, CUstream stream))                         \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                   \
  X(cuMemcpyPeerAsync, "cuMemcpyPeerAsync",                                                                                         \
    (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, CUstream stream))                \
  X(cuMemsetD8Async, "cuMemsetD8Async", (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))                       \
  X(cuStreamCreateWithPriority, "cuStreamCreateWithPriority", (CUstream* stream, unsigned flags, int priority))                     \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                                                                       \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream stream))                                                                  \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (CUstream stream, CUevent event, unsigned flags))                                       \
  X(cuEventCreate, "cuEventCreate", (CUevent* event, unsigned flags))                                                               \
  X(cuEventDestroy, "cuEventDestroy_v2", (CUevent event))                                                                           \
  X(cuEventRecord, "cuEventRecord", (CUevent event, CUstream stream))                                                               \
  X(cuEventQuery, "cuEventQuery", (CUevent event))                                                                                  \
  X(cuEventSynchronize, "cuEventSynchronize", (CUevent event))                                                                      \
  X(cuModuleLoadData, "cuModuleLoadData", (CUmodule* module, const void* image))                                                    \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule module))                                                                            \
  X(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction* function, CUmodule module, const char* name))                          \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int* value, CUfunction_attribute attribute, CUfunction function))                    \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction function, CUfunction_attribute attribute, int value))                     \
  X(cuFuncGetParamInfo, "cuFuncGetParamInfo", (CUfunction function, size_t index, size_t* offset, size_t* bytes))                   \
  X(cuLaunchKernel, "cuLaunchKernel",                                                                                               \
    (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,  \
     unsigned shared_bytes, CUstream stream, void** arguments, void** extra))

/// The driver as a table of its functions: the machine's, or one that tests emulate. All are thread-safe.
struct Driver {
#define TROUPE_CUDA_DRIVER_MEMBER(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  TROUPE_CUDA_DRIVER_CALLS(TROUPE_CUDA_DRIVER_MEMBER)
#undef TROUPE_CUDA_DRIVER_MEMBER
};

}  // namespace troupe::cuda
