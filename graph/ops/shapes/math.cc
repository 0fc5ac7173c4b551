// Arithmetic element by element, products, reductions, segments.

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "graph/ops/shapes/rule.h"
#include "graph/ops/shapes/shapes.h"
#include "graph/ops/shapes/values.h"

namespace troupe::shapes {
namespace {

absl::Status invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

absl::Status followed_binary(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(broadcast_binary(c));
  return binary_values(c);
}

/// Every operation takes part in the last result, and so does every input.
absl::Status broadcast_all(ShapeContext& c) {
  PartialShape shape = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(shape, broadcast(shape, c.input(i)));
  }
  c.set_output(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status followed_unary(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(unchanged(c));
  return unary_values(c);
}

/// Whether two shapes broadcast whatever their unknown dimensions are.
bool fits_surely(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return false;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    const int64_t x = dim_of(a, -i), y = dim_of(b, -i);
    if ((x < 0 && y != 1) || (y < 0 && x != 1)) return false;
  }
  return true;
}

absl::Status equality(ShapeContext& c) {
  auto shape = broadcast(c.input(0), c.input(1));
  if (c.attrs().get_or<bool>("incompatible_shape_error", true)) {
    if (!shape.ok()) return shape.status();
    c.set_output(0, *std::move(shape));
    return absl::OkStatus();
  }
  // Shapes that do not fit compare as unequal: one scalar. Where a dimension is unknown, either may happen.
  if (!shape.ok()) {
    c.set_output(0, PartialShape(Dims()));
  } else if (fits_surely(c.input(0), c.input(1))) {
    c.set_output(0, *std::move(shape));
  }
  return absl::OkStatus();
}

absl::Status mat_mul(ShapeContext& c) {
  TROUPE_ASSIGN_OR_RETURN(PartialShape a, with_rank(c.input(0), 2));
  TROUPE_ASSIGN_OR_RETURN(PartialShape b, with_rank(c.input(1), 2));
  TROUPE_ASSIGN_OR_RETURN(bool ta, c.attr<bool>("transpose_a"));
  TROUPE_ASSIGN_OR_RETURN(bool tb, c.attr<bool>("transpose_b"));
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(a, ta ? 0 : 1), dim_of(b, tb ? 1 : 0)).status());
  c.set_output(0, PartialShape({dim_of(a, ta ? 1 : 0), dim_of(b, tb ? 0 : 1)}));
  return absl::OkStatus();
}

absl::Status batch_mat_mul(ShapeContext& c) {
  const PartialShape &a = c.input(0), &b = c.input(1);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(a, 2));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(b, 2));
  TROUPE_ASSIGN_OR_RETURN(bool ax, c.attr<bool>("adj_x"));
  TROUPE_ASSIGN_OR_RETURN(bool ay, c.attr<bool>("adj_y"));
  const bool broadcasts = c.op().name != "BatchMatMul";
  PartialShape batch;
  if (!broadcasts) {
    TROUPE_ASSIGN_OR_RETURN(batch, merge(subshape(a, 0, -2), subshape(b, 0, -2)));
  }
  TROUPE_RETURN_IF_ERROR(merge_dims(dim_of(a, ax ? -2 : -1), dim_of(b, ay ? -1 : -2)).status());
  if (broadcasts) {
    TROUPE_ASSIGN_OR_RETURN(batch, broadcast(subshape(a, 0, -2), subshape(b, 0, -2)));
  }
  c.set_output(0, concatenate(batch, PartialShape({dim_of(a, ax ? -1 : -2), dim_of(b, ay ? -2 : -1)})));
  return absl::OkStatus();
}

