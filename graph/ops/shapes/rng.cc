// Random numbers whose generator lives in a variable, and random choices of boxes, crops and places.

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"

namespace troupe::shapes {
namespace {

absl::Status check_scalar(const ShapeContext& c, int i, absl::string_view name) {
  if (with_rank(c.input(i), 0).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be a scalar; got a tensor of shape ", text(c.input(i))));
}

/// Inputs resource, algorithm, shape.
absl::Status stateful(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  return shape_from_input<2>(c);
}

absl::Status stateful_int(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 3, "minval"));
  TROUPE_RETURN_IF_ERROR(check_scalar(c, 4, "maxval"));
  return stateful(c);
}

/// Inputs shape and seed.
absl::Status stateless(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape seed, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(seed, 0), 2).status());
  return shape_from_input<0>(c);
}

absl::Status random_crop(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape image, with_rank(c.input(0), 3));
  TROUPE_ASSIGN_OR_RETURN(PartialShape size, with_rank(c.input(1), 1));
  TROUPE_RETURN_IF_ERROR(with_value(dim_of(size, 0), 2).status());
  int64_t height = kUnknownDim, width = kUnknownDim;
  if (const auto values = c.all_ints(1); values && values->size() == 2) {
    height = (*values)[0] < 0 ? kUnknownDim : (*values)[0];
    width = (*values)[1] < 0 ? kUnknownDim : (*values)[1];
  }
  c.set_output(0, PartialShape({height, width, dim_of(image, -1)}));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    {"RngSkip", rule<"* [] []">},
    {"RngReadAndSkip", rule<"* [] [] -> [3]">},
    {"StatefulUniform", stateful},
    {"StatefulUniformInt", stateful_int},
    {"StatefulUniformFullInt", stateful},
    {"StatefulStandardNormal", shape_from_input<1>},
    {"StatefulStandardNormalV2", stateful},
    {"StatefulTruncatedNormal", stateful},
    {"StatefulRandomBinomial", stateful},
    {"NonDeterministicInts", shape_from_input<0>},
    {"StatelessRandomBinomial", stateless},
    {"StatelessParameterizedTruncatedNormal", stateless},
    {"StochasticCastToInt", rule<"S [1] [?] [] -> S">},
    {"RandomCrop", random_crop},
    {"SampleDistortedBoundingBox", rule<"* * -> [3] [3] [1,1,4]">},
    {"SampleDistortedBoundingBoxV2", rule<"* * [] -> [3] [3] [1,1,4]">},
    {"StatelessSampleDistortedBoundingBox", rule<"* * [] [2] -> [3] [3] [1,1,4]">},
};

}  // namespace

absl::Status register_rng_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
