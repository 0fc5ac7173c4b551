// Binomial numbers, and normal numbers within bounds whose parameters broadcast.
#include <cmath>
#include <limits>

#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/random/rng_state.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/broadcast.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// How many blocks apart the stretches of the stream begin that two neighbouring numbers come from.
constexpr uint64_t kBlocksByWaiting = 42;
constexpr uint64_t kBlocksByRejection = 256;

/// Uniform doubles of one generator; the second number of a block comes first.
class Uniforms {
 public:
  explicit Uniforms(const Philox& generator) : generator_(generator) {}
  double operator()() {
    if (left_ == 0) {
      block_ = uniform_block<double>(generator_());
      left_ = 2;
    }
    return block_[static_cast<size_t>(--left_)];
  }

 private:
  Philox generator_;
  std::array<double, 2> block_ = {};
  int left_ = 0;
};

/// For few expected successes: as many geometric waiting times as fit into the trials.
double by_waiting_times(double count, double prob, Uniforms& uniform) {
  double trials = 0;
  for (double successes = 0;; ++successes) {
    trials += std::ceil(std::log(uniform()) / std::log1p(-prob));
    if (trials > count) return successes;
  }
}

/// The tail of Stirling's series for log k!.
double stirling_tail(double k) {
  static constexpr double kTails[] = {
      0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
      0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kTails[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

/// For many: Hörmann, "The generation of binomial random variates" (1993), algorithm BTRS.
double by_rejection(double count, double prob, Uniforms& uniform) {
  const double deviation = std::sqrt(count * prob * (1 - prob));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * prob;
  const double c = count * prob + 0.5;
  const double v_r = 0.92 - 4.2 / b;
  const double r = prob / (1 - prob);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double m = std::floor((count + 1) * prob);
  while (true) {
    const double u = uniform() - 0.5;
    double v = uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= v_r) return k;
    if (!(k >= 0 && k <= count)) continue;
    v = std::log(v * alpha / (a / (us * us) + b));
    const double bound = (m + 0.5) * std::log((m + 1) / (r * (count - m + 1))) +
                         (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
                         (k + 0.5) * std::log(r * (count - k + 1) / (k + 1)) + stirling_tail(m) +
                         stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k);
    if (v <= bound) return k;
  }
}

/// Finite `count` > 0 and 0 < prob <= 0.5; `many` tells whether ten or more successes are expected.
double few_or_many(double count, double prob, bool many, Philox generator, uint64_t index) {
  generator.skip(index * (many ? kBlocksByRejection : kBlocksByWaiting));
  Uniforms uniform(generator);
  return many ? by_rejection(count, prob, uniform) : by_waiting_times(count, prob, uniform);
}

/// Number `index` of the output; NaN for parameters of no distribution.
template <class T>
double binomial_sample(T count, T prob, const Philox& g, uint64_t index) {
  const double n = static_cast<double>(count);
  if (n <= 0 || prob <= T(0)) return 0;
  if (prob >= T(1)) return n;
  // Where TensorFlow would not end.
  if (!std::isfinite(n)) return std::numeric_limits<double>::quiet_NaN();
  if (prob <= T(0.5)) return few_or_many(n, static_cast<double>(prob), count * prob >= T(10), g, index);
  const T q = static_cast<T>(T(1) - prob);
  if (q < T(0.5)) return n - few_or_many(n, static_cast<double>(q), count * q >= T(10), g, index);
  return std::numeric_limits<double>::quiet_NaN();
}

/// NaN has no integer, and a count may be too large for it.
template <class U>
U to_output(double v) {
  if constexpr (is_float_v<U>) {
    return static_cast<U>(v);
  } else {
    if (!(v > 0)) return 0;
    const double limit = -static_cast<double>(std::numeric_limits<U>::min());
    return v >= limit ? std::numeric_limits<U>::max() : static_cast<U>(v);
  }
}

/// A draw: `samples` for each of the parameters, which are as many as one sample has elements.
struct Draw {
  Shape shape;
  int64_t batches = 0;
  int64_t samples = 0;
};

/// The output's shape in input `i`, which must end with that of the broadcast parameters.
absl::StatusOr<Draw> draw_of(const Tensor& given, const Shape& parameters) {
  if (!is_vector(given))
    return invalid("Input shape should be a vector, got shape: ", given.shape().to_string());
  Draw draw;
  TROUPE_ASSIGN_OR_RETURN(draw.shape, shape_of_vector(given));
  const int outer = draw.shape.rank() - parameters.rank();
  bool ends = outer >= 0;
  for (int i = 0; ends && i < parameters.rank(); ++i) ends = draw.shape.dim(outer + i) == parameters.dim(i);
  if (!ends) return invalid("Shape passed in must end with broadcasted shape.");
  draw.batches = parameters.num_elements();
  draw.samples = draw.batches == 0 ? 0 : draw.shape.num_elements() / draw.batches;
  return draw;
}

/// The elements of `t` repeated to `shape`.
template <class T>
std::vector<T> broadcast_values(const Tensor& t, const Shape& shape) {
  std::vector<T> values(static_cast<size_t>(shape.num_elements()));
  if (values.empty()) return values;
  BroadcastWalk walk(shape, {&t.shape()});
  const T* from = t.flat<T>().data();
  const int64_t step = walk.repeats_in_row(0) ? 0 : 1;
  walk.for_rows(0, walk.num_rows(), [&](const int64_t* offsets, int64_t to) {
    for (int64_t i = 0; i < walk.row(); ++i)
      values[static_cast<size_t>(to + i)] = from[offsets[0] + i * step];
    return true;
  });
  return values;
}

template <class T, class U>
void fill_binomial(KernelContext& context, const Philox& generator, const Draw& draw,
                   const std::vector<T>& counts, const std::vector<T>& probs, Tensor* out) {
  U* o = out->flat<U>().data();
  context.parallel().parallel_for(draw.batches * draw.samples, 200, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / draw.samples;
      const size_t b = static_cast<size_t>(batch);
      o[batch + i % draw.samples * draw.batches] =
          to_output<U>(binomial_sample(counts[b], probs[b], generator, static_cast<uint64_t>(i)));
    }
  });
}

