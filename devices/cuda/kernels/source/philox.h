#pragma once

#include "devices/cuda/kernels/source/scalars.h"

namespace troupe::launchable {

/// Philox 4x32-10 (Salmon et al., 2011) as on the CPU, to the bit: each value of a 128-bit counter, with a key of 64 bits, gives a block of
/// four 32-bit numbers. An argument of kernels, and for the host, too.
struct Philox {
  uint64_t key = 0;
  uint64_t counter_low = 0;
  uint64_t counter_high = 0;

  struct Block {
    uint32_t words[4];
  };

  /// Moves the counter on by `blocks`.
  TROUPE_DEVICE void skip(uint64_t blocks) {
    counter_low += blocks;
    if (counter_low < blocks) ++counter_high;
  }
  /// The block at the counter, which moves on by one.
  TROUPE_DEVICE Block operator()() {
    Block c = {{static_cast<uint32_t>(counter_low), static_cast<uint32_t>(counter_low >> 32),
                static_cast<uint32_t>(counter_high), static_cast<uint32_t>(counter_high >> 32)}};
    auto k0 = static_cast<uint32_t>(key);
    auto k1 = static_cast<uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c.words[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * c.words[2];
      c = {{static_cast<uint32_t>(b >> 32) ^ c.words[1] ^ k0, static_cast<uint32_t>(b),
            static_cast<uint32_t>(a >> 32) ^ c.words[3] ^ k1, static_cast<uint32_t>(a)}};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    skip(1);
    return c;
  }
  /// The generator that is `blocks` further on.
  TROUPE_DEVICE Philox after(uint64_t blocks) const {
    Philox g = *this;
    g.skip(blocks);
    return g;
  }
};

/// Samples that a number may use up where that is not known before. A stateful generator moves on by as many blocks for every number.
inline constexpr uint64_t kSamplesPerOutput = 256;

}  // namespace troupe::launchable
