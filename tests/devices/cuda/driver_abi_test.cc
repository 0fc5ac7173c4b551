// Ours first: cuda.h makes macros of some of the names.
#include "devices/cuda/driver_abi.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <tuple>
#include <type_traits>

namespace troupe::cuda {
namespace {

template <class Ours, class Theirs>
constexpr bool kSameWhenPassed =
    sizeof(Ours) == sizeof(Theirs) &&
    alignof(Ours) == alignof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
    (std::is_pointer_v<Ours> || std::is_signed_v<Ours> == std::is_signed_v<Theirs> || std::is_enum_v<Ours>);

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class... Ours, class... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct SameCall<CUresult (*)(Ours...), ::CUresult (*)(Theirs...)>
    : std::bool_constant<(kSameWhenPassed<Ours, Theirs> && ...)> {};

TEST(DriverAbi, functions_take_what_those_of_cuda_take) {
#define TROUPE_SAME_CALL(name, symbol, parameters) \
  EXPECT_TRUE((SameCall<CUresult(*) parameters, std::decay_t<decltype(::name)>>::value)) << symbol;
  TROUPE_CUDA_DRIVER_CALLS(TROUPE_SAME_CALL)
#undef TROUPE_SAME_CALL
}

// A function of several versions is a macro there.
#define TROUPE_TEXT(name) #name
#define TROUPE_EXPANDED(name) TROUPE_TEXT(name)

TEST(DriverAbi, symbols_are_those_of_the_newest_version) {
#define TROUPE_SAME_SYMBOL(name, symbol, parameters) EXPECT_STREQ(symbol, TROUPE_EXPANDED(name));
  TROUPE_CUDA_DRIVER_CALLS(TROUPE_SAME_SYMBOL)
#undef TROUPE_SAME_SYMBOL
}

TEST(DriverAbi, numbers_are_those_of_cuda) {
#define TROUPE_SAME_NUMBER(name) EXPECT_EQ(static_cast<int>(name), static_cast<int>(::name)) << #name
  TROUPE_SAME_NUMBER(CUDA_ERROR_OUT_OF_MEMORY);
  TROUPE_SAME_NUMBER(CUDA_ERROR_DEINITIALIZED);
  TROUPE_SAME_NUMBER(CUDA_ERROR_DEVICE_UNAVAILABLE);
  TROUPE_SAME_NUMBER(CUDA_ERROR_NO_DEVICE);
  TROUPE_SAME_NUMBER(CUDA_ERROR_INVALID_CONTEXT);
  TROUPE_SAME_NUMBER(CUDA_ERROR_NO_BINARY_FOR_GPU);
  TROUPE_SAME_NUMBER(CUDA_ERROR_ECC_UNCORRECTABLE);
  TROUPE_SAME_NUMBER(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  TROUPE_SAME_NUMBER(CUDA_ERROR_NVLINK_UNCORRECTABLE);
  TROUPE_SAME_NUMBER(CUDA_ERROR_CONTAINED);
  TROUPE_SAME_NUMBER(CUDA_ERROR_INVALID_HANDLE);
  TROUPE_SAME_NUMBER(CUDA_ERROR_NOT_FOUND);
  TROUPE_SAME_NUMBER(CUDA_ERROR_NOT_READY);
  TROUPE_SAME_NUMBER(CUDA_ERROR_ILLEGAL_ADDRESS);
  TROUPE_SAME_NUMBER(CUDA_ERROR_LAUNCH_TIMEOUT);
  TROUPE_SAME_NUMBER(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  TROUPE_SAME_NUMBER(CUDA_ERROR_ASSERT);
  TROUPE_SAME_NUMBER(CUDA_ERROR_TOO_MANY_PEERS);
  TROUPE_SAME_NUMBER(CUDA_ERROR_HARDWARE_STACK_ERROR);
  TROUPE_SAME_NUMBER(CUDA_ERROR_ILLEGAL_INSTRUCTION);
  TROUPE_SAME_NUMBER(CUDA_ERROR_MISALIGNED_ADDRESS);
  TROUPE_SAME_NUMBER(CUDA_ERROR_INVALID_ADDRESS_SPACE);
  TROUPE_SAME_NUMBER(CUDA_ERROR_INVALID_PC);
  TROUPE_SAME_NUMBER(CUDA_ERROR_LAUNCH_FAILED);
  TROUPE_SAME_NUMBER(CUDA_ERROR_TENSOR_MEMORY_LEAK);
  TROUPE_SAME_NUMBER(CUDA_ERROR_MPS_CLIENT_TERMINATED);
  TROUPE_SAME_NUMBER(CUDA_ERROR_EXTERNAL_DEVICE);
  TROUPE_SAME_NUMBER(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  TROUPE_SAME_NUMBER(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  TROUPE_SAME_NUMBER(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  TROUPE_SAME_NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  TROUPE_SAME_NUMBER(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  TROUPE_SAME_NUMBER(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  TROUPE_SAME_NUMBER(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  TROUPE_SAME_NUMBER(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
#undef TROUPE_SAME_NUMBER
  EXPECT_EQ(kStreamNonBlocking, static_cast<unsigned>(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(kEventDisableTiming, static_cast<unsigned>(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(kMemHostAllocPortable, static_cast<unsigned>(CU_MEMHOSTALLOC_PORTABLE));
}

}  // namespace
}  // namespace troupe::cuda
