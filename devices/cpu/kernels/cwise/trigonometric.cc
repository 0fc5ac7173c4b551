// Circular and hyperbolic functions and their inverses.
#include <algorithm>
#include <cmath>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

constexpr int64_t kChunk = 256;

/// Chunks go through `usual`, which gets a copy of the elements and may write the results as it goes; those of which `is_usual` says no go through the C
/// library's `any`, one by one. `out` may be `in`.
template <class IsUsual, class Usual>
void by_chunks(const float* in, float* out, int64_t n, float (*any)(float), IsUsual is_usual, Usual usual) {
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t m = std::min(kChunk, n - begin);
    float x[kChunk];
    std::copy_n(in + begin, m, x);
    usual(x, out + begin, m);
    for (int64_t i = 0; i < m; ++i) {
      if (!is_usual(x[i])) out[begin + i] = any(x[i]);
    }
  }
}

// Up to here hyperbolic functions do not overflow on the way, nor squares.
constexpr float kMostHyperbolic = 80.0f;
constexpr float kMostSquared = 1e9f;

const FloatFunctions& functions() { return vector_loops().functions; }

/// An op with the C library's function for all types, and for rows of floats code of its own, of x to y.
#define TROUPE_FUNCTION(Name, function, is_usual, ...)                                            \
  struct Name {                                                                                   \
    template <class T>                                                                            \
    T operator()(const T& a) const {                                                              \
      return std::function(a);                                                                    \
    }                                                                                             \
    static void block(const float* in, float* out, int64_t n) {                                   \
      by_chunks(                                                                                  \
          in, out, n, [](float a) { return std::function(a); }, [](float a) { return is_usual; }, \
          [](const float* x, float* y, int64_t m) __VA_ARGS__);                                   \
    }                                                                                             \
  };
TROUPE_FUNCTION(SinOp, sin, std::abs(a) <= kMostAngle, { functions().sin(x, y, m); })
TROUPE_FUNCTION(CosOp, cos, std::abs(a) <= kMostAngle, { functions().cos(x, y, m); })
TROUPE_FUNCTION(AtanOp, atan, a == a, {
  const float one = 1;
  vector_loops().floats.atan2(x, &one, y, m, RowMode::kScalarB);
})
TROUPE_FUNCTION(AsinOp, asin, std::abs(a) <= 1, {
  float side[kChunk];
  for (int64_t i = 0; i < m; ++i) side[i] = std::sqrt((1 - x[i]) * (1 + x[i]));
  vector_loops().floats.atan2(x, side, y, m, RowMode::kBoth);
})
TROUPE_FUNCTION(AcosOp, acos, std::abs(a) <= 1, {
  float side[kChunk];
  for (int64_t i = 0; i < m; ++i) side[i] = std::sqrt((1 - x[i]) * (1 + x[i]));
  vector_loops().floats.atan2(side, x, y, m, RowMode::kBoth);
})
TROUPE_FUNCTION(SinhOp, sinh, std::abs(a) <= kMostHyperbolic, {
  for (int64_t i = 0; i < m; ++i) y[i] = std::abs(x[i]);
  functions().expm1(y, y, m);
  for (int64_t i = 0; i < m; ++i) y[i] = std::copysign(0.5f * (y[i] + y[i] / (y[i] + 1)), x[i]);
})
TROUPE_FUNCTION(CoshOp, cosh, std::abs(a) <= kMostHyperbolic, {
  functions().exp(x, y, m);
  for (int64_t i = 0; i < m; ++i) y[i] = 0.5f * y[i] + 0.5f / y[i];
})
TROUPE_FUNCTION(AsinhOp, asinh, std::abs(a) <= kMostSquared, {
  for (int64_t i = 0; i < m; ++i) {
    const float size = std::abs(x[i]), square = size * size;
    y[i] = size + square / (1 + std::sqrt(square + 1));
  }
  functions().log1p(y, y, m);
  for (int64_t i = 0; i < m; ++i) y[i] = std::copysign(y[i], x[i]);
})
TROUPE_FUNCTION(AcoshOp, acosh, a >= 1 && a <= kMostSquared, {
  for (int64_t i = 0; i < m; ++i) {
    const float above = x[i] - 1;
    y[i] = above + std::sqrt(above * (above + 2));
  }
  functions().log1p(y, y, m);
})
TROUPE_FUNCTION(AtanhOp, atanh, std::abs(a) < 1, {
  for (int64_t i = 0; i < m; ++i) y[i] = 2 * std::abs(x[i]) / (1 - std::abs(x[i]));
  functions().log1p(y, y, m);
  for (int64_t i = 0; i < m; ++i) y[i] = std::copysign(0.5f * y[i], x[i]);
})
#undef TROUPE_FUNCTION

struct TanOp {
  template <class T>
  T operator()(const T& a) const {
    return std::tan(a);
  }
};

struct Atan2Op {
  static constexpr auto kVector = &FloatPairs::atan2;
  static constexpr bool kVectorAlways = true;
  template <class T>
  T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};

template <class Op>
void add_all(KernelRegistry* r, const char* op) {
  add_unary<Op>(r, op, Floats(), 15);
  add_unary<Op>(r, op, Complexes(), 60);
}

}  // namespace

void register_cwise_trigonometric(KernelRegistry* r) {
  add_all<SinOp>(r, "Sin");
  add_all<CosOp>(r, "Cos");
  add_all<TanOp>(r, "Tan");
  add_all<AsinOp>(r, "Asin");
  add_all<AcosOp>(r, "Acos");
  add_all<AtanOp>(r, "Atan");
  add_all<SinhOp>(r, "Sinh");
  add_all<CoshOp>(r, "Cosh");
  add_all<AsinhOp>(r, "Asinh");
  add_all<AcoshOp>(r, "Acosh");
  add_all<AtanhOp>(r, "Atanh");
  add_binary<Atan2Op>(r, "Atan2", Floats(), 25);
}

}  // namespace troupe
