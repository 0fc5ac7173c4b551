// Philox 4x32-10 (devices/cpu/loops/philox.h), a register of blocks at once, compiled for each instruction set: the same bits in every set.
#include "devices/cpu/loops/vector/registers.h"
#include "devices/cpu/loops/vector/sets.h"

namespace troupe::TROUPE_ISA {
namespace {

using Words = Vec<uint32_t>;
using WideWords = Vec<uint64_t>;
constexpr int64_t kBlocks = kWidth<uint32_t>;
/// Parts of a register that instructions of 16 bytes stay in.
constexpr int64_t kParts = kBlocks / 4;
constexpr uint64_t kLow = 0xffffffff;

/// Of the lower halves.
TROUPE_INLINE WideWords product(WideWords a, WideWords b) {
#if defined(__AVX512F__)
  return (WideWords)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
  return (WideWords)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
  return (WideWords)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & kLow) * (b & kLow);
#endif
}

/// From both, in turns, of each part of 16 bytes: the first two words or the last two, the first pair of words or the last.
#if defined(__AVX512F__)
TROUPE_INLINE Words first_words(Words a, Words b) {
  return (Words)_mm512_maskz_unpacklo_epi32(0xffff, (__m512i)a, (__m512i)b);
}
TROUPE_INLINE Words last_words(Words a, Words b) {
  return (Words)_mm512_maskz_unpackhi_epi32(0xffff, (__m512i)a, (__m512i)b);
}
TROUPE_INLINE Words first_pairs(Words a, Words b) {
  return (Words)_mm512_maskz_unpacklo_epi64(0xff, (__m512i)a, (__m512i)b);
}
TROUPE_INLINE Words last_pairs(Words a, Words b) {
  return (Words)_mm512_maskz_unpackhi_epi64(0xff, (__m512i)a, (__m512i)b);
}
#elif defined(__AVX2__)
TROUPE_INLINE Words first_words(Words a, Words b) {
  return (Words)_mm256_unpacklo_epi32((__m256i)a, (__m256i)b);
}
TROUPE_INLINE Words last_words(Words a, Words b) {
  return (Words)_mm256_unpackhi_epi32((__m256i)a, (__m256i)b);
}
TROUPE_INLINE Words first_pairs(Words a, Words b) {
  return (Words)_mm256_unpacklo_epi64((__m256i)a, (__m256i)b);
}
TROUPE_INLINE Words last_pairs(Words a, Words b) {
  return (Words)_mm256_unpackhi_epi64((__m256i)a, (__m256i)b);
}
#else
TROUPE_INLINE Words first_words(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
TROUPE_INLINE Words last_words(Words a, Words b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
TROUPE_INLINE Words first_pairs(Words a, Words b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
TROUPE_INLINE Words last_pairs(Words a, Words b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
#endif

/// a * factor of each word.
TROUPE_INLINE void multiply(Words a, uint32_t factor, Words* high, Words* low) {
  const WideWords even = product((WideWords)a, splat(uint64_t{factor}));
  const WideWords odd = product((WideWords)a >> 32, splat(uint64_t{factor}));
  *low = (Words)((even & kLow) | (odd << 32));
  *high = (Words)((even >> 32) | (odd & ~kLow));
}

/// kBlocks blocks from a counter on, to r[0..4): 4 * kBlocks words in their order.
TROUPE_INLINE void blocks_at(uint64_t key, uint64_t low, uint64_t high, Words* r) {
  // Which block is calculated where: so that rows of four become neighbours at the end.
  Words number;
  for (int64_t part = 0; part < kParts; ++part) {
    for (int64_t k = 0; k < 4; ++k) number[4 * part + k] = static_cast<uint32_t>(kParts * k + part);
  }
  Words c0 = number + static_cast<uint32_t>(low);
  // What runs over, all bits set, goes on to the next word.
  Words over = (Words)(c0 < number);
  Words c1 = splat(static_cast<uint32_t>(low >> 32)) - over;
  over &= (Words)(c1 == 0);
  Words c2 = splat(static_cast<uint32_t>(high)) - over;
  over &= (Words)(c2 == 0);
  Words c3 = splat(static_cast<uint32_t>(high >> 32)) - over;
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    Words a_high, a_low, b_high, b_low;
    multiply(c0, 0xD2511F53, &a_high, &a_low);
    multiply(c2, 0xCD9E8D57, &b_high, &b_low);
    c0 = b_high ^ c1 ^ k0;
    c1 = b_low;
    c2 = a_high ^ c3 ^ k1;
    c3 = a_low;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  const Words x = first_words(c0, c1), y = last_words(c0, c1), z = first_words(c2, c3),
              w = last_words(c2, c3);
  r[0] = first_pairs(x, z);
  r[1] = last_pairs(x, z);
  r[2] = first_pairs(y, w);
  r[3] = last_pairs(y, w);
}

/// `as(words)`: what is written of them.
template <class T, class As>
TROUPE_INLINE void fill(uint64_t key, uint64_t low, uint64_t high, int64_t blocks, T* out, As as) {
  Words r[4];
  for (; blocks >= kBlocks; blocks -= kBlocks, out += 4 * kBlocks) {
    blocks_at(key, low, high, r);
    for (int64_t k = 0; k < 4; ++k) store(out + k * kBlocks, as(r[k]));
    low += kBlocks;
    high += low < kBlocks;
  }
  if (blocks == 0) return;
  blocks_at(key, low, high, r);
  T last[4 * kBlocks];
  for (int64_t k = 0; k < 4; ++k) store(last + k * kBlocks, as(r[k]));
  __builtin_memcpy(out, last, static_cast<size_t>(blocks) * 4 * sizeof(T));
}

void bits(uint64_t key, uint64_t low, uint64_t high, int64_t blocks, uint32_t* out) {
  fill(key, low, high, blocks, out, [](Words words) TROUPE_INLINE_LAMBDA { return words; });
}

void floats(uint64_t key, uint64_t low, uint64_t high, int64_t blocks, float* out) {
  fill(key, low, high, blocks, out,
       [](Words words) TROUPE_INLINE_LAMBDA { return (Floats)((words & 0x7fffffu) | (127u << 23)) - 1.0f; });
}

}  // namespace

Randoms randoms() {
  return {
      .bits = bits,
      .floats = floats,
  };
}

}  // namespace troupe::TROUPE_ISA
