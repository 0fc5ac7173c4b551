#pragma once

#include <string>
#include <vector>

#include "devices/common/matmul/fused_steps.h"
#include "devices/cpu/loops/vector/tables.h"
#include "devices/kernel.h"

namespace troupe {

/// Does what FusedSteps says to the result of _FusedMatMul, _FusedConv2D and their like. Floats go through the loops that the ops of
/// these names have, to the same bits.
class FusedOps {
 public:
  /// An extra input of the node, as floats.
  struct Arg {
    explicit Arg(const Tensor& t);
    /// These elements, in another order than the tensor's.
    void hold(std::vector<float> elements);
    Shape shape;
    /// The tensor's own memory, or `wide`.
    const float* data;
    std::vector<float> wide;
  };

  /// As FusedSteps::make.
  static absl::StatusOr<FusedOps> make(const KernelConstruction& c);

  /// Whether the last of its inputs is added to the result.
  bool adds() const { return steps_.add; }
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
  absl::Status finish_broadcasting(KernelContext& context, const std::vector<Arg>& args, Tensor output) const;
  void activate(float* data, int64_t count) const;

  FusedSteps steps_;
  /// Of the activation, unless that is none, or LeakyRelu.
  FloatMap activation_ = nullptr;
};

/// The elements of a float, half, bfloat16 or double tensor as floats.
std::vector<float> to_floats(const Tensor& t);

}  // namespace troupe
