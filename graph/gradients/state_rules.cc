// Variables and random numbers.

#include "graph/gradients/gradient_registry.h"

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

const RuleRow kRows[] = {
    {"ReadVariableOp", read},
    {"RandomGamma", [](Rule& r) { random_gamma(r, 1); }},
    {"StatelessRandomGammaV2", [](Rule& r) { random_gamma(r, 2); }},
    {"StatelessRandomGammaV3", [](Rule& r) { random_gamma(r, 4); }},
};

}  // namespace

std::span<const RuleRow> state_rules() { return kRows; }

}  // namespace troupe
