#include "devices/cpu/kernels/shared/fused_ops.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "devices/cpu/loops/broadcast.h"
#include "devices/cpu/loops/vector/vector_loops.h"

namespace troupe {
namespace {

/// Nanoseconds for the steps of one element, which is in the first cache for all but the first of them.
constexpr int64_t kElementNs = 1;
/// Elements that go through all steps before the next: they stay in the first cache.
constexpr int64_t kTile = 4096;

/// A bias of fewer channels is written out again and again, up to so many elements.
constexpr int64_t kBiasElements = 256;

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

/// Null for none, and for LeakyRelu, which has a number beside its operand.
FloatMap activation_of(FusedSteps::Activation activation) {
  using Activation = FusedSteps::Activation;
  const FloatFunctions& functions = vector_loops().functions;
  switch (activation) {
    case Activation::kRelu: return functions.relu;
    case Activation::kRelu6: return functions.relu6;
    case Activation::kElu: return functions.elu;
    case Activation::kTanh: return functions.tanh;
    case Activation::kSigmoid: return functions.sigmoid;
    case Activation::kGeluApproximate: return gelu_approximate;
    case Activation::kGeluExact: return gelu_exact;
    default: return nullptr;
  }
}

absl::InlinedVector<Shape, 6> shapes_of(const std::vector<FusedOps::Arg>& args) {
  absl::InlinedVector<Shape, 6> shapes;
  for (const FusedOps::Arg& arg : args) shapes.push_back(arg.shape);
  return shapes;
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
  hold(to_floats(t));
}

void FusedOps::Arg::hold(std::vector<float> elements) {
  wide = std::move(elements);
  data = wide.data();
}

absl::StatusOr<FusedOps> FusedOps::make(const KernelConstruction& c) {
  FusedOps ops;
  TROUPE_ASSIGN_OR_RETURN(ops.steps_, FusedSteps::make(c));
  ops.activation_ = activation_of(ops.steps_.activation);
  return ops;
}

absl::StatusOr<std::vector<FusedOps::Arg>> FusedOps::args(const KernelContext& context, int first) const {
  TROUPE_RETURN_IF_ERROR(steps_.check_count(context.num_inputs(), first));
  std::vector<Arg> out;
  for (int i = 0; i < steps_.num_args(); ++i) out.emplace_back(context.input(first + i));
  return out;
}

void FusedOps::activate(float* data, int64_t count) const {
  if (activation_ != nullptr) return activation_(data, data, count);
  if (steps_.activation != FusedSteps::Activation::kLeakyRelu) return;
  for (int64_t i = 0; i < count; ++i) data[i] = data[i] > 0 ? data[i] : data[i] * steps_.alpha;
}

absl::Status FusedOps::apply(ParallelRunner& runner, const std::vector<Arg>& args, int64_t rows,
                             int64_t channels, float* data) const {
  TROUPE_RETURN_IF_ERROR(steps_.check(shapes_of(args), rows, channels));
  if (rows == 0 || channels == 0) return absl::OkStatus();
  const VectorLoops& loops = vector_loops();
  std::vector<float> factor(steps_.batch_norm ? static_cast<size_t>(channels) : 0);
  for (size_t c = 0; c < factor.size(); ++c)
    factor[c] = args[0].data[c] / std::sqrt(args[3].data[c] + steps_.epsilon);
  // Several rows of few channels are one row.
  const int64_t copies = std::min(rows, std::max<int64_t>(1, kBiasElements / channels));
  std::vector<float> bias;
  for (int64_t i = 0; steps_.bias && i < copies; ++i)
    bias.insert(bias.end(), args[0].data, args[0].data + channels);
  const float* summand = steps_.add ? args.back().data : nullptr;
  const int64_t tile = std::max<int64_t>(1, kTile / channels);
  runner.parallel_for(rows, channels * kElementNs, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r += tile) {
      const int64_t count = std::min(tile, end - r);
      float* const at = data + r * channels;
      if (steps_.batch_norm)
        loops.scales.rows(at, args[2].data, factor.data(), args[1].data, at, count, channels);
      for (int64_t i = 0; steps_.bias && i < count; i += copies) {
        loops.floats.add(at + i * channels, bias.data(), at + i * channels,
                         std::min(copies, count - i) * channels, RowMode::kBoth);
      }
      if (summand != nullptr)
        loops.floats.add(at, summand + r * channels, at, count * channels, RowMode::kBoth);
      activate(at, count * channels);
    }
  });
  return absl::OkStatus();
}

absl::Status FusedOps::finish(KernelContext& context, int first_arg, Tensor* output) const {
  TROUPE_ASSIGN_OR_RETURN(const std::vector<Arg> extra, args(context, first_arg));
  const Shape& shape = output->shape();
  if (!steps_.fits(shapes_of(extra), shape)) return finish_broadcasting(context, extra, *output);
  const int last = shape.rank() - 1;
  return apply(context.parallel(), extra, shape.num_elements(0, last), shape.dim(last),
               output->flat<float>().data());
}

absl::Status FusedOps::finish_broadcasting(KernelContext& context, const std::vector<Arg>& args,
                                           Tensor output) const {
  if (steps_.bias && steps_.bias_broadcasts) {
    TROUPE_ASSIGN_OR_RETURN(output, sum(context, output, args[0]));
  } else if (steps_.bias || steps_.batch_norm) {
    FusedOps vectors = *this;
    vectors.steps_.add = false;
    vectors.steps_.activation = FusedSteps::Activation::kNone;
    vectors.activation_ = nullptr;
    const int last = output.rank() - 1;
    TROUPE_RETURN_IF_ERROR(vectors.apply(context.parallel(), args, output.shape().num_elements(0, last),
                                         output.dim(last), output.flat<float>().data()));
  }
  if (steps_.add) {
    TROUPE_ASSIGN_OR_RETURN(output, sum(context, output, args.back()));
  }
  activate(output.flat<float>().data(), output.num_elements());
  context.set_output(0, std::move(output));
  return absl::OkStatus();
}

}  // namespace troupe
