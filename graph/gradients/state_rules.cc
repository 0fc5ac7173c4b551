// Variables and random numbers.

#include "graph/gradients/gradient_registry.h"

#include <cfloat>
#include <numbers>

namespace troupe {
namespace {

/// The gradient of a variable's handle is that of its value.
void read(Rule& r) { r.dx(0, r.dy()); }

/// Samples for each alpha, in dimensions before those of alpha.
void random_gamma(Rule& r, int alpha_input) {
  if (!r.wants(alpha_input)) return;
  Val alpha = r.x(alpha_input);
  Val slope = r.op("RandomGammaGrad", {r.op("BroadcastTo", {alpha, shape_of(r.y())}), r.y()});
  r.dx(alpha_input, sum_to_shape(r.dy() * slope, alpha, r.y()));
}

/// The smallest normal number, and the distance from 1 to the next.
std::pair<double, double> limits(DataType t) {
  if (t == DataType::kHalf) return {0x1p-14, 0x1p-10};
  if (t == DataType::kFloat) return {FLT_MIN, FLT_EPSILON};
  return {DBL_MIN, DBL_EPSILON};
}

/// Implicit differentiation (Figurnov et al. 2018) of the share of the mass below the sample, which is what was drawn.
void truncated_normal(Rule& r) {
  Val y = r.y(), dy = r.dy(), mean = r.x(2), deviation = r.x(3), low = r.x(4), high = r.x(5);
  auto standard = [&](Val v) { return (v - mean) / deviation; };
  auto below = [](Val v) { return 0.5 * unary("Erfc", v * (-std::numbers::sqrt2 / 2)); };
  Val sample = standard(y), from = standard(low), to = standard(high);
  Val share = (below(sample) - below(from)) / (below(to) - below(from));
  // Within what has a logarithm.
  const auto [tiny, epsilon] = limits(y.dtype());
  share = binary("Minimum", binary("Maximum", share, r.scalar(tiny)), r.scalar(1 - epsilon));
  auto bound = [&](Val edge, Val log_share) {
    return unary("Exp", 0.5 * (unary("Square", sample) - unary("Square", edge)) + log_share);
  };
  auto give = [&](int i, Val g) {
    if (r.wants(i)) r.dx(i, sum_to_shape(g, r.x(i), y));
  };
  give(2, dy);
  give(3, dy * sample);
  give(4, dy * bound(from, unary("Log1p", -share)));
  give(5, dy * bound(to, unary("Log", share)));
}

const RuleRow kRows[] = {
    {"ReadVariableOp", read},
    {"RandomGamma", [](Rule& r) { random_gamma(r, 1); }},
    {"StatelessParameterizedTruncatedNormal", truncated_normal},
    {"StatelessRandomGammaV2", [](Rule& r) { random_gamma(r, 2); }},
    {"StatelessRandomGammaV3", [](Rule& r) { random_gamma(r, 4); }},
};

}  // namespace

std::span<const RuleRow> state_rules() { return kRows; }

}  // namespace troupe
