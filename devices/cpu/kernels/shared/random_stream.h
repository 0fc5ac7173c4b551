#pragma once

#include <mutex>

#include "devices/cpu/kernels/shared/random_scope.h"
#include "devices/cpu/loops/philox.h"
#include "devices/kernel.h"

namespace troupe {

/// Samples that an output may use up when their number is not known before: gamma, Poisson, truncated normal.
/// A stateful generator moves on by as many blocks, of four samples each, for every output of any
/// distribution.
inline constexpr uint64_t kSamplesPerOutput = 256;

/// The generator of one stateful kernel: continues from run to run, until its scope begins anew. Thread-safe.
class SharedPhilox {
 public:
  /// Where a generator begins, and what tells it to do so again; null: nothing does.
  struct Start {
    Start(Philox g) : generator(g) {}  // NOLINT: implicit, a generator that is in no scope
    Philox generator;
    RandomScope::Rounds rounds;
  };
  /// Of attrs `seed` and `seed2`; both 0 stand for a seed that nobody knows.
  static Start from_attrs(const KernelConstruction& c);
  explicit SharedPhilox(Start start) : start_(std::move(start)), generator_(start_.generator) {}
  /// The generator as it is, while this one moves on by `blocks`.
  Philox reserve(uint64_t blocks) {
    std::lock_guard lock(mu_);
    if (start_.rounds != nullptr) {
      const uint64_t round = start_.rounds->load(std::memory_order_relaxed);
      if (round != round_) generator_ = start_.generator;
      round_ = round;
    }
    Philox g = generator_;
    generator_.skip(blocks);
    return g;
  }
  /// Blocks for `outputs` numbers of any need.
  Philox reserve_outputs(int64_t outputs) {
    return reserve(static_cast<uint64_t>(outputs) * kSamplesPerOutput);
  }

 private:
  const Start start_;
  std::mutex mu_;
  // Guarded by mu_.
  Philox generator_;
  uint64_t round_ = 0;
};

/// The generator of a stateless op's seed pair of int32 or int64 numbers: one block of a fixed key scrambles
/// it. InvalidArgument "seed must have shape [2], not [3]".
absl::StatusOr<Philox> philox_of_seed(const Tensor& seed);

/// A number below n > 0, every one as likely: numbers of the first, incomplete range are drawn again.
inline uint32_t random_below(uint32_t n, PhiloxStream& bits) {
  if ((n & (n - 1)) == 0) return bits() & (n - 1);
  const uint32_t refused = 0xffffffffu % n + 1;
  uint32_t value = bits();
  while (value < refused) value = bits();
  return value % n;
}

}  // namespace troupe