template <class T>
void binomial_of(KernelContext& context, const Philox& g, const Draw& draw, const Shape& parameters,
                 int first, Tensor* out) {
  const auto counts = broadcast_values<T>(context.input(first), parameters);
  const auto probs = broadcast_values<T>(context.input(first + 1), parameters);
  switch (out->dtype()) {
    case DataType::kHalf: return fill_binomial<T, Eigen::half>(context, g, draw, counts, probs, out);
    case DataType::kFloat: return fill_binomial<T, float>(context, g, draw, counts, probs, out);
    case DataType::kDouble: return fill_binomial<T, double>(context, g, draw, counts, probs, out);
    case DataType::kInt32: return fill_binomial<T, int32_t>(context, g, draw, counts, probs, out);
    default: return fill_binomial<T, int64_t>(context, g, draw, counts, probs, out);
  }
}

/// Blocks by which a state moves on: room for a hundred numbers twice an output, in groups of four.
uint64_t reserved_blocks(const Draw& draw) {
  const uint64_t groups =
      static_cast<uint64_t>(draw.batches) * 2 * 100 * (static_cast<uint64_t>(draw.samples) + 3) / 4;
  return groups * kSamplesPerOutput;
}

/// Stateful: inputs resource, algorithm, shape, counts, probs. Stateless: shape, seed, counts, probs.
template <bool kStateful>
absl::Status binomial(KernelContext& context) {
  constexpr int kCounts = kStateful ? 3 : 2;
  const Tensor& counts = context.input(kCounts);
  const Tensor& probs = context.input(kCounts + 1);
  if constexpr (kStateful) {
    const Tensor& alg = context.input(1);
    if (!is_scalar(alg)) return invalid("algorithm must be of shape [], not ", alg.shape().to_string());
  }
  Shape parameters;
  if (!broadcast_shape(counts.shape(), probs.shape(), &parameters)) {
    return invalid("counts and probs must have compatible batch dimensions: ", counts.shape().to_string(),
                   " vs. ", probs.shape().to_string());
  }
  TROUPE_ASSIGN_OR_RETURN(Draw draw, draw_of(context.input(kStateful ? 2 : 0), parameters));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, draw.shape));
  Philox generator;
  if constexpr (kStateful) {
    if (out->num_elements() == 0) return absl::OkStatus();
    const int64_t alg = context.input(1).value<int64_t>();
    if (alg != kRngPhilox) return invalid("Unsupported algorithm id: ", alg);
    TROUPE_ASSIGN_OR_RETURN(generator, take_from_state(context, 0, 0, reserved_blocks(draw)));
  } else {
    TROUPE_ASSIGN_OR_RETURN(generator, philox_of_seed(context.input(1)));
    if (out->num_elements() == 0) return absl::OkStatus();
  }
  switch (counts.dtype()) {
    case DataType::kHalf: binomial_of<Eigen::half>(context, generator, draw, parameters, kCounts, out); break;
    case DataType::kFloat: binomial_of<float>(context, generator, draw, parameters, kCounts, out); break;
    default: binomial_of<double>(context, generator, draw, parameters, kCounts, out);
  }
  return absl::OkStatus();
}

