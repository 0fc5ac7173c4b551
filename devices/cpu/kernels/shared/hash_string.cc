#include "devices/cpu/kernels/shared/hash_string.h"

#include <bit>
#include <cstring>
#include <utility>

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

uint64_t word64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}
uint64_t word32(const char* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof(v));
  return v;
}

// The constants and steps of FarmHash's portable 64-bit function.
constexpr uint64_t kPrime0 = 0xc3a5c85c97cb3127;
constexpr uint64_t kPrime1 = 0xb492b66fbe98f273;
constexpr uint64_t kPrime2 = 0x9ae16a3b2f90404f;

uint64_t fold(uint64_t v) { return v ^ (v >> 47); }

uint64_t mix(uint64_t u, uint64_t v, uint64_t mul) {
  const uint64_t a = fold((u ^ v) * mul);
  return fold((v ^ a) * mul) * mul;
}

uint64_t farm_to_16(const char* s, size_t n) {
  if (n >= 8) {
    const uint64_t mul = kPrime2 + n * 2;
    const uint64_t a = word64(s) + kPrime2, b = word64(s + n - 8);
    return mix(std::rotr(b, 37) * mul + a, (std::rotr(a, 25) + b) * mul, mul);
  }
  if (n >= 4) return mix(n + (word32(s) << 3), word32(s + n - 4), kPrime2 + n * 2);
  if (n == 0) return kPrime2;
  const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(s[i])}; };
  const uint32_t y = byte(0) + (byte(n >> 1) << 8);
  const uint32_t z = static_cast<uint32_t>(n) + (byte(n - 1) << 2);
  return fold(y * kPrime2 ^ z * kPrime0) * kPrime2;
}

uint64_t farm_to_32(const char* s, size_t n) {
  const uint64_t mul = kPrime2 + n * 2;
  const uint64_t a = word64(s) * kPrime1, b = word64(s + 8);
  const uint64_t c = word64(s + n - 8) * mul, d = word64(s + n - 16) * kPrime2;
  return mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kPrime2, 18) + c, mul);
}

uint64_t farm_to_64(const char* s, size_t n) {
  const uint64_t mul = kPrime2 + n * 2;
  const uint64_t a = word64(s) * kPrime2, b = word64(s + 8);
  const uint64_t c = word64(s + n - 8) * mul, d = word64(s + n - 16) * kPrime2;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = mix(y, a + std::rotr(b + kPrime2, 18) + c, mul);
  const uint64_t e = word64(s + 16) * mul, f = word64(s + 24);
  const uint64_t g = (y + word64(s + n - 32)) * mul, h = (z + word64(s + n - 24)) * mul;
  return mix(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, mul);
}

struct Pair {
  uint64_t first = 0, second = 0;
};

