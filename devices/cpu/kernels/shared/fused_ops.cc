#include "devices/cpu/kernels/shared/fused_ops.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

template <class T>
void widen(const Tensor& t, std::vector<float>* out) {
  auto from = t.flat<T>();
  for (size_t i = 0; i < from.size(); ++i) (*out)[i] = static_cast<float>(from[i]);
}

/// Nanoseconds for the steps of one element.
constexpr int64_t kElementNs = 2;

}  // namespace

std::vector<float> to_floats(const Tensor& t) {
  std::vector<float> out(static_cast<size_t>(t.num_elements()));
  switch (t.dtype()) {
    case DataType::kFloat: widen<float>(t, &out); break;
    case DataType::kDouble: widen<double>(t, &out); break;
    case DataType::kHalf: widen<Eigen::half>(t, &out); break;
    case DataType::kBfloat16: widen<Eigen::bfloat16>(t, &out); break;
    default: break;
  }
  return out;
}

absl::StatusOr<FusedOps> FusedOps::make(const KernelConstruction& c) {
  FusedOps ops;
  TROUPE_ASSIGN_OR_RETURN(auto names, c.attr<std::vector<std::string>>("fused_ops"));
  ops.epsilon_ = c.node().attrs.get_or<float>("epsilon", 1e-4f);
  ops.alpha_ = c.node().attrs.get_or<float>("leakyrelu_alpha", 0.2f);
  auto refuse = [&] {
    return absl::UnimplementedError(
        absl::StrCat("Fusion is not implemented: [", absl::StrJoin(names, ","), "]"));
  };
  if (names.empty()) return absl::InvalidArgumentError("Fused op must have at least one fused op.");
  static constexpr std::pair<const char*, Activation> kActivations[] = {
      {"Relu", Activation::kRelu},
      {"Relu6", Activation::kRelu6},
      {"Elu", Activation::kElu},
      {"LeakyRelu", Activation::kLeakyRelu},
      {"Tanh", Activation::kTanh},
      {"Sigmoid", Activation::kSigmoid},
      {"GeluApproximate", Activation::kGeluApproximate},
      {"GeluExact", Activation::kGeluExact},
  };
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (i == 0 && name == "BiasAdd") {
      ops.bias_ = true;
    } else if (i == 0 && name == "FusedBatchNorm") {
      ops.batch_norm_ = true;
    } else if (name == "Add" && !ops.add_ && ops.activation_ == Activation::kNone) {
      ops.add_ = true;
    } else {
      auto it = std::find_if(std::begin(kActivations), std::end(kActivations),
                             [&](const auto& a) { return name == a.first; });
      if (it == std::end(kActivations) || ops.activation_ != Activation::kNone) return refuse();
      ops.activation_ = it->second;
    }
  }
  return ops;
}

void FusedOps::activate(float* data, int64_t count) const {
  auto each = [&](auto fn) {
    for (int64_t i = 0; i < count; ++i) data[i] = fn(data[i]);
  };
  switch (activation_) {
    case Activation::kNone: return;
    case Activation::kRelu: return each([](float x) { return x < 0 ? 0.0f : x; });
    case Activation::kRelu6: return each([](float x) { return x < 0 ? 0.0f : (x > 6 ? 6.0f : x); });
    case Activation::kElu: return each([](float x) { return x < 0 ? std::expm1(x) : x; });
    case Activation::kLeakyRelu: return each([a = alpha_](float x) { return x < 0 ? a * x : x; });
    case Activation::kTanh: return each([](float x) { return std::tanh(x); });
    case Activation::kSigmoid: return each([](float x) { return 1.0f / (1.0f + std::exp(-x)); });
    case Activation::kGeluApproximate:
      return each(
          [](float x) { return 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x))); });
    case Activation::kGeluExact:
      return each([](float x) { return 0.5f * x * (1 + std::erf(x * 0.70710678118f)); });
  }
}

absl::Status FusedOps::apply(ParallelRunner& runner, const std::vector<std::vector<float>>& args,
                             int64_t rows, int64_t channels, float* data) const {
  if (static_cast<int>(args.size()) < num_args()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Fused op expects ", num_args(), " extra arguments, got ", args.size()));
  }
  const auto width = static_cast<size_t>(channels);
  std::vector<float> scale, offset;
  size_t next = 0;
  if (bias_ || batch_norm_) {
    const size_t count = bias_ ? 1 : 4;
    for (; next < count; ++next) {
      if (args[next].size() == width) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Must provide as many ", bias_ ? "biases" : "normalisation values",
                       " as the last dimension of the result: ", args[next].size(), " vs. ", channels));
    }
    if (bias_) {
      offset = args[0];
    } else {
      scale.resize(width);
      offset.resize(width);
      for (size_t i = 0; i < width; ++i) {
        scale[i] = args[0][i] / std::sqrt(args[3][i] + epsilon_);
        offset[i] = args[1][i] - args[2][i] * scale[i];
      }
    }
  }
  const float* other = nullptr;
  if (add_) {
    if (args[next].size() != static_cast<size_t>(rows) * width) {
      return absl::InvalidArgumentError("The summand of a fused Add must have the shape of the result.");
    }
    other = args[next].data();
  }
  runner.parallel_for(rows, channels * kElementNs, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      float* row = data + r * channels;
      if (!scale.empty()) {
        for (size_t i = 0; i < width; ++i) row[i] = row[i] * scale[i] + offset[i];
      } else if (!offset.empty()) {
        for (size_t i = 0; i < width; ++i) row[i] += offset[i];
      }
      if (other != nullptr) {
        for (size_t i = 0; i < width; ++i) row[i] += other[static_cast<size_t>(r) * width + i];
      }
    }
    activate(data + begin * channels, (end - begin) * channels);
  });
  return absl::OkStatus();
}

}  // namespace troupe
