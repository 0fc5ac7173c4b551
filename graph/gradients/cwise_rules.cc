// Element-wise ops of one input.

#include <cmath>
#include <numbers>

#include "graph/gradients/gradient_registry.h"
#include "graph/gradients/matrix_values.h"

namespace troupe {
namespace {

constexpr double kPi = std::numbers::pi;

/// dx = dy * conj(slope), where `slope` is the derivative at x.
template <class F>
void times(Rule& r, F slope) {
  r.dx(0, r.dy() * conj(slope(r.x(0), r.y())));
}

/// An op with a gradient op of its own that takes (y, dy) or (x, dy).
void by_output(Rule& r, const char* op) { r.dx(0, r.op(op, {r.y(), r.dy()})); }

Val square(Val x) { return unary("Square", x); }
Val sqrt(Val x) { return unary("Sqrt", x); }
Val nonzero(Val x) { return binary("NotEqual", x, zeros_like(x)); }

void abs_rule(Rule& r) { r.dx(0, r.dy() * unary("Sign", r.x(0))); }

void sign_rule(Rule& r) {
  // Constant wherever it has a derivative, but for complex numbers, where only the direction counts.
  if (!is_complex(r.x(0).dtype())) return r.dx(0, zeros_like(r.dy()));
  const DataType t = r.x(0).dtype();
  Val size = r.op("ComplexAbs", {r.x(0)}, {{"Tout", real_type(t)}});
  Val s = r.y(), g = r.dy();
  Val along = r.scope().op("Real", {g * conj(s)}, {{"T", t}, {"Tout", size.dtype()}});
  Val across = g - r.scope().cast(along, t) * s;
  r.dx(0, r.op("DivNoNan", {across, r.scope().cast(size, t)}));
}

const RuleRow kUnary[] = {
    {"Abs", abs_rule},
    {"Neg", [](Rule& r) { r.dx(0, -r.dy()); }},
    {"Inv", [](Rule& r) { by_output(r, "ReciprocalGrad"); }},
    {"Reciprocal", [](Rule& r) { by_output(r, "ReciprocalGrad"); }},
    {"Square", [](Rule& r) { times(r, [](Val x, Val) { return 2.0 * x; }); }},
    {"Sqrt", [](Rule& r) { by_output(r, "SqrtGrad"); }},
    {"Rsqrt", [](Rule& r) { by_output(r, "RsqrtGrad"); }},
    {"Exp", [](Rule& r) { times(r, [](Val, Val y) { return y; }); }},
    {"Expm1", [](Rule& r) { times(r, [](Val x, Val) { return unary("Exp", x); }); }},
    {"Log", [](Rule& r) { r.dx(0, r.dy() / conj(r.x(0))); }},
    {"Log1p", [](Rule& r) { r.dx(0, r.dy() / conj(1.0 + r.x(0))); }},
    {"Sin", [](Rule& r) { times(r, [](Val x, Val) { return unary("Cos", x); }); }},
    {"Cos", [](Rule& r) { times(r, [](Val x, Val) { return -unary("Sin", x); }); }},
    {"Tan", [](Rule& r) { times(r, [](Val, Val y) { return 1.0 + square(y); }); }},
    {"Sinh", [](Rule& r) { times(r, [](Val x, Val) { return unary("Cosh", x); }); }},
    {"Cosh", [](Rule& r) { times(r, [](Val x, Val) { return unary("Sinh", x); }); }},
    {"Tanh",
     [](Rule& r) {
       r.dx(0, r.op("TanhGrad", {conj(r.y()), r.dy()}));
     }},
    {"Sigmoid",
     [](Rule& r) {
       r.dx(0, r.op("SigmoidGrad", {conj(r.y()), r.dy()}));
     }},
    {"Asin", [](Rule& r) { r.dx(0, r.dy() / conj(sqrt(1.0 - square(r.x(0))))); }},
    {"Acos", [](Rule& r) { r.dx(0, -(r.dy() / conj(sqrt(1.0 - square(r.x(0)))))); }},
    {"Atan", [](Rule& r) { r.dx(0, r.dy() / conj(1.0 + square(r.x(0)))); }},
    {"Asinh", [](Rule& r) { r.dx(0, r.dy() / conj(unary("Cosh", r.y()))); }},
    {"Acosh", [](Rule& r) { r.dx(0, r.dy() / conj(unary("Sinh", r.y()))); }},
    {"Atanh", [](Rule& r) { r.dx(0, r.dy() / conj(1.0 - square(r.x(0)))); }},
    {"Erf",
     [](Rule& r) { times(r, [](Val x, Val) { return 2 / std::sqrt(kPi) * unary("Exp", -square(x)); }); }},
    {"Erfc",
     [](Rule& r) { times(r, [](Val x, Val) { return -2 / std::sqrt(kPi) * unary("Exp", -square(x)); }); }},
    {"Erfinv",
     [](Rule& r) { times(r, [](Val, Val y) { return std::sqrt(kPi) / 2 * unary("Exp", square(y)); }); }},
    {"Ndtri",
     [](Rule& r) {
       times(r, [](Val, Val y) { return std::sqrt(2 * kPi) * unary("Exp", square(y) * 0.5); });
     }},
    {"Lgamma", [](Rule& r) { times(r, [](Val x, Val) { return unary("Digamma", x); }); }},
    {"Digamma", [](Rule& r) { times(r, [&](Val x, Val) { return binary("Polygamma", r.scalar(1), x); }); }},
    {"BesselI0", [](Rule& r) { times(r, [](Val x, Val) { return unary("BesselI1", x); }); }},
    {"BesselI0e",
     [](Rule& r) { times(r, [](Val x, Val y) { return unary("BesselI1e", x) - unary("Sign", x) * y; }); }},
    {"BesselI1",
     [](Rule& r) {
       times(r, [](Val x, Val y) {
         // At 0 the quotient tends to 1/2.
         Val slope = unary("BesselI0", x) - y / x;
         return select(nonzero(x), slope, 0.5 * unary("OnesLike", x));
       });
     }},
    {"BesselI1e",
     [](Rule& r) {
       times(r, [](Val x, Val y) {
         Val slope = unary("BesselI0e", x) - y * (unary("Sign", x) + unary("Reciprocal", x));
         return select(nonzero(x), slope, 0.5 * unary("OnesLike", x));
       });
     }},
    {"BesselK0", [](Rule& r) { times(r, [](Val x, Val) { return -unary("BesselK1", x); }); }},
    {"BesselK0e", [](Rule& r) { times(r, [](Val x, Val y) { return y - unary("BesselK1e", x); }); }},
    {"BesselK1", [](Rule& r) { times(r, [](Val x, Val y) { return -unary("BesselK0", x) - y / x; }); }},
    {"BesselK1e",
     [](Rule& r) { times(r, [](Val x, Val y) { return y * (1.0 - 1.0 / x) - unary("BesselK0e", x); }); }},
    {"BesselJ0", [](Rule& r) { times(r, [](Val x, Val) { return -unary("BesselJ1", x); }); }},
    {"BesselJ1",
     [](Rule& r) {
       times(r, [](Val x, Val y) {
         Val slope = unary("BesselJ0", x) - y / x;
         return select(nonzero(x), slope, 0.5 * unary("OnesLike", x));
       });
     }},
    {"BesselY0", [](Rule& r) { times(r, [](Val x, Val) { return -unary("BesselY1", x); }); }},
    {"BesselY1", [](Rule& r) { times(r, [](Val x, Val y) { return unary("BesselY0", x) - y / x; }); }},
    {"Dawsn", [](Rule& r) { times(r, [](Val x, Val y) { return 1.0 - 2.0 * x * y; }); }},
    {"Expint", [](Rule& r) { times(r, [](Val x, Val) { return unary("Exp", x) / x; }); }},
    {"FresnelCos", [](Rule& r) { times(r, [](Val x, Val) { return unary("Cos", kPi / 2 * square(x)); }); }},
    {"FresnelSin", [](Rule& r) { times(r, [](Val x, Val) { return unary("Sin", kPi / 2 * square(x)); }); }},
    {"Spence",
     [](Rule& r) {
       times(r, [](Val x, Val) {
         return select(nonzero(x - 1.0), unary("Log", x) / (1.0 - x), -unary("OnesLike", x));
       });
     }},
    {"Sign", sign_rule},
    {"Floor", nullptr},
    {"Ceil", nullptr},
    {"Round", nullptr},
    {"Rint", nullptr},
    {"Conj", [](Rule& r) { r.dx(0, conj(r.dy())); }},
    {"Real",
     [](Rule& r) {
       Val dy = r.dy();
       r.dx(0, r.op("Complex", {dy, zeros_like(dy)}, {{"Tout", r.x(0).dtype()}}));
     }},
    {"Imag",
     [](Rule& r) {
       Val dy = r.dy();
       r.dx(0, r.op("Complex", {zeros_like(dy), dy}, {{"Tout", r.x(0).dtype()}}));
     }},
    {"Angle",
     [](Rule& r) {
       const DataType c = r.x(0).dtype();
       Val i = r.op("Complex", {zeros_like(r.dy()), r.dy()}, {{"Tout", c}});
       // d angle = Im(dx / x): the conjugate of 1 / (i x), turned.
       r.dx(0, i / conj(r.x(0)));
     }},
    {"ComplexAbs",
     [](Rule& r) {
       Val dy = r.dy();
       const DataType c = r.x(0).dtype();
       r.dx(0, r.scope().cast(dy, c) * unary("Sign", r.x(0)));
     }},
    {"Cast",
     [](Rule& r) {
       auto differentiable = [](DataType t) { return is_floating(t) || is_complex(t); };
       const DataType from = r.x(0).dtype(), to = r.y().dtype();
       if (differentiable(from) && differentiable(to)) r.dx(0, r.scope().cast(r.dy(), from));
     }},
    // Gradient ops, for gradients of gradients.
    {"SqrtGrad",
     [](Rule& r) {
       Val g = r.dy() / r.x(0);
       r.dx(0, -(conj(g) * r.y()));
       r.dx(1, 0.5 * g);
     }},
    {"RsqrtGrad",
     [](Rule& r) {
       Val a = r.x(0), b = r.x(1), g = r.dy();
       r.dx(0, -1.5 * conj(g) * b * square(conj(a)));
       r.dx(1, -0.5 * g * square(a) * a);
     }},
    {"InvGrad",
     [](Rule& r) {
       Val ca = conj(r.x(0)), g = r.dy();
       r.dx(0, -2.0 * conj(g) * r.x(1) * ca);
       r.dx(1, r.op("ReciprocalGrad", {ca, g}));
     }},
    {"ReciprocalGrad",
     [](Rule& r) {
       Val ca = conj(r.x(0)), g = r.dy();
       r.dx(0, -2.0 * conj(g) * r.x(1) * ca);
       r.dx(1, r.op("ReciprocalGrad", {ca, g}));
     }},
    {"TanhGrad",
     [](Rule& r) {
       Val a = conj(r.x(0)), g = r.dy();
       r.dx(0, -2.0 * g * conj(r.x(1)) * a);
       r.dx(1, r.op("TanhGrad", {a, g}));
     }},
    {"SigmoidGrad",
     [](Rule& r) {
       Val a = conj(r.x(0)), b = conj(r.x(1)), gb = r.dy() * b;
       r.dx(0, gb - 2.0 * gb * a);
       r.dx(1, r.op("SigmoidGrad", {a, r.dy()}));
     }},
};

}  // namespace

std::span<const RuleRow> cwise_rules() { return kUnary; }

}  // namespace troupe
