#pragma once

#include "devices/cpu/kernels/shared/random_stream.h"
#include "devices/cpu/loops/philox.h"
#include "devices/kernel_registry.h"

namespace troupe {

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

}  // namespace troupe
