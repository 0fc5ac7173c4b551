#include "devices/cpu/loops/combine.h"

#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <string>
#include <type_traits>

#include "graph/tensor/resource_handle.h"
#include "graph/tensor/tstring.h"
#include "graph/tensor/variant.h"

namespace troupe {
namespace {

template <Combine kOp, class T>
T apply(const T& a, const T& b) {
  if constexpr (kOp == Combine::kMin) {
    return b < a ? b : a;
  } else if constexpr (kOp == Combine::kMax) {
    return a < b ? b : a;
  } else if constexpr (std::is_integral_v<T> && kOp != Combine::kDiv) {
    using U = std::conditional_t<sizeof(T) <= 2, uint32_t,
                                 std::make_unsigned_t<T>>;  // No promotion to int: it wraps.
    U x = static_cast<U>(a), y = static_cast<U>(b);
    return static_cast<T>(kOp == Combine::kAdd ? x + y : kOp == Combine::kSub ? x - y : x * y);
  } else if constexpr (std::is_integral_v<T>) {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return apply<Combine::kSub, T>(0, a);
    }
    return static_cast<T>(a / b);
  } else {
    return kOp == Combine::kAdd ? a + b : kOp == Combine::kSub ? a - b : kOp == Combine::kMul ? a * b : a / b;
  }
}

template <Combine kOp, class T>
void loop(void* to, const void* from, int64_t n) {
  T* t = static_cast<T*>(to);
  const T* f = static_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) t[i] = apply<kOp, T>(t[i], f[i]);
}

void or_loop(void* to, const void* from, int64_t n) {
  bool* t = static_cast<bool*>(to);
  const bool* f = static_cast<const bool*>(from);
  for (int64_t i = 0; i < n; ++i) t[i] = t[i] || f[i];
}

void append_loop(void* to, const void* from, int64_t n) {
  TString* t = static_cast<TString*>(to);
  const TString* f = static_cast<const TString*>(from);
  for (int64_t i = 0; i < n; ++i) t[i].assign(t[i].str() + f[i].str());
}

template <class T>
void assign_loop(void* to, const void* from, int64_t n) {
  std::copy_n(static_cast<const T*>(from), n, static_cast<T*>(to));
}

template <class T>
CombineLoop arithmetic(Combine op) {
  switch (op) {
    case Combine::kAdd: return loop<Combine::kAdd, T>;
    case Combine::kSub: return loop<Combine::kSub, T>;
    case Combine::kMul: return loop<Combine::kMul, T>;
    case Combine::kDiv: return loop<Combine::kDiv, T>;
    default: return nullptr;
  }
}

template <class T>
CombineLoop real(Combine op) {
  switch (op) {
    case Combine::kMin: return loop<Combine::kMin, T>;
    case Combine::kMax: return loop<Combine::kMax, T>;
    default: return arithmetic<T>(op);
  }
}

CombineLoop assign(DataType dtype) {
  switch (dtype) {
    case DataType::kString: return assign_loop<TString>;
    case DataType::kResource: return assign_loop<ResourceHandle>;
    case DataType::kVariant: return assign_loop<Variant>;
    default: break;
  }
  switch (dtype_size(dtype)) {
    case 1: return assign_loop<uint8_t>;
    case 2: return assign_loop<uint16_t>;
    case 4: return assign_loop<uint32_t>;
    case 8: return assign_loop<uint64_t>;
    default: return assign_loop<std::complex<double>>;
  }
}

template <class T>
bool any_zero(const void* data, int64_t n) {
  const T* p = static_cast<const T*>(data);
  return std::find(p, p + n, T(0)) != p + n;
}

}  // namespace

CombineLoop combine_loop(Combine op, DataType dtype) {
  if (op == Combine::kAssign) return assign(dtype);
  switch (dtype) {
    case DataType::kFloat: return real<float>(op);
    case DataType::kDouble: return real<double>(op);
    case DataType::kHalf: return real<Eigen::half>(op);
    case DataType::kBfloat16: return real<Eigen::bfloat16>(op);
    case DataType::kInt8: return real<int8_t>(op);
    case DataType::kInt16: return real<int16_t>(op);
    case DataType::kInt32: return real<int32_t>(op);
    case DataType::kInt64: return real<int64_t>(op);
    case DataType::kUint8: return real<uint8_t>(op);
    case DataType::kUint16: return real<uint16_t>(op);
    case DataType::kUint32: return real<uint32_t>(op);
    case DataType::kUint64: return real<uint64_t>(op);
    case DataType::kComplex64: return arithmetic<std::complex<float>>(op);
    case DataType::kComplex128: return arithmetic<std::complex<double>>(op);
    case DataType::kBool: return op == Combine::kAdd || op == Combine::kSub ? or_loop : nullptr;
    case DataType::kString: return op == Combine::kAdd ? append_loop : nullptr;
    default: return nullptr;
  }
}

bool has_integer_zero(DataType dtype, const void* data, int64_t n) {
  if (!is_integer(dtype)) return false;
  switch (dtype_size(dtype)) {
    case 1: return any_zero<uint8_t>(data, n);
    case 2: return any_zero<uint16_t>(data, n);
    case 4: return any_zero<uint32_t>(data, n);
    default: return any_zero<uint64_t>(data, n);
  }
}

}  // namespace troupe
