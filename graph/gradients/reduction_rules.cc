// Reductions, running sums and products.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// How a reduction's result fits back over its input.
struct Reduced {
  Val x_shape;
  /// That of the input with 1 at the dimensions that are gone.
  Val kept_shape;
};

Reduced reduced(Rule& r) {
  Reduced out;
  GradientScope& scope = r.scope();
  out.x_shape = shape_of(r.x(0));
  const PartialShape known = r.shape(r.x(0));
  Val rank = known.known_rank() ? scope.int_scalar(known.rank()) : unary("Rank", r.x(0));
  // Reduction indices may be a scalar and may count from the end.
  Val axes = reshape(scope.cast(r.x(1), DataType::kInt32), {-1});
  axes = binary("FloorMod", axes + rank, rank);
  Val all = scope.op("Range", {scope.int_scalar(0), rank, scope.int_scalar(1)});
  Val ones = unary("OnesLike", axes);
  out.kept_shape =
      scope.op("DynamicStitch", {std::vector<Val>{all, axes}, std::vector<Val>{out.x_shape, ones}});
  return out;
}

bool keeps_dims(const Rule& r) { return r.attr<bool>("keep_dims"); }

/// `v`, of the shape of the result, so that it broadcasts over the input.
Val spread(const Rule& r, const Reduced& shapes, Val v) {
  return keeps_dims(r) ? v : reshape(v, shapes.kept_shape);
}

void sum_rule(Rule& r) {
  const Reduced shapes = reduced(r);
  r.dx(0, r.op("BroadcastTo", {spread(r, shapes, r.dy()), shapes.x_shape}));
}

void mean_rule(Rule& r) {
  const Reduced shapes = reduced(r);
  Val sum = r.op("BroadcastTo", {spread(r, shapes, r.dy()), shapes.x_shape});
  Val in = r.op("Prod", {shapes.x_shape, r.ints({0})});
  Val out = r.op("Prod", {shape_of(r.y()), r.ints({0})});
  Val count = binary("FloorDiv", in, binary("Maximum", out, r.int_scalar(1)));
  r.dx(0, sum / r.scope().cast(count, r.y().dtype()));
}

/// The gradient goes to all elements that are the extreme, in equal parts.
void extreme_rule(Rule& r) {
  const Reduced shapes = reduced(r);
  Val hit = r.scope().cast(binary("Equal", spread(r, shapes, r.y()), r.x(0)), r.y().dtype());
  Val count = reduce_sum(hit, r.x(1), true);
  r.dx(0, hit / count * spread(r, shapes, r.dy()));
}

void norm_rule(Rule& r) {
  const Reduced shapes = reduced(r);
  r.dx(0, r.x(0) * (spread(r, shapes, r.dy()) / spread(r, shapes, r.y())));
}

/// The product of all others, made of the products before and behind, so that zeros do no harm.
void prod_rule(Rule& r) {
  const Reduced shapes = reduced(r);
  GradientScope& scope = r.scope();
  Val x = r.x(0);
  Val dy = r.op("BroadcastTo", {spread(r, shapes, r.dy()), shapes.x_shape});
  // Reduced dimensions first, then all of them as one.
  Val rank = unary("Size", shapes.x_shape);
  Val axes = reshape(scope.cast(r.x(1), DataType::kInt32), {-1});
  axes = binary("FloorMod", axes + rank, rank);
  Val all = scope.op("Range", {scope.int_scalar(0), rank, scope.int_scalar(1)});
  Val other = scope.op("ListDiff", {all, axes});
  Val order = scope.op("ConcatV2", {std::vector<Val>{axes, other}, scope.int_scalar(0)});
  auto size = [&](Val dims) {
    Val sizes = scope.op("GatherV2", {shapes.x_shape, dims, scope.int_scalar(0)});
    return scope.op("Prod", {sizes, r.ints({0})}, {{"keep_dims", true}});
  };
  Val matrix_shape = scope.op("ConcatV2", {std::vector<Val>{size(axes), size(other)}, scope.int_scalar(0)});
  Val turned = binary("Transpose", x, order);
  Val matrix = reshape(turned, matrix_shape);
  Val zero = scope.int_scalar(0);
  Val before = scope.op("Cumprod", {matrix, zero}, {{"exclusive", true}});
  Val behind = scope.op("Cumprod", {matrix, zero}, {{"exclusive", true}, {"reverse", true}});
  Val others = reshape(conj(before) * conj(behind), shape_of(turned));
  Val back = binary("Transpose", others, unary("InvertPermutation", order));
  r.dx(0, reshape(dy * back, shapes.x_shape));
}

Val scan(const Rule& r, const char* op, Val v, bool reverse) {
  return r.op(op, {v, r.x(1)}, {{"exclusive", r.attr<bool>("exclusive")}, {"reverse", reverse}});
}

void cumsum_rule(Rule& r) { r.dx(0, scan(r, "Cumsum", r.dy(), !r.attr<bool>("reverse"))); }

void cumprod_rule(Rule& r) {
  Val products = scan(r, "Cumprod", r.x(0), r.attr<bool>("reverse"));
  Val sums = scan(r, "Cumsum", conj(products) * r.dy(), !r.attr<bool>("reverse")), x = conj(r.x(0));
  // 0 where x is 0, as in TensorFlow: only a product without the element would tell.
  r.dx(0, is_integer(x.dtype()) ? sums / x : binary("DivNoNan", sums, x));
}

/// In logarithms, positive and negative parts apart.
void cumulative_logsumexp_rule(Rule& r) {
  Val dy = r.dy(), zero = zeros_like(dy);
  const bool reverse = !r.attr<bool>("reverse");
  auto part = [&](Val size, const char* compare) {
    Val mask = binary(compare, dy, zero);
    Val safe = select(mask, size, unary("OnesLike", dy));
    Val log = unary("Log", safe);
    // Far below every number that counts.
    Val least = r.scalar(-1e30) + zero;
    Val logs = select(mask, log, least);
    return unary("Exp", scan(r, "CumulativeLogsumexp", logs - r.y(), reverse) + r.x(0));
  };
  r.dx(0, part(dy, "Greater") - part(-dy, "Less"));
}

const RuleRow kRows[] = {
    {"Sum", sum_rule},       {"Mean", mean_rule},       {"Max", extreme_rule},
    {"Min", extreme_rule},   {"Prod", prod_rule},       {"EuclideanNorm", norm_rule},
    {"Cumsum", cumsum_rule}, {"Cumprod", cumprod_rule}, {"CumulativeLogsumexp", cumulative_logsumexp_rule},
};

}  // namespace

std::span<const RuleRow> reduction_rules() { return kRows; }

}  // namespace troupe
