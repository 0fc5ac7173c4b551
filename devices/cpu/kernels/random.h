#pragma once

#include <mutex>

#include "devices/cpu/kernels/random_scope.h"
#include "devices/cpu/loops/philox.h"
#include "devices/kernel_registry.h"

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
/// The generator of the inputs key, counter and alg of a V2 op, which start at input `i`.
absl::StatusOr<Philox> philox_of_key(const KernelContext& context, int i);
/// A shape that an int32 or int64 vector describes.
absl::StatusOr<Shape> shape_of_vector(const Tensor& t);

enum class RandomKind { kUniform, kNormal, kTruncatedNormal };
/// Fills a float tensor.
void fill_random(KernelContext& context, RandomKind kind, Philox generator, Tensor* out);
/// Fills an integer tensor with all its bits random.
void fill_random_bits(KernelContext& context, Philox generator, Tensor* out);
/// Fills an int32, int64, uint32 or uint64 tensor from [low, high), which are scalars of its dtype.
/// InvalidArgument "Need minval < maxval, got 3 >= 3".
absl::Status fill_random_range(KernelContext& context, Philox generator, const Tensor& low,
                               const Tensor& high, Tensor* out);

/// Samples for each rate (alpha): `out` ends with the dimensions of `rates`, so that sample i of rate k is
/// element i * rates.num_elements() + k.
absl::Status fill_gamma(KernelContext& context, const Philox& generator, const Tensor& alphas, Tensor* out);
absl::Status fill_poisson(KernelContext& context, const Philox& generator, const Tensor& rates, Tensor* out);
/// Rows of class indices drawn with probability exp(logits).
absl::Status fill_multinomial(Philox generator, const Tensor& logits, int64_t num_samples, Tensor* out);
/// InvalidArgument unless logits is a matrix with classes, and num_samples a scalar >= 0, which is returned.
absl::StatusOr<int64_t> check_multinomial(const Tensor& logits, const Tensor& num_samples);
/// Normal numbers within bounds, a row of `out` per element of the parameters.
absl::Status fill_bounded_normal(const Philox& generator, const Tensor* parameters[4], Tensor* out);
/// The rows of `in` in random order.
absl::Status shuffle_rows(KernelContext& context, Philox generator, const Tensor& in);

void register_stateful_random(KernelRegistry* registry);
void register_stateless_random(KernelRegistry* registry);

}  // namespace troupe
