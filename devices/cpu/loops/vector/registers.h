#pragma once
// For the sources of this folder that are compiled once for each instruction set, and no others: everything is in the set's
// own namespace, so that the linker never takes code with one set's instructions for another's. For the same reason these
// sources include nothing whose functions are not always inlined: no standard containers or algorithms, no Eigen, no Abseil.
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The namespace; CMakeLists.txt says which for each set.
#ifndef TROUPE_ISA
#define TROUPE_ISA baseline
#endif
#define TROUPE_INLINE inline __attribute__((always_inline))
#define TROUPE_INLINE_LAMBDA __attribute__((always_inline))

namespace troupe::TROUPE_ISA {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// A register of elements T. Operators work on each element; a comparison gives integers, all bits set where it holds.
template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vec = typename VecOf<T>::type;
using Floats = Vec<float>;
using Ints = Vec<int32_t>;
using Doubles = Vec<double>;
using Longs = Vec<int64_t>;
template <class T>
constexpr int64_t kWidth = kVectorBytes / sizeof(T);

template <class T>
TROUPE_INLINE Vec<T> splat(T v) {
  return v - Vec<T>{};
}
template <class T>
TROUPE_INLINE Vec<T> load(const T* p) {
  Vec<T> v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
template <class T>
TROUPE_INLINE void store(T* p, Vec<T> v) {
  __builtin_memcpy(p, &v, sizeof(v));
}

#if defined(__AVX2__) && !defined(__AVX512F__)
TROUPE_INLINE __m256i first_lanes(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
TROUPE_INLINE __m256i first_wide_lanes(int64_t count) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
#endif

/// The first `count` elements, fewer than a register holds; zeros behind them. Reads nothing else.
template <class T>
TROUPE_INLINE Vec<T> load_part(const T* p, int64_t count) {
  if constexpr (sizeof(T) == 4) {
#if defined(__AVX512F__)
    return (Vec<T>)_mm512_maskz_loadu_epi32(static_cast<__mmask16>((1u << count) - 1), p);
#elif defined(__AVX2__)
    return (Vec<T>)_mm256_maskload_epi32(reinterpret_cast<const int*>(p), first_lanes(count));
#endif
  }
  if constexpr (sizeof(T) == 8) {
#if defined(__AVX512F__)
    return (Vec<T>)_mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << count) - 1), p);
#elif defined(__AVX2__)
    return (Vec<T>)_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), first_wide_lanes(count));
#endif
  }
  Vec<T> v = {};
  __builtin_memcpy(&v, p, static_cast<size_t>(count) * sizeof(T));
  return v;
}
/// Writes the first `count` elements and nothing else.
template <class T>
TROUPE_INLINE void store_part(T* p, Vec<T> v, int64_t count) {
  if constexpr (sizeof(T) == 4) {
#if defined(__AVX512F__)
    return _mm512_mask_storeu_epi32(p, static_cast<__mmask16>((1u << count) - 1), (__m512i)v);
#elif defined(__AVX2__)
    return _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first_lanes(count), (__m256i)v);
#endif
  }
  if constexpr (sizeof(T) == 8) {
#if defined(__AVX512F__)
    return _mm512_mask_storeu_epi64(p, static_cast<__mmask8>((1u << count) - 1), (__m512i)v);
#elif defined(__AVX2__)
    return _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), first_wide_lanes(count), (__m256i)v);
#endif
  }
  __builtin_memcpy(p, &v, static_cast<size_t>(count) * sizeof(T));
}

}  // namespace troupe::TROUPE_ISA
