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
  for (int64_t begin = 0; begin < n; begin += kChunk) {
    const int64_t m = std::min(kChunk, n - begin);
    float large[kChunk];
    bool all_small = true;
    for (int64_t i = 0; i < m; ++i) all_small &= std::abs(in[begin + i]) <= kMostAngle;
    // `out` may be `in`.
    if (!all_small) std::copy_n(in + begin, m, large);
    small(in + begin, out + begin, m);
    for (int64_t i = 0; !all_small && i < m; ++i) {
      if (!(std::abs(large[i]) <= kMostAngle)) out[begin + i] = any(large[i]);
    }
  }
}

#define TROUPE_SINE(Name, function)                                                                 \
  struct Name {                                                                                     \
    template <class T>                                                                              \
    T operator()(const T& a) const {                                                                \
      return std::function(a);                                                                      \
    }                                                                                               \
    static void block(const float* in, float* out, int64_t n) {                                     \
      sines(                                                                                        \
          vector_loops().functions.function, [](float a) { return std::function(a); }, in, out, n); \
    }                                                                                               \
  };
TROUPE_SINE(SinOp, sin)
TROUPE_SINE(CosOp, cos)
#undef TROUPE_SINE

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
