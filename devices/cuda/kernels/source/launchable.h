#pragma once

#include <type_traits>

#include "devices/cuda/kernels/dims.h"
#include "devices/cuda/kernels/source/scalars.h"

// What kernels are written in: compiled by nvcc for GPUs, and by the host's compiler for the emulated driver of the tests, where a
// block has one thread. So a kernel must be right for any number of blocks, and of threads in a block (a multiple of 32 on GPUs,
// at most 1,024): it walks with TROUPE_FOR_EACH and TROUPE_FOR_THREADS, and threads meet in block_* alone.
//
//   TROUPE_KERNEL(neg_f32, (const float* x, float* y, int64_t n)) { TROUPE_FOR_EACH(i, n) { y[i] = -x[i]; } }
//
// Parameters are trivially copyable and passed by value: pointers to the device's memory, numbers, structs such as Dims.

#ifdef __CUDACC__

#define TROUPE_KERNEL(name, parameters) extern "C" __global__ void name parameters
#define TROUPE_SHARED(T, name, count) __shared__ T name[count]
/// Before a loop of few rounds that need not be written out.
#define TROUPE_KEEP_LOOP _Pragma("unroll 1")

#else

#include "devices/cuda/kernels/source/emulated.h"

#define TROUPE_KERNEL(name, parameters)                        \
  static void name parameters;                                 \
  [[maybe_unused]] static const bool registered_##name =       \
      ::troupe::launchable::Emulated<name>::registered(#name); \
  static void name parameters
#define TROUPE_SHARED(T, name, count) T name[count]
#define TROUPE_KEEP_LOOP

#endif

/// The elements [0, n) over all threads of all blocks; int64_t i.
#define TROUPE_FOR_EACH(i, n) \
  for (int64_t i = ::troupe::launchable::first_of_grid(); i < (n); i += ::troupe::launchable::grid_threads())
/// [0, n) over the threads of this block; int64_t i.
#define TROUPE_FOR_THREADS(i, n) \
  for (int64_t i = ::troupe::launchable::thread_index(); i < (n); i += ::troupe::launchable::block_threads())
/// [0, n) over blocks: all threads of a block get the same i.
#define TROUPE_FOR_BLOCKS(i, n) \
  for (int64_t i = ::troupe::launchable::block_index(); i < (n); i += ::troupe::launchable::grid_size())

namespace troupe::launchable {

#ifdef __CUDACC__
__device__ inline int64_t block_index() { return blockIdx.x; }
__device__ inline int64_t grid_size() { return gridDim.x; }
__device__ inline int64_t thread_index() { return threadIdx.x; }
__device__ inline int64_t block_threads() { return blockDim.x; }
__device__ inline void block_sync() { __syncthreads(); }
#define TROUPE_DEVICE_ONLY __device__ inline
#else
inline int64_t block_index() { return emulated_block.index; }
inline int64_t grid_size() { return emulated_block.grid; }
inline int64_t thread_index() { return 0; }
inline int64_t block_threads() { return 1; }
inline void block_sync() {}
/// As TROUPE_DEVICE, for what calls block_* or atomic_*.
#define TROUPE_DEVICE_ONLY inline
#endif

TROUPE_DEVICE_ONLY int64_t first_of_grid() { return block_index() * block_threads() + thread_index(); }
TROUPE_DEVICE_ONLY int64_t grid_threads() { return grid_size() * block_threads(); }

#ifdef __CUDACC__
/// The value of the lane `distance` further on, word by word.
template <class T>
__device__ T shuffled_down(const T& value, int distance) {
  static_assert(sizeof(T) % 4 == 0);
  uint32_t words[sizeof(T) / 4];
  memcpy(words, &value, sizeof(T));
  for (uint32_t& word : words) word = __shfl_down_sync(0xffffffffU, word, distance);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}
#endif

/// op over the values of all threads of the block, in any order; each of them calls it and gets the result. T has a multiple of 4
/// bytes (compute in compute_t, bools as int32_t) and a trivial default constructor. Blocks hold a multiple of 32 threads.
template <class T, class Op>
TROUPE_DEVICE_ONLY T block_reduce(T value, Op op) {
#ifdef __CUDACC__
  __shared__ T of_warps[32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned warps = blockDim.x / 32;
  for (int distance = 16; distance > 0; distance /= 2) value = op(value, shuffled_down(value, distance));
  __syncthreads();  // An earlier result may still be read.
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < warps; ++w) value = op(value, of_warps[w]);
    of_warps[0] = value;
  }
  __syncthreads();
  return of_warps[0];
#else
  (void)op;
  return value;
#endif
}

struct Sum {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
};
struct Product {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a * b;
  }
};
/// The greater; b where they do not compare.
struct Max {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct Min {
  template <class T>
  TROUPE_DEVICE T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};

template <class T>
TROUPE_DEVICE_ONLY T block_sum(T value) {
  return block_reduce(value, Sum());
}
template <class T>
TROUPE_DEVICE_ONLY T block_product(T value) {
  return block_reduce(value, Product());
}
template <class T>
TROUPE_DEVICE_ONLY T block_max(T value) {
  return block_reduce(value, Max());
}
template <class T>
TROUPE_DEVICE_ONLY T block_min(T value) {
  return block_reduce(value, Min());
}

#ifdef __CUDACC__
/// Replaces *p by op(*p, value) with compare-and-swap of its word; a byte with the word around it.
template <class T, class Op>
__device__ void atomic_apply(T* p, T value, Op op) {
  if constexpr (sizeof(T) == 8) {
    auto* word = reinterpret_cast<unsigned long long*>(p);
    unsigned long long seen = *word;
    for (;;) {
      const auto wanted = bits_as<unsigned long long>(static_cast<T>(op(bits_as<T>(seen), value)));
      const unsigned long long found = atomicCAS(word, seen, wanted);
      if (found == seen) return;
      seen = found;
    }
  } else if constexpr (sizeof(T) == 4) {
    auto* word = reinterpret_cast<unsigned*>(p);
    unsigned seen = *word;
    for (;;) {
      const unsigned found =
          atomicCAS(word, seen, bits_as<unsigned>(static_cast<T>(op(bits_as<T>(seen), value))));
      if (found == seen) return;
      seen = found;
    }
  } else {
    static_assert(sizeof(T) < 4, "numbers of 16 bytes have no atomic operation");
    const auto address = reinterpret_cast<uintptr_t>(p);
    auto* word = reinterpret_cast<unsigned*>(address & ~uintptr_t{3});
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    const unsigned mask = (sizeof(T) == 1 ? 0xffU : 0xffffU) << shift;
    using Bits = std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>;
    unsigned seen = *word;
    for (;;) {
      const T old = bits_as<T>(static_cast<Bits>((seen & mask) >> shift));
      const unsigned fresh = bits_as<Bits>(static_cast<T>(op(old, value)));
      const unsigned found = atomicCAS(word, seen, (seen & ~mask) | (fresh << shift));
      if (found == seen) return;
      seen = found;
    }
  }
}
#else
template <class T, class Op>
void atomic_apply(T* p, T value, Op op) {
  *p = static_cast<T>(op(*p, value));
}
#endif

/// Adds to *p; complex numbers in two halves. Sums of floats in any order.
template <class T>
TROUPE_DEVICE_ONLY void atomic_add(T* p, T value) {
  if constexpr (is_complex_v<T>) {
    atomic_add(&p->re, value.re);
    atomic_add(&p->im, value.im);
  } else {
#ifdef __CUDACC__
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> ||
                  std::is_same_v<T, uint32_t>) {
      atomicAdd(p, value);
      return;
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
      return;
    } else {
      atomic_apply(p, value, Sum());
    }
#else
    if constexpr (std::is_integral_v<T>) {
      *p = static_cast<T>(static_cast<uint64_t>(*p) + static_cast<uint64_t>(value));  // wraps
    } else {
      *p = static_cast<T>(*p + value);
    }
#endif
  }
}
template <class T>
TROUPE_DEVICE_ONLY void atomic_max(T* p, T value) {
  atomic_apply(p, value, Max());
}
template <class T>
TROUPE_DEVICE_ONLY void atomic_min(T* p, T value) {
  atomic_apply(p, value, Min());
}

}  // namespace troupe::launchable

// Kernels are written at the top.
using namespace troupe::launchable;  // NOLINT
using troupe::Dims;                  // NOLINT
