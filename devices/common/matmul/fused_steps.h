#pragma once

#include <span>

#include "devices/kernel.h"

namespace troupe {

/// What the `fused_ops` attr of _FusedMatMul, _FusedConv2D and their like asks to be done to the result: one step that takes vectors
/// (none, a bias, a batch normalisation), an optional sum with another tensor, one activation.
struct FusedSteps {
  enum class Activation : int32_t {
    kNone,
    kRelu,
    kRelu6,
    kElu,
    kLeakyRelu,
    kTanh,
    kSigmoid,
    kGeluApproximate,
    kGeluExact
  };

  bool bias = false;
  /// The bias is one summand of a sum of any shapes, rather than BiasAdd's.
  bool bias_broadcasts = false;
  bool batch_norm = false;
  bool add = false;
  Activation activation = Activation::kNone;
  float epsilon = 1e-4f;
  float alpha = 0.2f;

  /// Reads fused_ops, epsilon, leakyrelu_alpha and `_bias_broadcasts`. Unimplemented for combinations that nothing produces.
  static absl::StatusOr<FusedSteps> make(const KernelConstruction& c);

  /// Inputs that the steps take: bias, or scale, offset, mean and variance; then the summand.
  int num_args() const { return (bias ? 1 : 0) + (batch_norm ? 4 : 0) + (add ? 1 : 0); }
  /// InvalidArgument when a node that has inputs from `first` on for them has too few.
  absl::Status check_count(int num_inputs, int first) const;
  /// InvalidArgument, in the words of the ops, when an argument has another shape than `rows` rows of `channels` elements ask for.
  absl::Status check(std::span<const Shape> args, int64_t rows, int64_t channels) const;
  /// Whether everything is added in place to a result of this shape, whose last dimension are the channels.
  bool fits(std::span<const Shape> args, const Shape& result) const;
};

}  // namespace troupe
