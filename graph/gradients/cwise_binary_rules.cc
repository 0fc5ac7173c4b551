// Element-wise ops of two inputs and more.

#include <iterator>
#include <span>
#include <vector>

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// Gradients of two inputs that were broadcast with each other, each made only when it is wanted.
template <class F, class G>
void both(Rule& r, F first, G second) {
  if (r.wants(0)) r.dx(0, sum_to_shape(first(), r.x(0), r.x(1)));
  if (r.wants(1)) r.dx(1, sum_to_shape(second(), r.x(1), r.x(0)));
}

Val square(Val x) { return unary("Square", x); }
Val positive(Val x) { return binary("Greater", x, zeros_like(x)); }
Val nonzero(Val x) { return binary("NotEqual", x, zeros_like(x)); }
/// `x` where `mask`, else 0.
Val where(Val mask, Val x) { return select(mask, x, zeros_like(x)); }

void real_div(Rule& r) {
  both(
      r, [&] { return r.dy() / conj(r.x(1)); },
      [&] { return r.dy() * (-conj(r.x(0)) / conj(r.x(1))) / conj(r.x(1)); });
}

void pow_rule(Rule& r) {
  Val x = r.x(0), y = r.x(1);
  both(
      r, [&] { return r.dy() * conj(y) * binary("Pow", conj(x), conj(y) - 1.0); },
      [&] {
        // log x where it is defined; a power of 0 does not change with the exponent.
        Val mask = is_complex(x.dtype()) ? nonzero(x) : positive(x);
        Val safe = select(mask, x, unary("OnesLike", x));
        return r.dy() * conj(r.y()) * conj(select(mask, unary("Log", safe), zeros_like(x)));
      });
}

void choice(Rule& r, const char* compare) {
  Val first = r.op(compare, {r.x(0), r.x(1)});
  Val dy = r.dy();
  both(
      r, [&] { return where(first, dy); }, [&] { return select(first, zeros_like(dy), dy); });
}

/// x * log y, which is 0 wherever x is.
void times_log(Rule& r, const char* factor, bool one_plus) {
  Val x = r.x(0), y = r.x(1), dy = r.dy();
  Val mask = r.scope().cast(nonzero(x), x.dtype());
  both(
      r,
      [&] {
        return dy * r.op(factor, {mask, y});
      },
      [&] {
        return dy * r.op("Xdivy", {x, one_plus ? y + 1.0 : y});
      });
}

void igamma(Rule& r, double sign) {
  Val a = r.x(0), x = r.x(1), dy = r.dy();
  both(
      r, [&] { return sign * (dy * binary("IgammaGradA", a, x)); },
      [&] {
        Val density = unary("Exp", -x + binary("Xlogy", a - 1.0, x) - unary("Lgamma", a));
        return sign * (dy * density);
      });
}

void betainc(Rule& r) {
  Val a = r.x(0), b = r.x(1), x = r.x(2);
  Val log_beta = unary("Lgamma", a) + unary("Lgamma", b) - unary("Lgamma", a + b);
  Val slope = unary("Exp", binary("Xlog1py", b - 1.0, -x) + binary("Xlogy", a - 1.0, x) - log_beta);
  // Not known for a and b: TensorFlow has none either.
  r.dx(2, reshape_like(r.dy() * slope, x));
}

void floor_mod(Rule& r) {
  both(
      r, [&] { return r.dy(); }, [&] { return r.dy() * -binary("FloorDiv", r.x(0), r.x(1)); });
}

void atan2_rule(Rule& r) {
  Val y = r.x(0), x = r.x(1), dy = r.dy();
  auto scaled = [&](Val v) { return dy * (v / (square(x) + square(y))); };
  both(
      r, [&] { return scaled(x); }, [&] { return scaled(-y); });
}

void squared_difference(Rule& r) {
  Val g = r.dy() * (2.0 * (r.x(0) - r.x(1)));
  both(
      r, [&] { return g; }, [&] { return -g; });
}

void add_rule(Rule& r) {
  both(
      r, [&] { return r.dy(); }, [&] { return r.dy(); });
}