absl::Status reduction(ShapeContext& c) {
  // Once, matrices passed for lists of axes.
  if (c.producer() >= 21) TROUPE_RETURN_IF_ERROR(check_rank_at_most(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(bool known, reduce_axes(c));
  return known && c.op().name == "Prod" ? product_values(c) : absl::OkStatus();
}

absl::Status arg_max(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  if (!in.known_rank()) return absl::OkStatus();
  if (in.rank() <= 1) return scalar(c);
  const auto axis = c.constant_int(1);
  if (!axis) {
    c.set_output(0, unknown_of_rank(in.rank() - 1));
    return absl::OkStatus();
  }
  const auto at = canonical_axis(*axis, in.rank());
  if (!at) {
    return invalid(absl::StrCat("Dimension (", *axis, ") must be in the range [", -in.rank(), ", ", in.rank(),
                                "), where ", in.rank(), " is the number of dimensions in the input."));
  }
  c.set_output(0, concatenate(subshape(in, 0, *at), subshape(in, *at + 1)));
  return absl::OkStatus();
}

absl::Status betainc(ShapeContext& c) {
  PartialShape out(Dims{});
  bool all_scalar = true, scalar_unknown = false;
  PartialShape merged;
  for (int i = 0; i < 3; ++i) {
    const PartialShape& in = c.input(i);
    if (!in.known_rank()) {
      scalar_unknown = true;
    } else if (in.rank() > 0) {
      all_scalar = false;
      TROUPE_ASSIGN_OR_RETURN(merged, merge(merged, in));
    }
  }
  if (all_scalar && scalar_unknown) return absl::OkStatus();
  c.set_output(0, all_scalar ? std::move(out) : std::move(merged));
  return absl::OkStatus();
}

absl::Status segment(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 1).status());
  c.set_output(0, concatenate(PartialShape({kUnknownDim}), subshape(c.input(0), 1)));
  return absl::OkStatus();
}

absl::Status unsorted_segment(ShapeContext& c) {
  const PartialShape& ids = c.input(1);
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(2), 0).status());
  if (!ids.known_rank()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(PartialShape data, merge_prefix(c.input(0), ids));
  TROUPE_ASSIGN_OR_RETURN(int64_t segments, dim_from_input(c, 2));
  c.set_output(0, concatenate(PartialShape({segments}), subshape(data, ids.rank())));
  return absl::OkStatus();
}

/// Elements of a number input as doubles, for the ends of ranges.
std::optional<double> constant_number(const ShapeContext& c, int i) {
  if (const auto v = c.constant_int(i)) return static_cast<double>(*v);
  const Tensor* t = c.constant(i);
  if (t == nullptr || t->num_elements() != 1) return std::nullopt;
  if (t->dtype() == DataType::kFloat) return t->value<float>();
  if (t->dtype() == DataType::kDouble) return t->value<double>();
  return std::nullopt;
}

absl::Status scalar_named(const ShapeContext& c, int i, absl::string_view name) {
  auto s = with_rank(c.input(i), 0);
  return s.ok() ? absl::OkStatus() : annotate(s.status(), "", absl::StrCat("\n\t for '", name, "'"));
}

