#pragma once

#include <string>
#include <vector>

#include "devices/cpu/loops/vector/tables.h"
#include "devices/kernel.h"

namespace troupe {

/// What the `fused_ops` attr of _FusedMatMul, _FusedConv2D and their like asks to be done to the result: one step
/// that takes tensors (none, a bias, a batch normalisation), an optional sum with another tensor, one activation. Floats go through
/// the loops that the ops of these names have, to the same bits.
class FusedOps {
 public:
  /// An extra input of the node, as floats.
  struct Arg {
    explicit Arg(const Tensor& t);
    Shape shape;
    /// The tensor's own memory, or `wide`.
    const float* data;
    std::vector<float> wide;
  };

  /// Reads fused_ops, epsilon, leakyrelu_alpha and `_bias_broadcasts`. Unimplemented for combinations that nothing produces.
  static absl::StatusOr<FusedOps> make(const KernelConstruction& c);

  /// The inputs that it takes, of which `first` is the first. InvalidArgument when there are too few.
  absl::StatusOr<std::vector<Arg>> args(const KernelContext& context, int first) const;

  /// Applies the steps to `rows` rows of `channels` floats, in place. InvalidArgument, in the words of the ops, when an argument has
  /// another shape than that asks for.
  absl::Status apply(ParallelRunner& runner, const std::vector<Arg>& args, int64_t rows, int64_t channels,
                     float* data) const;
  /// Applies them to output 0, floats with channels last, in place; or puts something larger in its place, where a summand is not
  /// of its shape. InvalidArgument "Incompatible shapes: [2,3] vs. [2]" when it does not broadcast.
  absl::Status finish(KernelContext& context, int first_arg, Tensor* output) const;

 private:
  absl::Status check(const std::vector<Arg>& args, int64_t rows, int64_t channels) const;
  /// Whether everything is added in place.
  bool fits(const std::vector<Arg>& args, const Shape& result) const;
  absl::Status finish_broadcasting(KernelContext& context, const std::vector<Arg>& args, Tensor output) const;
  void activate(float* data, int64_t count) const;

  bool bias_ = false;
  /// The bias is one summand of a sum of any shapes, rather than BiasAdd's.
  bool bias_broadcasts_ = false;
  bool batch_norm_ = false;
  bool add_ = false;
  /// One of these activations, or none.
  FloatMap activation_ = nullptr;
  bool leaky_ = false;
  float epsilon_ = 1e-4f;
  float alpha_ = 0.2f;
};

/// The elements of a float, half, bfloat16 or double tensor as floats.
std::vector<float> to_floats(const Tensor& t);

}  // namespace troupe
