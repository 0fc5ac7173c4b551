// Parts of complex numbers, and complex numbers of parts.
#include "devices/cuda/kernels/source/complex_math.h"
#include "devices/cuda/kernels/source/elementwise.h"

namespace troupe::launchable {

struct RealOp {
  template <class T>
  TROUPE_DEVICE auto operator()(T a) const {
    return a.re;
  }
};
struct ImagOp {
  template <class T>
  TROUPE_DEVICE auto operator()(T a) const {
    return a.im;
  }
};
struct AngleOp {
  template <class T>
  TROUPE_DEVICE auto operator()(T a) const {
    return arg(a);
  }
};
struct LengthOp {
  template <class T>
  TROUPE_DEVICE auto operator()(T a) const {
    return abs(a);
  }
};
struct ConjOp {
  template <class T>
  TROUPE_DEVICE T operator()(T a) const {
    return conj(a);
  }
};
struct ComplexOp {
  template <class T>
  TROUPE_DEVICE complex_t<T> operator()(T re, T im) const {
    return {re, im};
  }
};

}  // namespace troupe::launchable

#define TROUPE_PART(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (const complex_t<T>* x, T* y, int64_t n)) { map_unary<Op>(x, y, n); }
#define TROUPE_PARTS(name, Op) TROUPE_PART(name, Op, c64, float) TROUPE_PART(name, Op, c128, double)
TROUPE_PARTS(real, RealOp)
TROUPE_PARTS(imag, ImagOp)
TROUPE_PARTS(angle, AngleOp)
TROUPE_PARTS(complex_abs, LengthOp)
TROUPE_COMPLEXES(TROUPE_UNARY, conj, ConjOp)

#define TROUPE_OF_PARTS(name, Op, suffix, T) \
  TROUPE_KERNEL(name##_##suffix, (const T* re, const T* im, complex_t<T>* y, BroadcastPlan<2> plan)) { map_binary<Op>(re, im, y, plan); }
TROUPE_WIDE(TROUPE_OF_PARTS, complex, ComplexOp)
