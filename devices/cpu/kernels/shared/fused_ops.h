#pragma once

#include <string>
#include <vector>

#include "devices/kernel.h"

namespace troupe {

/// What the `fused_ops` attr of _FusedMatMul, _FusedConv2D and their like asks to be done to the result: one step
/// that takes tensors (none, a bias, a batch normalisation), an optional sum with another tensor, one activation.
class FusedOps {
 public:
  /// Reads fused_ops, epsilon and leakyrelu_alpha. Unimplemented for combinations that nothing produces.
  static absl::StatusOr<FusedOps> make(const KernelConstruction& c);

  int num_args() const { return (bias_ ? 1 : 0) + (batch_norm_ ? 4 : 0) + (add_ ? 1 : 0); }
  bool bias() const { return bias_; }

  /// Applies the steps to `rows` rows of `channels` floats, in place. `args` are the node's extra inputs as floats, in
  /// order: InvalidArgument when one has the wrong number of elements.
  absl::Status apply(ParallelRunner& runner, const std::vector<std::vector<float>>& args, int64_t rows,
                     int64_t channels, float* data) const;

 private:
  enum class Activation {
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
  void activate(float* data, int64_t count) const;

  bool bias_ = false;
  bool batch_norm_ = false;
  bool add_ = false;
  Activation activation_ = Activation::kNone;
  float epsilon_ = 1e-4f;
  float alpha_ = 0.2f;
};

/// The elements of a float, half, bfloat16 or double tensor as floats.
std::vector<float> to_floats(const Tensor& t);

}  // namespace troupe