Pair weak_32(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = word64(s), x = word64(s + 8), y = word64(s + 16), z = word64(s + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

struct SipState {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

/// Two words as one.
uint64_t join(uint64_t u, uint64_t v) { return mix(u, v, 0x9ddfea08eb382d69); }

/// Fingerprint128 of less than 128 bytes.
Pair city_murmur(const char* s, size_t n, Pair seed) {
  uint64_t a = seed.first, b = seed.second, c = 0, d = 0;
  if (n <= 16) {
    a = fold(a * kPrime1) * kPrime1;
    c = b * kPrime1 + farm_to_16(s, n);
    d = fold(a + (n >= 8 ? word64(s) : c));
  } else {
    c = join(word64(s + n - 8) + kPrime1, a);
    d = join(b + n, c + word64(s + n - 16));
    a += d;
    // The last 16 bytes have been read.
    for (size_t left = n - 16;; left -= 16, s += 16) {
      a = (a ^ fold(word64(s) * kPrime1) * kPrime1) * kPrime1;
      b ^= a;
      c = (c ^ fold(word64(s + 8) * kPrime1) * kPrime1) * kPrime1;
      d ^= c;
      if (left <= 16) break;
    }
  }
  a = join(a, c);
  b = join(d, b);
  return {a ^ b, join(b, a)};
}

Pair city_128(const char* s, size_t n, Pair seed) {
  if (n < 128) return city_murmur(s, n, seed);
  uint64_t x = seed.first, y = seed.second, z = n * kPrime1;
  Pair v, w;
  v.first = std::rotr(y ^ kPrime1, 49) * kPrime1 + word64(s);
  v.second = std::rotr(v.first, 42) * kPrime1 + word64(s + 8);
  w.first = std::rotr(y + z, 35) * kPrime1 + x;
  w.second = std::rotr(x + word64(s + 88), 53) * kPrime1;
  for (; n >= 128; n -= 128) {
    for (int half = 0; half < 2; ++half, s += 64) {
      x = std::rotr(x + y + v.first + word64(s + 8), 37) * kPrime1;
      y = std::rotr(y + v.second + word64(s + 48), 42) * kPrime1;
      x ^= w.second;
      y += v.first + word64(s + 40);
      z = std::rotr(z + w.first, 33) * kPrime1;
      v = weak_32(s, v.second * kPrime1, x + w.first);
      w = weak_32(s + 32, z + w.second, y + word64(s + 16));
      std::swap(z, x);
    }
  }
  x += std::rotr(v.first + z, 49) * kPrime0;
  y = y * kPrime0 + std::rotr(w.second, 37);
  z = z * kPrime0 + std::rotr(w.first, 27);
  w.first *= 9;
  v.first *= kPrime0;
  // What is left, 32 bytes at a time from the end; the first of them may reach back into what was read.
  for (size_t done = 0; done < n;) {
    done += 32;
    const char* p = s + n - done;
    y = std::rotr(x + y, 42) * kPrime0 + v.second;
    w.first += word64(p + 16);
    x = x * kPrime0 + w.first;
    z += w.second + word64(p);
    w.second += v.first;
    v = weak_32(p, v.first + z, v.second);
    v.first *= kPrime0;
  }
  x = join(x, v.first);
  y = join(y + z, w.first);
  return {join(x + v.second, w.second) + y, join(x + w.second, y + v.second)};
}

}  // namespace

std::pair<uint64_t, uint64_t> farm_fingerprint128(absl::string_view text) {
  const char* s = text.data();
  const size_t n = text.size();
  const Pair p = n >= 16 ? city_128(s + 16, n - 16, {word64(s), word64(s + 8) + kPrime0})
                         : city_128(s, n, {kPrime0, kPrime1});
  return {p.first, p.second};
}

uint64_t farm_fingerprint64(absl::string_view text) {
  const char* s = text.data();
  const size_t n = text.size();
  if (n <= 16) return farm_to_16(s, n);
  if (n <= 32) return farm_to_32(s, n);
  if (n <= 64) return farm_to_64(s, n);
  uint64_t x = 81, y = 81 * kPrime1 + 113, z = fold(y * kPrime2 + 113) * kPrime2;
  Pair v, w;
  x = x * kPrime2 + word64(s);
  const auto step = [&](const char* p, uint64_t mul, uint64_t weight) {
    x = std::rotr(x + y + v.first + word64(p + 8), 37) * mul;
    y = std::rotr(y + v.second + word64(p + 48), 42) * mul;
    x ^= w.second * weight;
    y += v.first * weight + word64(p + 40);
    z = std::rotr(z + w.first, 33) * mul;
    v = weak_32(p, v.second * mul, x + w.first);
    w = weak_32(p + 32, z + w.second, y + word64(p + 16));
    std::swap(z, x);
  };
  const char* const end = s + (n - 1) / 64 * 64;
  for (; s != end; s += 64) step(s, kPrime1, 1);
  const uint64_t mul = kPrime1 + ((z & 0xff) << 1);
  w.first += (n - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  step(text.data() + n - 64, mul, 9);
  return mix(mix(v.first, w.first, mul) + fold(y) * kPrime0 + z, mix(v.second, w.second, mul) + x, mul);
}

uint64_t sip_hash(uint64_t k0, uint64_t k1, absl::string_view s) {
  SipState state{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
                 k1 ^ 0x7465646279746573};
  size_t i = 0;
  for (; i + 8 <= s.size(); i += 8) state.absorb(word64(s.data() + i));
  uint64_t last = uint64_t{s.size()} << 56;
  if (i < s.size()) std::memcpy(&last, s.data() + i, s.size() - i);
  state.absorb(last);
  state.v2 ^= 0xff;
  for (int r = 0; r < 4; ++r) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

uint64_t murmur_hash64(absl::string_view s) {
  constexpr uint64_t kSeed = 0xDECAFCAFFE, kMul = 0xc6a4a7935bd1e995;
  uint64_t h = kSeed ^ (s.size() * kMul);
  size_t i = 0;
  for (; i + 8 <= s.size(); i += 8) {
    uint64_t k = word64(s.data() + i) * kMul;
    k = (k ^ (k >> 47)) * kMul;
    h = (h ^ k) * kMul;
  }
  if (i < s.size()) {
    uint64_t rest = 0;
    std::memcpy(&rest, s.data() + i, s.size() - i);
    h = (h ^ rest) * kMul;
  }
  h = (h ^ (h >> 47)) * kMul;
  return h ^ (h >> 47);
}

}  // namespace troupe