absl::Status range(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(scalar_named(c, 0, "start"));
  TROUPE_RETURN_IF_ERROR(scalar_named(c, 1, "limit"));
  TROUPE_RETURN_IF_ERROR(scalar_named(c, 2, "delta"));
  const auto start = constant_number(c, 0), limit = constant_number(c, 1), delta = constant_number(c, 2);
  c.set_output(0, PartialShape({kUnknownDim}));
  if (!start || !limit || !delta) return absl::OkStatus();
  if (*start > *limit && *delta > 0) {
    return invalid(absl::StrCat("Requires start <= limit when delta > 0: ", *start, "/", *limit));
  }
  if (*start < *limit && *delta < 0) {
    return invalid(absl::StrCat("Requires start >= limit when delta < 0: ", *start, "/", *limit));
  }
  if (*delta == 0) return invalid("Requires delta != 0");
  double count = std::ceil(std::abs((*limit - *start) / *delta));
  const auto i = c.constant_int(0), j = c.constant_int(1), k = c.constant_int(2);
  if (i && j && k) {
    // Exact for all integers.
    const uint64_t span = *i < *j ? static_cast<uint64_t>(*j) - static_cast<uint64_t>(*i)
                                  : static_cast<uint64_t>(*i) - static_cast<uint64_t>(*j);
    const uint64_t step = *k < 0 ? uint64_t{0} - static_cast<uint64_t>(*k) : static_cast<uint64_t>(*k);
    const uint64_t n = span / step + (span % step != 0 ? 1 : 0);
    if (n > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return invalid("Requires a shorter range");
    c.set_output(0, PartialShape({static_cast<int64_t>(n)}));
    return range_values(c, *i, *k, static_cast<int64_t>(n));
  }
  if (!(count < 9e18)) return invalid(absl::StrCat("Requires ((limit - start) / delta) <= ", INT64_MAX));
  c.set_output(0, PartialShape({static_cast<int64_t>(count)}));
  return absl::OkStatus();
}

absl::Status lin_space(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(scalar_named(c, 0, "start"));
  TROUPE_RETURN_IF_ERROR(scalar_named(c, 1, "stop"));
  TROUPE_RETURN_IF_ERROR(scalar_named(c, 2, "num"));
  const auto num = c.constant_int(2);
  if (num && *num <= 0) return invalid(absl::StrCat("Requires num > 0: ", *num));
  c.set_output(0, PartialShape({num ? *num : kUnknownDim}));
  return absl::OkStatus();
}

absl::Status bincount(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  const auto size = c.constant_int(1);
  if (size && *size < 0) return invalid(absl::StrCat("size (", *size, ") must be non-negative"));
  c.set_output(0, PartialShape({size ? *size : kUnknownDim}));
  return absl::OkStatus();
}

absl::Status cross(ShapeContext& c) {
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(0), 1));
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(c.input(1), 1));
  TROUPE_ASSIGN_OR_RETURN(PartialShape merged, merge(c.input(0), c.input(1)));
  if (merged.known_rank()) {
    TROUPE_RETURN_IF_ERROR(with_value(dim_of(merged, -1), 3).status());
    merged = replace_dim(merged, -1, 3);
  }
  c.set_output(0, std::move(merged));
  return absl::OkStatus();
}

absl::Status compare_and_bitpack(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  TROUPE_RETURN_IF_ERROR(check_rank_at_least(in, 1));
  TROUPE_RETURN_IF_ERROR(with_rank(c.input(1), 0).status());
  if (!in.known_rank()) return absl::OkStatus();
  TROUPE_ASSIGN_OR_RETURN(int64_t bytes, divide_dim(dim_of(in, -1), 8, true));
  c.set_output(0, replace_dim(in, -1, bytes));
  return absl::OkStatus();
}