/// The broadcast of the parameters in inputs 2 to 5.
absl::StatusOr<Shape> normal_parameters(const KernelContext& context) {
  Shape shape = context.input(2).shape();
  bool fits = true;
  for (int k = 3; k < 6 && fits; ++k) {
    Shape both;
    fits = broadcast_shape(shape, context.input(k).shape(), &both);
    shape = both;
  }
  if (fits) return shape;
  return invalid("means, stddevs, minvals, maxvals must have compatible batch dimensions: ",
                 context.input(2).shape().to_string(), " vs. ", context.input(3).shape().to_string(), " vs. ",
                 context.input(4).shape().to_string(), " vs. ", context.input(5).shape().to_string());
}

template <class T>
absl::Status bounded_normal(KernelContext& context, const Philox& g, const Draw& draw, const Shape& shape,
                            Tensor* out) {
  Tensor parameters[4];
  const Tensor* pointers[4];
  for (int k = 0; k < 4; ++k) {
    TROUPE_ASSIGN_OR_RETURN(parameters[k], context.allocate_temp(out->dtype(), Shape{draw.batches}));
    const auto values = broadcast_values<T>(context.input(k + 2), shape);
    std::copy(values.begin(), values.end(), parameters[k].flat<T>().begin());
    pointers[k] = &parameters[k];
  }
  // Samples of one set of parameters come together, and are then set apart.
  TROUPE_ASSIGN_OR_RETURN(Tensor rows,
                          context.allocate_temp(out->dtype(), Shape{draw.batches, draw.samples}));
  TROUPE_RETURN_IF_ERROR(fill_bounded_normal(g, pointers, &rows));
  const T* from = rows.flat<T>().data();
  T* o = out->flat<T>().data();
  for (int64_t b = 0; b < draw.batches; ++b) {
    for (int64_t s = 0; s < draw.samples; ++s) o[s * draw.batches + b] = from[b * draw.samples + s];
  }
  return absl::OkStatus();
}

absl::Status stateless_bounded_normal(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Shape parameters, normal_parameters(context));
  TROUPE_ASSIGN_OR_RETURN(Draw draw, draw_of(context.input(0), parameters));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, draw.shape));
  TROUPE_ASSIGN_OR_RETURN(Philox g, philox_of_seed(context.input(1)));
  if (out->num_elements() == 0) return absl::OkStatus();
  switch (out->dtype()) {
    case DataType::kHalf: return bounded_normal<Eigen::half>(context, g, draw, parameters, out);
    case DataType::kFloat: return bounded_normal<float>(context, g, draw, parameters, out);
    default: return bounded_normal<double>(context, g, draw, parameters, out);
  }
}

}  // namespace

void register_random_binomial(KernelRegistry* r) {
  const std::vector<DataType> parameters = {DataType::kHalf, DataType::kFloat, DataType::kDouble};
  const std::vector<DataType> outputs = with(parameters, {DataType::kInt32, DataType::kInt64});
  r->add(
      KernelDef("StatefulRandomBinomial").types("T", parameters).types("dtype", outputs).fn(binomial<true>));
  r->add(KernelDef("StatelessRandomBinomial")
             .types("T", parameters)
             .types("dtype", outputs)
             .fn(binomial<false>));
  r->add(KernelDef("StatelessParameterizedTruncatedNormal")
             .types("dtype", parameters)
             .fn(stateless_bounded_normal));
}

}  // namespace troupe
