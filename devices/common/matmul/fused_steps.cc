#include "devices/common/matmul/fused_steps.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

using Activation = FusedSteps::Activation;

/// kNone when there is no activation of that name.
Activation activation_of(absl::string_view name) {
  static constexpr std::pair<absl::string_view, Activation> kActivations[] = {
      {"Relu", Activation::kRelu},
      {"Relu6", Activation::kRelu6},
      {"Elu", Activation::kElu},
      {"LeakyRelu", Activation::kLeakyRelu},
      {"Tanh", Activation::kTanh},
      {"Sigmoid", Activation::kSigmoid},
      {"GeluApproximate", Activation::kGeluApproximate},
      {"GeluExact", Activation::kGeluExact},
  };
  for (const auto& [known, activation] : kActivations) {
    if (name == known) return activation;
  }
  return Activation::kNone;
}

}  // namespace

absl::StatusOr<FusedSteps> FusedSteps::make(const KernelConstruction& c) {
  FusedSteps steps;
  TROUPE_ASSIGN_OR_RETURN(auto names, c.attr<std::vector<std::string>>("fused_ops"));
  steps.epsilon = c.node().attrs.get_or<float>("epsilon", 1e-4f);
  steps.alpha = c.node().attrs.get_or<float>("leakyrelu_alpha", 0.2f);
  steps.bias_broadcasts = c.node().attrs.get_or("_bias_broadcasts", false);
  if (names.empty()) return absl::InvalidArgumentError("Fused op must have at least one fused op.");
  for (size_t i = 0; i < names.size(); ++i) {
    const bool activated = steps.activation != Activation::kNone;
    if (i == 0 && names[i] == "BiasAdd") {
      steps.bias = true;
    } else if (i == 0 && names[i] == "FusedBatchNorm") {
      steps.batch_norm = true;
    } else if (names[i] == "Add" && !steps.add && !activated) {
      steps.add = true;
    } else {
      const Activation activation = activation_of(names[i]);
      if (activation == Activation::kNone || activated) {
        return absl::UnimplementedError(
            absl::StrCat("Fusion is not implemented: [", absl::StrJoin(names, ","), "]"));
      }
      steps.activation = activation;
    }
  }
  return steps;
}

absl::Status FusedSteps::check_count(int num_inputs, int first) const {
  if (num_inputs >= first + num_args()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("Fused op expects ", num_args(), " extra arguments, got ", num_inputs - first));
}

absl::Status FusedSteps::check(std::span<const Shape> args, int64_t rows, int64_t channels) const {
  if (bias && args[0].rank() != 1)
    return absl::InvalidArgumentError(absl::StrCat("Biases must be 1D: ", args[0].to_string()));
  if (bias && args[0].dim(0) != channels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Must provide as many biases as the last dimension of the input tensor: ", args[0].to_string(),
        " vs. [", rows, ",", channels, "]"));
  }
  static constexpr const char* kNames[] = {"scale", "offset", "mean", "variance"};
  for (size_t i = 0; batch_norm && i < 4; ++i) {
    if (args[i].rank() != 1)
      return absl::InvalidArgumentError(
          absl::StrCat(kNames[i], " must be 1-dimensional", args[i].to_string()));
    if (args[i].dim(0) != channels) {
      return absl::InvalidArgumentError(
          absl::StrCat(i < 2 ? "" : "When is_training=false, ", kNames[i],
                       " must have the same number of elements as the channels of x, got ", args[i].dim(0),
                       " and ", channels));
    }
  }
  if (add && args.back().num_elements() != rows * channels)
    return absl::InvalidArgumentError("The summand of a fused Add must have the shape of the result.");
  return absl::OkStatus();
}

bool FusedSteps::fits(std::span<const Shape> args, const Shape& result) const {
  if (bias && bias_broadcasts) {
    if (args[0].rank() != 1 || args[0].dim(0) != result.dim(result.rank() - 1)) return false;
  }
  return !add || args.back() == result;
}

}  // namespace troupe
