#include "devices/cpu/kernels/shared/fused_ops.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/cpu/loops/broadcast.h"
#include "devices/cpu/loops/vector/vector_loops.h"

namespace troupe {
namespace {

/// Nanoseconds for the steps of one element, which is in the first cache for all but the first of them.
constexpr int64_t kElementNs = 1;
/// Elements that go through all steps before the next: they stay in the first cache.
constexpr int64_t kTile = 4096;

template <class T>
void widen_all(const Tensor& t, std::vector<float>* out) {
  auto from = t.flat<T>();
  for (size_t i = 0; i < from.size(); ++i) (*out)[i] = static_cast<float>(from[i]);
}

void gelu_approximate(const float* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float x = in[i];
    out[i] = 0.5f * x * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
}
void gelu_exact(const float* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = 0.5f * in[i] * (1 + std::erf(in[i] * 0.70710678118f));
}

/// Null when there is no activation of that name.
FloatMap activation_of(const std::string& name) {
  const FloatFunctions& functions = vector_loops().functions;
  const std::pair<const char*, FloatMap> kActivations[] = {
      {"Relu", functions.relu},  {"Relu6", functions.relu6},     {"Elu", functions.elu},
      {"Tanh", functions.tanh},  {"Sigmoid", functions.sigmoid}, {"GeluApproximate", gelu_approximate},
      {"GeluExact", gelu_exact},
  };
  for (const auto& [known, function] : kActivations) {
    if (name == known) return function;
  }
  return nullptr;
}

absl::StatusOr<Tensor> sum(KernelContext& context, const Tensor& a, const FusedOps::Arg& b) {
  Shape shape;
  if (!broadcast_shape(a.shape(), b.shape, &shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Incompatible shapes: ", a.shape().to_string(), " vs. ", b.shape.to_string()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor out, context.allocate_temp(DataType::kFloat, shape));
  if (out.num_elements() == 0) return out;
  const BroadcastWalk walk(shape, {&a.shape(), &b.shape});
  const RowMode mode = walk.repeats_in_row(0)   ? RowMode::kScalarA
                       : walk.repeats_in_row(1) ? RowMode::kScalarB
                                                : RowMode::kBoth;
  const float* from = a.flat<float>().data();
  float* to = out.flat<float>().data();
  context.parallel().parallel_for(walk.num_rows(), walk.row() + 4, [&](int64_t begin, int64_t end) {
    walk.for_rows(begin, end, [&](const int64_t* at, int64_t row) {
      return vector_loops().floats.add(from + at[0], b.data + at[1], to + row, walk.row(), mode);
    });
  });
  return out;
}

}  // namespace

std::vector<float> to_floats(const Tensor& t) {
  std::vector<float> out(static_cast<size_t>(t.num_elements()));
  switch (t.dtype()) {
    case DataType::kFloat: widen_all<float>(t, &out); break;
    case DataType::kDouble: widen_all<double>(t, &out); break;
    case DataType::kHalf: widen_all<Eigen::half>(t, &out); break;
    case DataType::kBfloat16: widen_all<Eigen::bfloat16>(t, &out); break;
    default: break;
  }
  return out;
}

FusedOps::Arg::Arg(const Tensor& t) : shape(t.shape()), data(static_cast<const float*>(t.raw())) {
  if (t.dtype() == DataType::kFloat) return;
  wide = to_floats(t);
  data = wide.data();
}

absl::StatusOr<FusedOps> FusedOps::make(const KernelConstruction& c) {
  FusedOps ops;
  TROUPE_ASSIGN_OR_RETURN(auto names, c.attr<std::vector<std::string>>("fused_ops"));
  ops.epsilon_ = c.node().attrs.get_or<float>("epsilon", 1e-4f);
  ops.alpha_ = c.node().attrs.get_or<float>("leakyrelu_alpha", 0.2f);
  ops.bias_broadcasts_ = c.node().attrs.get_or("_bias_broadcasts", false);
  auto refuse = [&] {
    return absl::UnimplementedError(
        absl::StrCat("Fusion is not implemented: [", absl::StrJoin(names, ","), "]"));
  };
  if (names.empty()) return absl::InvalidArgumentError("Fused op must have at least one fused op.");
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const bool activated = ops.leaky_ || ops.activation_ != nullptr;
    if (i == 0 && name == "BiasAdd") {
      ops.bias_ = true;
    } else if (i == 0 && name == "FusedBatchNorm") {
      ops.batch_norm_ = true;
    } else if (name == "Add" && !ops.add_ && !activated) {
      ops.add_ = true;
    } else if (name == "LeakyRelu" && !activated) {
      ops.leaky_ = true;
    } else {
      const FloatMap activation = activation_of(name);
      if (activation == nullptr || activated) return refuse();
      ops.activation_ = activation;
    }
  }
  return ops;
}

absl::StatusOr<std::vector<FusedOps::Arg>> FusedOps::args(const KernelContext& context, int first) const {
  const int wanted = (bias_ ? 1 : 0) + (batch_norm_ ? 4 : 0) + (add_ ? 1 : 0);
  if (context.num_inputs() < first + wanted) {
    return absl::InvalidArgumentError(
        absl::StrCat("Fused op expects ", wanted, " extra arguments, got ", context.num_inputs() - first));
  }
  std::vector<Arg> out;
  for (int i = 0; i < wanted; ++i) out.emplace_back(context.input(first + i));
  return out;
}

absl::Status FusedOps::check(const std::vector<Arg>& args, int64_t rows, int64_t channels) const {
  if (bias_ && args[0].shape.rank() != 1)
    return absl::InvalidArgumentError(absl::StrCat("Biases must be 1D: ", args[0].shape.to_string()));
  if (bias_ && args[0].shape.dim(0) != channels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Must provide as many biases as the last dimension of the input tensor: ", args[0].shape.to_string(),
        " vs. [", rows, ",", channels, "]"));
  }
  static constexpr const char* kNames[] = {"scale", "offset", "mean", "variance"};
  for (size_t i = 0; batch_norm_ && i < 4; ++i) {
    if (args[i].shape.rank() != 1)
      return absl::InvalidArgumentError(
          absl::StrCat(kNames[i], " must be 1-dimensional", args[i].shape.to_string()));
    if (args[i].shape.dim(0) != channels) {
      return absl::InvalidArgumentError(
          absl::StrCat(i < 2 ? "" : "When is_training=false, ", kNames[i],
                       " must have the same number of elements as the channels of x, got ",
                       args[i].shape.dim(0), " and ", channels));
    }
  }
  if (add_ && args.back().shape.num_elements() != rows * channels)
    return absl::InvalidArgumentError("The summand of a fused Add must have the shape of the result.");
  return absl::OkStatus();
}

