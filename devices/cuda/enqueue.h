#pragma once

#include <array>
#include <string>
#include <type_traits>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "devices/cuda/kernels/dims.h"
#include "devices/kernel.h"

namespace troupe {

/// A kernel to start: its name, and where its arguments are and how many bytes each has.
struct Launch {
  absl::string_view kernel;
  /// Elements (blocks of kEnqueueThreads share them), or blocks of as many threads.
  int64_t total = 0;
  bool per_block = false;
  void** args = nullptr;
  const size_t* sizes = nullptr;
  int num_args = 0;
};

/// Threads of a block.
inline constexpr int kEnqueueThreads = 256;

/// Enqueues on the compute stream of the context's device and returns at once. NotFound for a kernel that no image has, Internal for one with
/// other arguments, both with the node and its op; else the driver's error.
absl::Status enqueue_launch(KernelContext& c, const Launch& launch);

namespace internal {
template <class... Args>
absl::Status enqueue_args(KernelContext& c, absl::string_view kernel, int64_t total, bool per_block,
                          Args&... args) {
  static_assert((std::is_trivially_copyable_v<Args> && ...), "arguments are copied byte by byte");
  if (total == 0) return absl::OkStatus();
  std::array<void*, sizeof...(Args)> pointers = {const_cast<void*>(static_cast<const void*>(&args))...};
  const std::array<size_t, sizeof...(Args)> sizes = {sizeof(Args)...};
  return enqueue_launch(
      c, {kernel, total, per_block, pointers.data(), sizes.data(), static_cast<int>(sizeof...(Args))});
}
}  // namespace internal

/// Enqueues a kernel over `total` elements (TROUPE_FOR_EACH; block and grid are chosen here) on the device's compute stream; no work
/// for total 0. The arguments' types are those of the kernel's parameters, exactly. Errors as of enqueue_launch.
template <class... Args>
absl::Status enqueue(KernelContext& c, absl::string_view kernel, int64_t total, Args... args) {
  return internal::enqueue_args(c, kernel, total, false, args...);
}

/// The same with `blocks` blocks of many threads, a row each; less than `blocks` where a grid cannot have so many, so that kernels
/// walk with TROUPE_FOR_BLOCKS.
template <class... Args>
absl::Status enqueue_blocks(KernelContext& c, absl::string_view kernel, int64_t blocks, Args... args) {
  return internal::enqueue_args(c, kernel, blocks, true, args...);
}

/// Fills t, which is in the device's memory, with zero bytes on the compute stream.
absl::Status enqueue_zeros(KernelContext& c, Tensor* t);

/// Copies within the device's memory on the compute stream; nothing for no bytes.
absl::Status enqueue_copy(KernelContext& c, const void* from, void* to, size_t bytes);

/// Output i, registered with host memory, there.
absl::StatusOr<Tensor*> allocate_host_output(KernelContext& c, int i, const Shape& shape);

/// "add" and kFloat: "add_f32". The names of kernels' instances: _f32 _f64 _f16 _bf16 _i8 _u8 _i16 _u16 _i32 _u32 _i64 _u64 _b _c64
/// _c128; for other dtypes those of an element as large (only kernels that move bytes have such): of 1 byte _u8 and so on.
std::string with_suffix(absl::string_view base, DataType dtype);

/// A shape's sizes as an argument. Rank at most kMax.
template <int kMax = 8>
Dims<kMax> dims_of(const Shape& shape) {
  Dims<kMax> dims;
  dims.rank = shape.rank();
  for (int i = 0; i < shape.rank(); ++i) dims.sizes[i] = shape.dim(i);
  return dims;
}

}  // namespace troupe
