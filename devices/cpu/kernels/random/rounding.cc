// StochasticCastToInt: rounds up with the probability of the fraction.
#include <cmath>
#include <limits>

#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/random/rng_state.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/elementwise.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// Rounds one number. A number with a fraction takes a block of the generator, one below 0 turned round so that what
/// counts is how the absolute value compares. NaN gives 0; numbers beyond the integers give their ends.
template <class In, class Out>
Out round_at_random(In v, Philox& generator) {
  using C = compute_t<In>;
  if (!(v == v)) return 0;
  const double wide = static_cast<double>(v);
  if (wide >= static_cast<double>(std::numeric_limits<Out>::max())) return std::numeric_limits<Out>::max();
  if (wide <= static_cast<double>(std::numeric_limits<Out>::min())) return std::numeric_limits<Out>::min();
  C x = static_cast<C>(v);
  if (std::floor(x) != x) {
    const In random = uniform_block<In>(generator())[0];
    // Sums are rounded to the input's type, as its own arithmetic does.
    const In sum = x < 0 ? static_cast<In>(v + random) : static_cast<In>(static_cast<In>(v + In(1)) - random);
    x = std::floor(static_cast<C>(sum));
  }
  return static_cast<Out>(std::clamp(static_cast<double>(x),
                                     static_cast<double>(std::numeric_limits<Out>::min()),
                                     static_cast<double>(std::numeric_limits<Out>::max())));
}

template <class In, class Out>
void round_all(const Tensor& in, Philox generator, Tensor* out) {
  const In* i = in.flat<In>().data();
  for (Out& o : out->flat<Out>()) o = round_at_random<In, Out>(*i++, generator);
}

template <class In>
void round_to(const Tensor& in, const Philox& generator, Tensor* out) {
  switch (out->dtype()) {
    case DataType::kInt8: return round_all<In, int8_t>(in, generator, out);
    case DataType::kInt16: return round_all<In, int16_t>(in, generator, out);
    default: return round_all<In, int32_t>(in, generator, out);
  }
}

/// The generator of inputs key, counter and alg. The counter's first number serves as Philox's key and the key as the upper
/// half of its counter: this op alone reads them so.
absl::StatusOr<Philox> generator_of(const KernelContext& context) {
  const Tensor& key = context.input(1);
  const Tensor& counter = context.input(2);
  const Tensor& alg = context.input(3);
  if (!is_scalar(alg)) return invalid("input 3 (0-based) must have shape [], not ", alg.shape().to_string());
  const int64_t given = alg.value<int32_t>();
  const int64_t id = given == kRngAutoSelect ? kRngPhilox : given;
  if (!is_vector(key) || key.dim(0) != 1) {
    return invalid("key must have shape [1], not ", key.shape().to_string());
  }
  if (!is_vector(counter) || counter.dim(0) < std::max<int64_t>(id, 1)) {
    return invalid("counter must be a vector with length at least ", id,
                   "; got shape: ", counter.shape().to_string(),
                   ". (Note that batched counters are not supported yet.)");
  }
  if (id != kRngPhilox) return invalid("Unsupported algorithm id: ", id);
  return Philox(counter.flat<uint64_t>()[0], key.flat<uint64_t>()[0]);
}

absl::Status stochastic_cast(KernelContext& context) {
  const Tensor& in = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Philox generator, generator_of(context));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, in.shape()));
  switch (in.dtype()) {
    case DataType::kHalf: round_to<Eigen::half>(in, generator, out); break;
    case DataType::kBfloat16: round_to<Eigen::bfloat16>(in, generator, out); break;
    case DataType::kFloat: round_to<float>(in, generator, out); break;
    default: round_to<double>(in, generator, out);
  }
  return absl::OkStatus();
}

}  // namespace

void register_random_rounding(KernelRegistry* r) {
  r->add(KernelDef("StochasticCastToInt")
             .types("Tin", float_types())
             .types("Tout", {DataType::kInt8, DataType::kInt16, DataType::kInt32})
             .fn(stochastic_cast));
}

}  // namespace troupe
