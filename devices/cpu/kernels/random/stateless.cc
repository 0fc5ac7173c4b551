// Random ops that are functions of their seed, or of key and counter.
#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/random/fill.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

/// kV2: inputs key, counter and alg in the place of seed.
template <bool kV2>
absl::StatusOr<Philox> generator_at(const KernelContext& context, int i) {
  if constexpr (kV2) {
    return philox_of_key(context, i);
  } else {
    return philox_of_seed(context.input(i));
  }
}

template <RandomKind kKind, bool kV2>
absl::Status floats(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_at<kV2>(context, 1));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  fill_random(context, kKind, g, out);
  return absl::OkStatus();
}

template <bool kV2>
absl::Status full_int(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_at<kV2>(context, 1));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  fill_random_bits(context, g, out);
  return absl::OkStatus();
}

template <bool kV2>
absl::Status uniform_int(KernelContext& context) {
  constexpr int kLow = kV2 ? 4 : 2;
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_at<kV2>(context, 1));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(context.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return fill_random_range(context, g, context.input(kLow), context.input(kLow + 1), out);
}

/// The shape, which must end with that of the parameters.
absl::StatusOr<Shape> shape_ending_with(const Tensor& given, const Shape& parameters, const char* name) {
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_of_vector(given));
  if (shape.num_elements() == 0) return shape;
  const int outer = shape.rank() - parameters.rank();
  bool ends = outer >= 0;
  for (int i = 0; ends && i < parameters.rank(); ++i) ends = shape.dim(outer + i) == parameters.dim(i);
  if (!ends) {
    return invalid("Shape passed in must end with broadcasted shape. Got shape ", shape.to_string(), " and ",
                   name, " shape ", parameters.to_string());
  }
  return shape;
}

template <bool kV2>
absl::Status gamma(KernelContext& context) {
  const Tensor& alphas = context.input(kV2 ? 4 : 2);
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_at<kV2>(context, 1));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_ending_with(context.input(0), alphas.shape(), "alpha"));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return fill_gamma(context, g, alphas, out);
}

absl::Status poisson(KernelContext& context) {
  const Tensor& rates = context.input(2);
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_at<false>(context, 1));
  TROUPE_ASSIGN_OR_RETURN(Shape shape, shape_ending_with(context.input(0), rates.shape(), "lam"));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return fill_poisson(context, g, rates, out);
}

absl::Status multinomial(KernelContext& context) {
  const Tensor& logits = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(Philox g, generator_at<false>(context, 2));
  TROUPE_ASSIGN_OR_RETURN(int64_t samples, check_multinomial(logits, context.input(1)));
  const int64_t dims[2] = {logits.dim(0), samples};
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(dims));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  return fill_multinomial(g, logits, samples, out);
}

absl::Status shuffle(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Philox g, philox_of_key(context, 1));
  const Tensor& in = context.input(0);
  if (in.rank() == 0 || in.num_elements() <= 1 || in.dim(0) <= 1) {
    context.forward_input(0, 0);
    return absl::OkStatus();
  }
  return shuffle_rows(context, g, in);
}

/// Outputs key, counter and alg, as many of them as the op has.
absl::Status key_counter(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Philox g, philox_of_seed(context.input(0)));
  TROUPE_ASSIGN_OR_RETURN(Tensor * key, context.allocate_output(0, Shape{1}));
  TROUPE_ASSIGN_OR_RETURN(Tensor * counter, context.allocate_output(1, Shape{2}));
  key->flat<uint64_t>()[0] = g.key();
  counter->flat<uint64_t>()[0] = g.counter_low();
  counter->flat<uint64_t>()[1] = g.counter_high();
  if (context.num_outputs() > 2) {
    TROUPE_ASSIGN_OR_RETURN(Tensor * alg, context.allocate_output(2, Shape()));
    alg->flat<int32_t>()[0] = 1;
  }
  return absl::OkStatus();
}

absl::Status get_alg(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(Tensor * alg, context.allocate_output(0, Shape()));
  alg->flat<int32_t>()[0] = 1;
  return absl::OkStatus();
}

}  // namespace

void register_random_stateless(KernelRegistry* r) {
  const std::vector<DataType> counts = {DataType::kHalf, DataType::kFloat, DataType::kDouble,
                                        DataType::kInt32, DataType::kInt64};
  const std::vector<DataType> ints = {DataType::kInt32, DataType::kInt64, DataType::kUint32,
                                      DataType::kUint64};
  auto add = [r](const char* op, KernelFn fn, const char* attr, std::vector<DataType> types) {
    r->add(KernelDef(op).types(attr, std::move(types)).fn(fn));
  };
  add("StatelessRandomUniform", floats<RandomKind::kUniform, false>, "dtype", float_types());
  add("StatelessRandomUniformV2", floats<RandomKind::kUniform, true>, "dtype", float_types());
  add("StatelessRandomNormal", floats<RandomKind::kNormal, false>, "dtype", float_types());
  add("StatelessRandomNormalV2", floats<RandomKind::kNormal, true>, "dtype", float_types());
  add("StatelessTruncatedNormal", floats<RandomKind::kTruncatedNormal, false>, "dtype", float_types());
  add("StatelessTruncatedNormalV2", floats<RandomKind::kTruncatedNormal, true>, "dtype", float_types());
  add("StatelessRandomUniformFullInt", full_int<false>, "dtype", ints);
  add("StatelessRandomUniformFullIntV2", full_int<true>, "dtype", ints);
  add("StatelessRandomUniformInt", uniform_int<false>, "dtype", index_types());
  add("StatelessRandomUniformIntV2", uniform_int<true>, "dtype", index_types());
  add("StatelessRandomGammaV2", gamma<false>, "dtype", float_types());
  add("StatelessRandomGammaV3", gamma<true>, "dtype", float_types());
  r->add(KernelDef("StatelessRandomPoisson").types("Rtype", counts).types("dtype", counts).fn(poisson));
  r->add(KernelDef("StatelessMultinomial")
             .types("T", float_types())
             .types("output_dtype", index_types())
             .fn(multinomial));
  r->add(KernelDef("StatelessShuffle").fn(shuffle));
  r->add(KernelDef("StatelessRandomGetKeyCounter").fn(key_counter, true));
  r->add(KernelDef("StatelessRandomGetKeyCounterAlg").fn(key_counter, true));
  r->add(KernelDef("StatelessRandomGetAlg").fn(get_alg, true));
}

}  // namespace troupe