void FusedOps::activate(float* data, int64_t count) const {
  if (activation_ != nullptr) return activation_(data, data, count);
  if (!leaky_) return;
  for (int64_t i = 0; i < count; ++i) data[i] = data[i] > 0 ? data[i] : data[i] * alpha_;
}

absl::Status FusedOps::apply(ParallelRunner& runner, const std::vector<Arg>& args, int64_t rows,
                             int64_t channels, float* data) const {
  TROUPE_RETURN_IF_ERROR(check(args, rows, channels));
  if (rows == 0 || channels == 0) return absl::OkStatus();
  const VectorLoops& loops = vector_loops();
  std::vector<float> factor(batch_norm_ ? static_cast<size_t>(channels) : 0);
  for (size_t c = 0; c < factor.size(); ++c)
    factor[c] = args[0].data[c] / std::sqrt(args[3].data[c] + epsilon_);
  const float* summand = add_ ? args.back().data : nullptr;
  const int64_t tile = std::max<int64_t>(1, kTile / channels);
  runner.parallel_for(rows, channels * kElementNs, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r += tile) {
      const int64_t count = std::min(tile, end - r);
      float* const at = data + r * channels;
      if (batch_norm_) loops.scales.rows(at, args[2].data, factor.data(), args[1].data, at, count, channels);
      for (int64_t i = 0; bias_ && i < count; ++i)
        loops.floats.add(at + i * channels, args[0].data, at + i * channels, channels, RowMode::kBoth);
      if (summand != nullptr)
        loops.floats.add(at, summand + r * channels, at, count * channels, RowMode::kBoth);
      activate(at, count * channels);
    }
  });
  return absl::OkStatus();
}

bool FusedOps::fits(const std::vector<Arg>& args, const Shape& result) const {
  if (bias_ && bias_broadcasts_) {
    const Shape& bias = args[0].shape;
    if (bias.rank() != 1 || bias.dim(0) != result.dim(result.rank() - 1)) return false;
  }
  return !add_ || args.back().shape == result;
}

absl::Status FusedOps::finish(KernelContext& context, int first_arg, Tensor* output) const {
  TROUPE_ASSIGN_OR_RETURN(const std::vector<Arg> extra, args(context, first_arg));
  const Shape& shape = output->shape();
  if (!fits(extra, shape)) return finish_broadcasting(context, extra, *output);
  const int last = shape.rank() - 1;
  return apply(context.parallel(), extra, shape.num_elements(0, last), shape.dim(last),
               output->flat<float>().data());
}

absl::Status FusedOps::finish_broadcasting(KernelContext& context, const std::vector<Arg>& args,
                                           Tensor output) const {
  if (bias_ && bias_broadcasts_) {
    TROUPE_ASSIGN_OR_RETURN(output, sum(context, output, args[0]));
  } else if (bias_ || batch_norm_) {
    FusedOps vectors = *this;
    vectors.add_ = vectors.leaky_ = false;
    vectors.activation_ = nullptr;
    const int last = output.rank() - 1;
    TROUPE_RETURN_IF_ERROR(vectors.apply(context.parallel(), args, output.shape().num_elements(0, last),
                                         output.dim(last), output.flat<float>().data()));
  }
  if (add_) {
    TROUPE_ASSIGN_OR_RETURN(output, sum(context, output, args.back()));
  }
  activate(output.flat<float>().data(), output.num_elements());
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

}  // namespace troupe
