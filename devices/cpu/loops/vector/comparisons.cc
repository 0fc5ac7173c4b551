// Comparisons of two elements of one type, compiled for each instruction set: bools of whole registers.
#include "devices/cpu/loops/row.h"
#include "devices/cpu/loops/vector/sets.h"
#include "devices/cpu/loops/vector/vec.h"

namespace troupe::TROUPE_ISA {
namespace {

/// Bools are made and written so many at a time.
constexpr int64_t kBools = 16;
typedef int8_t Bools __attribute__((vector_size(kBools)));
/// What a comparison of registers of T gives.
template <class T>
using Mask = decltype(Vec<T>{} < Vec<T>{});
/// Registers of T that make kBools.
template <class T>
constexpr int kRegisters = static_cast<int>(kBools / kWidth<T>);

/// 1 where a mask's element has all its bits set, 0 where it has none.
template <class T>
TROUPE_INLINE Bools pack(const Mask<T>* masks) {
#if defined(__AVX512F__)
  __mmask16 bits;
  if constexpr (sizeof(T) == 4) {
    bits = _mm512_movepi32_mask((__m512i)masks[0]);
  } else {
    bits = _mm512_kunpackb(_mm512_movepi64_mask((__m512i)masks[1]), _mm512_movepi64_mask((__m512i)masks[0]));
  }
  return (Bools)_mm_maskz_set1_epi8(bits, 1);
#elif defined(__x86_64__)
  // Halves of halves: of eight bytes the lower four say all.
  __m128i parts[kBools * sizeof(T) / 16];
  __builtin_memcpy(parts, masks, sizeof(parts));
  if constexpr (sizeof(T) == 8) {
    for (int i = 0; i < 4; ++i) {
      parts[i] = (__m128i)_mm_shuffle_ps((__m128)parts[2 * i], (__m128)parts[2 * i + 1], 0x88);
    }
  }
  const __m128i low = _mm_packs_epi32(parts[0], parts[1]), high = _mm_packs_epi32(parts[2], parts[3]);
  return (Bools)_mm_packs_epi16(low, high) & 1;
#else
  Bools out;
  for (int i = 0; i < kBools; ++i) out[i] = masks[i / kWidth<T>][i % kWidth<T>] & 1;
  return out;
#endif
}

/// Bools of n elements, where `mask(i)` compares a register's from element i on, and `rest(i, count)` fewer.
template <class T, class M, class R>
TROUPE_INLINE void compare(int64_t n, bool* out, M mask, R rest) {
  constexpr int64_t kStep = kWidth<T>;
  Mask<T> masks[kRegisters<T>];
  int64_t i = 0;
  for (; i + kBools <= n; i += kBools) {
    for (int r = 0; r < kRegisters<T>; ++r) masks[r] = mask(i + r * kStep);
    const Bools bools = pack<T>(masks);
    __builtin_memcpy(out + i, &bools, sizeof(bools));
  }
  if (i == n) return;
  for (int r = 0; r < kRegisters<T>; ++r) {
    const int64_t at = i + r * kStep, left = n - at;
    masks[r] = left >= kStep ? mask(at) : left > 0 ? rest(at, left) : Mask<T>{};
  }
  const Bools bools = pack<T>(masks);
  __builtin_memcpy(out + i, &bools, static_cast<size_t>(n - i));
}

/// A BinaryRow from elements T to bools.
template <class T, class F>
bool comparison_row(const void* a, const void* b, void* out, int64_t n, RowMode mode) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  bool* o = static_cast<bool*>(out);
  if (n == 0) return true;
  if (mode == RowMode::kBoth) {
    compare<T>(
        n, o, [x, y](int64_t i) TROUPE_INLINE_LAMBDA { return F()(load(x + i), load(y + i)); },
        [x, y](int64_t i, int64_t count)
            TROUPE_INLINE_LAMBDA { return F()(load_part(x + i, count), load_part(y + i, count)); });
  } else if (mode == RowMode::kScalarA) {
    const Vec<T> s = splat(x[0]);
    compare<T>(
        n, o, [s, y](int64_t i) TROUPE_INLINE_LAMBDA { return F()(s, load(y + i)); },
        [s, y](int64_t i, int64_t count) TROUPE_INLINE_LAMBDA { return F()(s, load_part(y + i, count)); });
  } else {
    const Vec<T> s = splat(y[0]);
    compare<T>(
        n, o, [s, x](int64_t i) TROUPE_INLINE_LAMBDA { return F()(load(x + i), s); },
        [s, x](int64_t i, int64_t count) TROUPE_INLINE_LAMBDA { return F()(load_part(x + i, count), s); });
  }
  return true;
}

struct Less {
  template <class V>
  TROUPE_INLINE auto operator()(V a, V b) const {
    return a < b;
  }
};
struct LessEqual {
  template <class V>
  TROUPE_INLINE auto operator()(V a, V b) const {
    return a <= b;
  }
};
struct Equal {
  template <class V>
  TROUPE_INLINE auto operator()(V a, V b) const {
    return a == b;
  }
};
struct NotEqual {
  template <class V>
  TROUPE_INLINE auto operator()(V a, V b) const {
    return a != b;
  }
};

template <class T>
Comparisons of_elements() {
  return {.less = comparison_row<T, Less>,
          .less_equal = comparison_row<T, LessEqual>,
          .equal = comparison_row<T, Equal>,
          .not_equal = comparison_row<T, NotEqual>};
}

}  // namespace

Comparisons float_comparisons() { return of_elements<float>(); }
Comparisons double_comparisons() { return of_elements<double>(); }
Comparisons int_comparisons() { return of_elements<int32_t>(); }
Comparisons long_comparisons() { return of_elements<int64_t>(); }

}  // namespace troupe::TROUPE_ISA