constexpr ShapeRow kRows[] = {
    // One in, the same shape out.
    {"Abs", unchanged},
    {"Acos", unchanged},
    {"Acosh", unchanged},
    {"Angle", unchanged},
    {"Asin", unchanged},
    {"Asinh", unchanged},
    {"Atan", unchanged},
    {"Atanh", unchanged},
    {"BesselI0e", unchanged},
    {"BesselI1e", unchanged},
    {"Bucketize", unchanged},
    {"Cast", followed_unary},
    {"_HostCast", followed_unary},
    {"Ceil", unchanged},
    {"ClipByValue", unchanged},
    {"ComplexAbs", unchanged},
    {"Conj", identity},
    {"Cos", unchanged},
    {"Cosh", unchanged},
    {"Cumprod", unchanged},
    {"Cumsum", unchanged},
    {"CumulativeLogsumexp", unchanged},
    {"Digamma", unchanged},
    {"Erf", unchanged},
    {"Erfc", unchanged},
    {"Erfinv", unchanged},
    {"Exp", unchanged},
    {"Expm1", unchanged},
    {"Floor", unchanged},
    {"Imag", unchanged},
    {"Inv", unchanged},
    {"InvGrad", unchanged},
    {"Invert", unchanged},
    {"IsFinite", unchanged},
    {"IsInf", unchanged},
    {"IsNan", unchanged},
    {"Lgamma", unchanged},
    {"Log", unchanged},
    {"Log1p", unchanged},
    {"LogicalNot", unchanged},
    {"Ndtri", unchanged},
    {"Neg", followed_unary},
    {"PopulationCount", unchanged},
    {"Real", unchanged},
    {"Reciprocal", unchanged},
    {"ReciprocalGrad", unchanged},
    {"Rint", unchanged},
    {"Round", unchanged},
    {"Rsqrt", unchanged},
    {"RsqrtGrad", unchanged},
    {"Sigmoid", unchanged},
    {"SigmoidGrad", unchanged},
    {"Sign", unchanged},
    {"Sin", unchanged},
    {"Sinh", unchanged},
    {"Sqrt", unchanged},
    {"SqrtGrad", unchanged},
    {"Square", unchanged},
    {"Tan", unchanged},
    {"Tanh", unchanged},
    {"TanhGrad", unchanged},
    // Two in, broadcast.
    {"Add", followed_binary},
    {"AddV2", followed_binary},
    {"ApproximateEqual", merged_pair},
    {"Atan2", broadcast_binary},
    {"BitwiseAnd", broadcast_binary},
    {"BitwiseOr", broadcast_binary},
    {"BitwiseXor", broadcast_binary},
    {"Complex", broadcast_binary},
    {"Div", followed_binary},
    {"DivNoNan", broadcast_binary},
    {"Equal", equality},
    {"FloorDiv", followed_binary},
    {"FloorMod", followed_binary},
    {"Greater", broadcast_binary},
    {"GreaterEqual", broadcast_binary},
    {"Igamma", broadcast_binary},
    {"IgammaGradA", broadcast_binary},
    {"Igammac", broadcast_binary},
    {"LeftShift", broadcast_binary},
    {"Less", broadcast_binary},
    {"LessEqual", broadcast_binary},
    {"LogicalAnd", broadcast_binary},
    {"LogicalOr", broadcast_binary},
    {"Maximum", followed_binary},
    {"Minimum", followed_binary},
    {"Mod", broadcast_binary},
    {"Mul", followed_binary},
    {"MulNoNan", broadcast_binary},
    {"NextAfter", broadcast_binary},
    {"NotEqual", equality},
    {"Polygamma", broadcast_binary},
    {"Pow", broadcast_binary},
    {"RandomGammaGrad", broadcast_binary},
    {"RealDiv", broadcast_binary},
    {"RightShift", broadcast_binary},
    {"SquaredDifference", broadcast_binary},
    {"Sub", followed_binary},
    {"TruncateDiv", followed_binary},
    {"TruncateMod", broadcast_binary},
    {"Xdivy", broadcast_binary},
    {"Xlog1py", broadcast_binary},
    {"Xlogy", broadcast_binary},
    {"Zeta", broadcast_binary},
    {"Betainc", betainc},
    // Many in.
    {"AddN", merged_inputs},
    {"AccumulateNV2", shape_attr},
    {"MatMul", mat_mul},
    {"SparseMatMul", mat_mul},
    {"_FusedMatMul", mat_mul},
    {"_FusedElementwise", broadcast_all},
    {"BatchMatMul", batch_mat_mul},
    {"BatchMatMulV2", batch_mat_mul},
    {"BatchMatMulV3", batch_mat_mul},
    {"Cross", cross},
    // Reductions.
    {"All", reduction},
    {"Any", reduction},
    {"EuclideanNorm", reduction},
    {"Max", reduction},
    {"Mean", reduction},
    {"Min", reduction},
    {"Prod", reduction},
    {"Sum", reduction},
    {"ArgMax", arg_max},
    {"ArgMin", arg_max},
    // Segments.
    {"SegmentMax", segment},
    {"SegmentMean", segment},
    {"SegmentMin", segment},
    {"SegmentProd", segment},
    {"SegmentSum", segment},
    {"UnsortedSegmentMax", unsorted_segment},
    {"UnsortedSegmentMin", unsorted_segment},
    {"UnsortedSegmentProd", unsorted_segment},
    {"UnsortedSegmentSum", unsorted_segment},
    // Sequences and counts.
    {"Range", range},
    {"LinSpace", lin_space},
    {"Bincount", bincount},
    {"HistogramFixedWidth", rule<"* [2] [] -> [?]">},
    {"CompareAndBitpack", compare_and_bitpack},
};

}  // namespace

absl::Status register_math_shapes(OpRegistry* registry) { return registry->add_shapes(kRows); }

}  // namespace troupe::shapes