const RuleRow kBinary[] = {
    {"Add", add_rule},
    {"AddV2", add_rule},
    {"Sub",
     [](Rule& r) {
       both(
           r, [&] { return r.dy(); }, [&] { return -r.dy(); });
     }},
    {"Mul",
     [](Rule& r) {
       both(
           r, [&] { return r.dy() * conj(r.x(1)); }, [&] { return r.dy() * conj(r.x(0)); });
     }},
    {"MulNoNan",
     [](Rule& r) {
       both(
           r, [&] { return binary("MulNoNan", r.dy(), r.x(1)); },
           [&] { return binary("MulNoNan", r.x(0), r.dy()); });
     }},
    {"RealDiv", real_div},
    {"Div", real_div},
    {"DivNoNan",
     [](Rule& r) {
       both(
           r, [&] { return binary("DivNoNan", r.dy(), conj(r.x(1))); },
           [&] {
             Val q = binary("DivNoNan", -conj(r.x(0)), conj(r.x(1)));
             return r.dy() * binary("DivNoNan", q, conj(r.x(1)));
           });
     }},
    {"FloorDiv", nullptr},
    {"TruncateDiv", nullptr},
    {"FloorMod", floor_mod},
    {"TruncateMod",
     [](Rule& r) {
       both(
           r, [&] { return r.dy(); },
           [&] {
             Val whole = (r.x(0) - r.y()) / r.x(1);
             return -(r.dy() * whole);
           });
     }},
    {"Mod",
     [](Rule& r) {
       both(
           r, [&] { return r.dy(); }, [&] { return -(r.dy() * ((r.x(0) - r.y()) / r.x(1))); });
     }},
    {"Pow", pow_rule},
    {"Maximum", [](Rule& r) { choice(r, "GreaterEqual"); }},
    {"Minimum", [](Rule& r) { choice(r, "LessEqual"); }},
    {"SquaredDifference", squared_difference},
    {"Atan2", atan2_rule},
    {"Xlogy", [](Rule& r) { times_log(r, "Xlogy", false); }},
    {"Xlog1py", [](Rule& r) { times_log(r, "Xlog1py", true); }},
    {"Xdivy",
     [](Rule& r) {
       Val x = r.x(0), y = r.x(1), dy = r.dy();
       both(
           r,
           [&] {
             Val mask = r.scope().cast(nonzero(x), x.dtype());
             return dy * binary("Xdivy", mask, y);
           },
           [&] { return dy * binary("Xdivy", -x, square(y)); });
     }},
    {"Igamma", [](Rule& r) { igamma(r, 1); }},
    {"Igammac", [](Rule& r) { igamma(r, -1); }},
    {"Betainc", betainc},
    {"Zeta",
     [](Rule& r) {
       Val x = r.x(0), q = r.x(1);
       r.dx(1, sum_to_shape(r.dy() * (-x * binary("Zeta", x + 1.0, q)), q, x));
     }},
    {"Polygamma",
     [](Rule& r) {
       Val n = r.x(0), x = r.x(1);
       r.dx(1, sum_to_shape(r.dy() * binary("Polygamma", n + 1.0, x), x, n));
     }},
    {"NextAfter",
     [](Rule& r) {
       both(
           r, [&] { return r.dy(); }, [&] { return zeros_like(r.dy()); });
     }},
    {"Complex",
     [](Rule& r) {
       const DataType t = r.x(0).dtype();
       both(
           r,
           [&] {
             return r.op("Real", {r.dy()}, {{"Tout", t}});
           },
           [&] {
             return r.op("Imag", {r.dy()}, {{"Tout", t}});
           });
     }},
};

/// Select wants a condition of one dimension, or a scalar, beside values of more; all three keep their shape.
void select_v1(Rule& r) {
  Val dy = r.dy(), zero = zeros_like(dy);
  if (r.wants(1)) r.dx(1, r.op("Select", {r.x(0), dy, zero}));
  if (r.wants(2)) r.dx(2, r.op("Select", {r.x(0), zero, dy}));
}

void select_v2(Rule& r) {
  Val dy = r.dy(), zero = zeros_like(dy), c = r.x(0);
  if (r.wants(1)) r.dx(1, sum_to_shape(select(c, dy, zero), r.x(1), r.y()));
  if (r.wants(2)) r.dx(2, sum_to_shape(select(c, zero, dy), r.x(2), r.y()));
}

void clip(Rule& r) {
  Val x = r.x(0), low = r.x(1), high = r.x(2), dy = r.dy();
  Val below = binary("Less", x, low), above = binary("Greater", x, high);
  if (r.wants(0)) {
    Val outside = binary("LogicalOr", below, above);
    r.dx(0, sum_to_shape(select(outside, zeros_like(dy), dy), x, r.y()));
  }
  if (r.wants(1)) r.dx(1, sum_to_shape(where(below, dy), low, r.y()));
  if (r.wants(2)) r.dx(2, sum_to_shape(where(above, dy), high, r.y()));
}

void each_gets_all(Rule& r) {
  for (int i = 0; i < r.num_inputs(); ++i) r.dx(i, r.dy());
}

const RuleRow kOthers[] = {
    {"Select", select_v1}, {"RefSelect", nullptr},  {"SelectV2", select_v2},
    {"ClipByValue", clip}, {"AddN", each_gets_all}, {"AccumulateNV2", each_gets_all},
};

}  // namespace

std::span<const RuleRow> cwise_binary_rules() {
  static const auto* rows = [] {
    auto* all = new std::vector<RuleRow>(std::begin(kBinary), std::end(kBinary));
    all->insert(all->end(), std::begin(kOthers), std::end(kOthers));
    return all;
  }();
  return *rows;
}

}  // namespace troupe
