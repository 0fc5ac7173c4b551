// Circular and hyperbolic functions and their inverses.
#include <algorithm>
#include <cmath>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

#define TROUPE_STD_FUNCTION(Name, function) \
  struct Name {                             \
    template <class T>                      \
    T operator()(const T& a) const {        \
      return std::function(a);              \
    }                                       \
  };
TROUPE_STD_FUNCTION(TanOp, tan)
TROUPE_STD_FUNCTION(AsinOp, asin)
TROUPE_STD_FUNCTION(AcosOp, acos)
TROUPE_STD_FUNCTION(AtanOp, atan)
TROUPE_STD_FUNCTION(SinhOp, sinh)
TROUPE_STD_FUNCTION(CoshOp, cosh)
TROUPE_STD_FUNCTION(AsinhOp, asinh)
TROUPE_STD_FUNCTION(AcoshOp, acosh)
TROUPE_STD_FUNCTION(AtanhOp, atanh)
#undef TROUPE_STD_FUNCTION

/// Small angles by vector code; what is beyond it by the C library.
void sines(FloatMap small, float (*any)(float), const float* in, float* out, int64_t n) {
  constexpr int64_t kChunk = 256;
  float angles[kChunk];
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t m = std::min(kChunk, n - begin);
    std::copy_n(in + begin, m, angles);
    bool all_small = true;
    for (int64_t i = 0; i < m; ++i) all_small &= std::abs(angles[i]) <= kMostAngle;
    small(angles, out + begin, m);
    for (int64_t i = 0; !all_small && i < m; ++i) {
      if (!(std::abs(angles[i]) <= kMostAngle)) out[begin + i] = any(angles[i]);
    }
  }
}

struct SinOp {
  template <class T>
  T operator()(const T& a) const {
    return std::sin(a);
  }
  static void block(const float* in, float* out, int64_t n) {
    sines(
        vector_loops().functions.sin, [](float a) { return std::sin(a); }, in, out, n);
  }
};
struct CosOp {
  template <class T>
  T operator()(const T& a) const {
    return std::cos(a);
  }
  static void block(const float* in, float* out, int64_t n) {
    sines(
        vector_loops().functions.cos, [](float a) { return std::cos(a); }, in, out, n);
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
