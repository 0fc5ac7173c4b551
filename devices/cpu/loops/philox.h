#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <Eigen/Core>

namespace troupe {

/// Philox 4x32-10, a counter-based generator (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011):
/// each value of a 128-bit counter, with a key of 64 bits, gives a block of four 32-bit numbers. A value type.
class Philox {
 public:
  using Block = std::array<uint32_t, 4>;

  Philox() = default;
  /// The generator of a seed pair: the first is the key, the second the upper half of the counter.
  Philox(uint64_t seed, uint64_t seed2) : Philox(seed, 0, seed2) {}
  Philox(uint64_t key, uint64_t counter_low, uint64_t counter_high)
      : counter_low_(counter_low), counter_high_(counter_high), key_(key) {}

  uint64_t key() const { return key_; }
  uint64_t counter_low() const { return counter_low_; }
  uint64_t counter_high() const { return counter_high_; }

  /// Moves the counter on by `blocks`.
  void skip(uint64_t blocks) {
    counter_low_ += blocks;
    if (counter_low_ < blocks) ++counter_high_;
  }
  /// The block at the counter, which moves on by one.
  Block operator()() {
    Block c = {static_cast<uint32_t>(counter_low_), static_cast<uint32_t>(counter_low_ >> 32),
               static_cast<uint32_t>(counter_high_), static_cast<uint32_t>(counter_high_ >> 32)};
    uint32_t k0 = static_cast<uint32_t>(key_);
    uint32_t k1 = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
      c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
           static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    skip(1);
    return c;
  }

 private:
  uint64_t counter_low_ = 0;
  uint64_t counter_high_ = 0;
  uint64_t key_ = 0;
};

/// The numbers of a generator one by one.
class PhiloxStream {
 public:
  explicit PhiloxStream(Philox* generator) : generator_(generator) {}
  uint32_t operator()() {
    if (used_ == 4) {
      block_ = (*generator_)();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox* generator_;
  Philox::Block block_ = {};
  int used_ = 4;
};

/// Uniform in [0, 1): random bits as the mantissa of a number in [1, 2), less 1.
inline float uniform_float(uint32_t bits) {
  return std::bit_cast<float>((bits & 0x7fffffu) | (127u << 23)) - 1.0f;
}
inline double uniform_double(uint32_t high, uint32_t low) {
  const uint64_t mantissa = (uint64_t{high & 0xfffffu} << 32) | low;
  return std::bit_cast<double>(mantissa | (uint64_t{1023} << 52)) - 1.0;
}
inline Eigen::half uniform_half(uint32_t bits) {
  const uint16_t pattern = static_cast<uint16_t>((bits & 0x3ffu) | (15u << 10));
  return Eigen::half(static_cast<float>(std::bit_cast<Eigen::half>(pattern)) - 1.0f);
}
inline Eigen::bfloat16 uniform_bfloat16(uint32_t bits) {
  const uint16_t pattern = static_cast<uint16_t>((bits & 0x7fu) | (127u << 7));
  return Eigen::bfloat16(static_cast<float>(std::bit_cast<Eigen::bfloat16>(pattern)) - 1.0f);
}

/// Two independent normal numbers from two uniform ones (Box and Muller, 1958). The first is kept off 0.
template <class T>
std::array<T, 2> box_muller(T u, T v) {
  const T radius = std::sqrt(T(-2) * std::log(std::max(u, static_cast<T>(1.0e-7))));
  const T angle = static_cast<T>(2 * 3.14159265358979323846) * v;
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

/// Results of type T that one block gives.
template <class T>
inline constexpr int kPerBlock = sizeof(T) == 8 ? 2 : 4;

/// A block as uniform numbers.
template <class T>
std::array<T, kPerBlock<T>> uniform_block(const Philox::Block& b) {
  if constexpr (std::is_same_v<T, double>) {
    return {uniform_double(b[0], b[1]), uniform_double(b[2], b[3])};
  } else if constexpr (std::is_same_v<T, float>) {
    return {uniform_float(b[0]), uniform_float(b[1]), uniform_float(b[2]), uniform_float(b[3])};
  } else if constexpr (std::is_same_v<T, Eigen::half>) {
    return {uniform_half(b[0]), uniform_half(b[1]), uniform_half(b[2]), uniform_half(b[3])};
  } else {
    return {uniform_bfloat16(b[0]), uniform_bfloat16(b[1]), uniform_bfloat16(b[2]), uniform_bfloat16(b[3])};
  }
}

/// A block as normal numbers.
template <class T>
std::array<T, kPerBlock<T>> normal_block(const Philox::Block& b) {
  if constexpr (std::is_same_v<T, double>) {
    return box_muller(uniform_double(b[0], b[1]), uniform_double(b[2], b[3]));
  } else {
    const auto x = box_muller(uniform_float(b[0]), uniform_float(b[1]));
    const auto y = box_muller(uniform_float(b[2]), uniform_float(b[3]));
    return {static_cast<T>(x[0]), static_cast<T>(x[1]), static_cast<T>(y[0]), static_cast<T>(y[1])};
  }
}

/// A block as integers of 32 or 64 random bits.
template <class T>
std::array<T, kPerBlock<T>> integer_block(const Philox::Block& b) {
  if constexpr (sizeof(T) == 8) {
    return {static_cast<T>((uint64_t{b[1]} << 32) | b[0]), static_cast<T>((uint64_t{b[3]} << 32) | b[2])};
  } else {
    return {static_cast<T>(b[0]), static_cast<T>(b[1]), static_cast<T>(b[2]), static_cast<T>(b[3])};
  }
}

}  // namespace troupe
