// Parts of complex numbers, and complex numbers of parts.
#include <cmath>
#include <limits>
#include <type_traits>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

struct RealOp {
  template <class T>
  T operator()(const std::complex<T>& a) const {
    return a.real();
  }
};
struct ImagOp {
  template <class T>
  T operator()(const std::complex<T>& a) const {
    return a.imag();
  }
};
struct AngleOp {
  template <class T>
  T operator()(const std::complex<T>& a) const {
    return std::arg(a);
  }
};
struct LengthOp {
  template <class T>
  T operator()(const std::complex<T>& a) const {
    if constexpr (std::is_same_v<T, float>) {
      // No square of a float leaves the doubles. An infinite part is so whatever the other is.
      const double re = a.real(), im = a.imag();
      const double infinite = std::numeric_limits<double>::infinity();
      const bool is_infinite = (re == infinite) | (re == -infinite) | (im == infinite) | (im == -infinite);
      return static_cast<float>(is_infinite ? infinite : std::sqrt(re * re + im * im));
    } else {
      return std::abs(a);
    }
  }
};
struct ConjOp {
  template <class T>
  std::complex<T> operator()(const std::complex<T>& a) const {
    return std::conj(a);
  }
};
struct ComplexOp {
  template <class T>
  std::complex<T> operator()(T re, T im) const {
    return {re, im};
  }
};

template <class T>
void add_parts(KernelRegistry* r) {
  using C = std::complex<T>;
  auto add = [r](const char* op, UnaryRow row, uint8_t out_size, uint8_t cost) {
    KernelDef def(op);
    def.constraints.emplace_back("T", std::vector<DataType>{dtype_of<C>()});
    if (out_size == sizeof(T)) def.constraints.emplace_back("Tout", std::vector<DataType>{dtype_of<T>()});
    def.factory = unary_factory({row, sizeof(C), out_size, cost});
    r->add(std::move(def));
  };
  add("Real", unary_row<RealOp, C, T>, sizeof(T), 1);
  add("Imag", unary_row<ImagOp, C, T>, sizeof(T), 1);
  add("Angle", unary_row<AngleOp, C, T>, sizeof(T), 25);
  add("ComplexAbs", unary_row<LengthOp, C, T>, sizeof(T), 6);
  add("Conj", unary_row<ConjOp, C, C>, sizeof(C), 1);

  KernelDef complex("Complex");
  complex.constraints.emplace_back("T", std::vector<DataType>{dtype_of<T>()});
  complex.constraints.emplace_back("Tout", std::vector<DataType>{dtype_of<C>()});
  complex.factory = binary_factory({binary_row<ComplexOp, T, C>, nullptr, sizeof(T), sizeof(C), 1});
  r->add(std::move(complex));
}

}  // namespace

void register_cwise_complex(KernelRegistry* r) {
  add_parts<float>(r);
  add_parts<double>(r);
}

}  // namespace troupe
