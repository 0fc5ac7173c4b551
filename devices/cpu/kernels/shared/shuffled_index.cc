#include "devices/cpu/kernels/shared/shuffled_index.h"

#include <algorithm>
#include <cmath>

#include "absl/container/inlined_vector.h"

namespace troupe {
namespace {

/// A cipher of the Simon family (Beaulieu et al., "The Simon and Speck families of lightweight block ciphers", 2013) over
/// numbers of 2 * `bits` bits, so a permutation of them.
class SimonCipher {
 public:
  /// `rounds` >= 0.
  SimonCipher(int bits, const uint32_t (&key)[3], int64_t rounds)
      : bits_(bits), mask_(bits == 32 ? 0xffffffffu : (uint64_t{1} << bits) - 1) {
    keys_ = {key[0] & mask_, key[1] & mask_, key[2] & mask_};
    uint64_t z = kSequence;
    for (int64_t i = 3; i < rounds; ++i) {
      const size_t at = static_cast<size_t>(i);
      const uint64_t last = keys_[at - 1];
      keys_.push_back((kConstant & mask_) ^ (z & 1) ^ keys_[at - 3] ^ right(last, 3) ^ right(last, 4));
      z >>= 1;
    }
    if (keys_.size() % 2 != 0) keys_.push_back(0);
  }

  uint64_t operator()(uint64_t value) const {
    uint64_t high = (value >> bits_) & mask_, low = value & mask_;
    for (size_t i = 0; i + 1 < keys_.size(); i += 2) {
      high ^= mix(low) ^ keys_[i];
      low ^= mix(high) ^ keys_[i + 1];
    }
    return (high << bits_) | low;
  }

 private:
  static constexpr uint64_t kConstant = 0xfffffffc;
  static constexpr uint64_t kSequence = 0x7369f885192c0ef5;

  uint64_t left(uint64_t x, int by) const { return ((x << by) | (x >> (bits_ - by))) & mask_; }
  uint64_t right(uint64_t x, int by) const { return ((x >> by) | (x << (bits_ - by))) & mask_; }
  uint64_t mix(uint64_t x) const { return (left(x, 1) & left(x, 8)) ^ left(x, 2); }

  int bits_;
  uint64_t mask_;
  absl::InlinedVector<uint64_t, 8> keys_;
};

}  // namespace

uint64_t shuffled_index(uint64_t index, const uint32_t (&key)[3], uint64_t max_index, int64_t rounds) {
  constexpr int kMinBlock = 16;
  // In doubles, as TensorFlow does: beyond 2^53 that may be a bit less than the numbers need.
  int block = max_index <= 1 ? 0 : static_cast<int>(std::ceil(std::log2(static_cast<double>(max_index))));
  block = std::max(block + block % 2, kMinBlock);
  const SimonCipher cipher(block / 2, key, rounds);
  do {
    index = cipher(index);
  } while (index > max_index);
  return index;
}

}  // namespace troupe
