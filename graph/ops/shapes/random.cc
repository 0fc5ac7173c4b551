// Random numbers.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status seed(const ShapeContext& c, int i) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, with_rank(c.input(i), 1));
  return with_value(dim_of(shape, 0), 2).status();
}

absl::Status check_scalar(const ShapeContext& c, int i, absl::string_view name) {
  if (with_rank(c.input(i), 0).ok()) return absl::OkStatus();
  return invalid(absl::StrCat(name, " must be a scalar; got a tensor of shape ", text(c.input(i))));
}

absl::Status random_int(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 1, "minval"));
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 2, "maxval"));
  return shape_from_input<0>(c);
}

absl::Status stateless(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(seed(c, 1));
  return shape_from_input<0>(c);
}

absl::Status stateless_int(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 2, "minval"));
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 3, "maxval"));
  return stateless(c);
}

absl::Status stateless_v2(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(apply_rule("* [1] [?] []", c));
  return shape_from_input<0>(c);
}

absl::Status stateless_int_v2(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 4, "minval"));
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 5, "maxval"));
  return stateless_v2(c);
}

/// A sample of the given shape for each element of the parameters.
absl::Status per_parameter(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape shape, c.input_as_shape(0));
  c.set_output(0, concatenate(shape, c.input(1)));
  return absl::OkStatus();
}

absl::Status truncated_with_parameters(ShapeContext& c) {
  for (int i = 1; i < 5; ++i) TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(i), 1));
  return shape_from_input<0>(c);
}

absl::Status multinomial(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape logits, with_rank(c.input(0), 2));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  TROUPE_ASSIGN_OR_RETURN(int64_t samples, dim_from_input(c, 1));
  c.set_output(0, PartialShape({dim_of(logits, 0), samples}));
  return absl::OkStatus();
}

absl::Status stateless_multinomial(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(seed(c, 2));
  return multinomial(c);
}

constexpr ShapeRow kRows[] = {
    {"RandomStandardNormal", shape_from_input<0>},
    {"RandomUniform", shape_from_input<0>},
    {"TruncatedNormal", shape_from_input<0>},
    {"RandomUniformInt", random_int},
    {"RandomGamma", per_parameter},
    {"RandomPoisson", per_parameter},
    {"RandomPoissonV2", per_parameter},
    {"RandomShuffle", unchanged},
    {"ParameterizedTruncatedNormal", truncated_with_parameters},
    {"Multinomial", multinomial},
    {"StatelessMultinomial", stateless_multinomial},
    {"StatelessRandomNormal", stateless},
    {"StatelessRandomUniform", stateless},
    {"StatelessTruncatedNormal", stateless},
    {"StatelessRandomUniformInt", stateless_int},
    {"StatelessRandomUniformFullInt", stateless},
    {"StatelessRandomNormalV2", stateless_v2},
    {"StatelessRandomUniformV2", stateless_v2},
    {"StatelessTruncatedNormalV2", stateless_v2},
    {"StatelessRandomUniformFullIntV2", stateless_v2},
    {"StatelessRandomUniformIntV2", stateless_int_v2},
    {"StatelessRandomGetKeyCounter", rule<"[2] -> [1] [2]">},
    {"StatelessRandomGetKeyCounterAlg", rule<"[2] -> [1] [2] []">},
    {"StatelessRandomGetAlg", scalar},
};

}  // namespace

absl::Status register_random_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
