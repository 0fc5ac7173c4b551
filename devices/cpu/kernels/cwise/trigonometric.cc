// Circular and hyperbolic functions and their inverses.
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
TROUPE_STD_FUNCTION(SinOp, sin)
TROUPE_STD_FUNCTION(CosOp, cos)
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

struct Atan2Op {
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
