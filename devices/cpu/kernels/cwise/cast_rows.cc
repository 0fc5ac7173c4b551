// Conversions between all number types.
#include "devices/cpu/kernels/cwise/cast_rows.h"

#include <bit>
#include <cmath>
#include <limits>

namespace troupe {
namespace {

/// A float as an integer, cut towards zero. What does not fit is, as on the processors that the reference was
/// measured on, the lowest number of a signed type of 32 bits or more and the middle of an unsigned one; narrower
/// types get the low bits of the 32-bit result.
template <class To, class From>
To float_to_int(From v) {
  if constexpr (sizeof(To) < 4) {
    return static_cast<To>(float_to_int<int32_t>(v));
  } else {
    using Signed = std::make_signed_t<To>;
    constexpr From kHalf = static_cast<From>(uint64_t{1} << (sizeof(To) * 8 - 1));
    constexpr Signed kLowest = std::numeric_limits<Signed>::lowest();
    if (v >= -kHalf && v < kHalf) return static_cast<To>(static_cast<Signed>(v));
    if constexpr (std::is_unsigned_v<To>) {
      if (v >= kHalf && v < 2 * kHalf) return static_cast<To>(v);
    }
    return static_cast<To>(kLowest);
  }
}

template <class To, class From>
To convert(const From& v) {
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (is_complex_v<From>) {
    if constexpr (is_complex_v<To>) {
      return To(static_cast<typename To::value_type>(v.real()),
                static_cast<typename To::value_type>(v.imag()));
    } else {
      return convert<To>(v.real());
    }
  } else if constexpr (!std::is_same_v<From, compute_t<From>>) {
    return convert<To>(static_cast<float>(v));
  } else if constexpr (is_complex_v<To>) {
    return To(convert<typename To::value_type>(v), 0);
  } else if constexpr (!std::is_same_v<To, compute_t<To>>) {
    return static_cast<To>(convert<float>(v));
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_floating_point_v<From>) {
      // Denormal numbers count as zero.
      return !(std::abs(v) < std::numeric_limits<From>::min());
    } else {
      return v != 0;
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_int<To>(v);
  } else {
    return static_cast<To>(v);
  }
}

/// The row of vector_loops() that converts so, or null.
template <class From, class To>
UnaryRow vector_cast() {
  const FloatCasts& casts = vector_loops().casts;
  if constexpr (std::is_same_v<To, float>) {
    if constexpr (std::is_same_v<From, Eigen::half>) return casts.from_half;
    if constexpr (std::is_same_v<From, Eigen::bfloat16>) return casts.from_bfloat16;
    if constexpr (std::is_same_v<From, int32_t>) return casts.from_int;
  } else if constexpr (std::is_same_v<From, float>) {
    if constexpr (std::is_same_v<To, Eigen::half>) return casts.to_half;
    if constexpr (std::is_same_v<To, Eigen::bfloat16>) return casts.to_bfloat16;
    if constexpr (std::is_same_v<To, int32_t>) return casts.to_int;
  }
  return nullptr;
}

template <class From, class To>
void convert_row(const void* in, void* out, int64_t n) {
  if (const UnaryRow row = vector_cast<From, To>()) return row(in, out, n);
  const From* x = static_cast<const From*>(in);
  To* o = static_cast<To*>(out);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) o[i] = convert<To>(x[i]);
}

/// Explicit mantissa bits.
template <class T>
constexpr int kMantissaBits = 0;
template <>
constexpr int kMantissaBits<Eigen::half> = 10;
template <>
constexpr int kMantissaBits<Eigen::bfloat16> = 7;
template <>
constexpr int kMantissaBits<float> = 23;
template <>
constexpr int kMantissaBits<double> = 52;

/// Clears the bits that To has no room for; infinities and NaN stay what they are.
template <class From, class To>
void truncate_row(const void* in, void* out, int64_t n) {
  using Bits = std::conditional_t<sizeof(From) == 8, uint64_t, uint32_t>;
  constexpr Bits kKeep = ~((Bits{1} << (kMantissaBits<From> - kMantissaBits<To>)) - 1);
  const From* x = static_cast<const From*>(in);
  To* o = static_cast<To*>(out);
  // Of infinities and NaN all bits of the exponent are set. Told by integers: with std::isfinite the bits stayed in what g++ 12 made of the loop.
  constexpr Bits kExponent = (~Bits{0} >> (kMantissaBits<From> + 1)) << kMantissaBits<From>;
  for (int64_t i = 0; i < n; ++i) {
    Bits bits = std::bit_cast<Bits>(x[i]);
    if ((bits & kExponent) != kExponent) bits &= kKeep;
    o[i] = static_cast<To>(std::bit_cast<From>(bits));
  }
}

template <class From>
UnaryRow row_from(DataType to) {
  switch (to) {
    case DataType::kFloat: return convert_row<From, float>;
    case DataType::kDouble: return convert_row<From, double>;
    case DataType::kHalf: return convert_row<From, Eigen::half>;
    case DataType::kBfloat16: return convert_row<From, Eigen::bfloat16>;
    case DataType::kComplex64: return convert_row<From, std::complex<float>>;
    case DataType::kComplex128: return convert_row<From, std::complex<double>>;
    case DataType::kBool: return convert_row<From, bool>;
    case DataType::kInt8: return convert_row<From, int8_t>;
    case DataType::kInt16: return convert_row<From, int16_t>;
    case DataType::kInt32: return convert_row<From, int32_t>;
    case DataType::kInt64: return convert_row<From, int64_t>;
    case DataType::kUint8: return convert_row<From, uint8_t>;
    case DataType::kUint16: return convert_row<From, uint16_t>;
    case DataType::kUint32: return convert_row<From, uint32_t>;
    case DataType::kUint64: return convert_row<From, uint64_t>;
    default: return nullptr;
  }
}

UnaryRow truncating_row(DataType from, DataType to) {
  if (from == DataType::kFloat && to == DataType::kHalf) return truncate_row<float, Eigen::half>;
  if (from == DataType::kFloat && to == DataType::kBfloat16) return truncate_row<float, Eigen::bfloat16>;
  if (from == DataType::kDouble && to == DataType::kHalf) return truncate_row<double, Eigen::half>;
  if (from == DataType::kDouble && to == DataType::kBfloat16) return truncate_row<double, Eigen::bfloat16>;
  if (from == DataType::kDouble && to == DataType::kFloat) return truncate_row<double, float>;
  return nullptr;
}

}  // namespace

UnaryRow cast_row(DataType from, DataType to, bool truncate) {
  if (truncate) {
    if (UnaryRow row = truncating_row(from, to)) return row;
  }
  switch (from) {
    case DataType::kFloat: return row_from<float>(to);
    case DataType::kDouble: return row_from<double>(to);
    case DataType::kHalf: return row_from<Eigen::half>(to);
    case DataType::kBfloat16: return row_from<Eigen::bfloat16>(to);
    case DataType::kComplex64: return row_from<std::complex<float>>(to);
    case DataType::kComplex128: return row_from<std::complex<double>>(to);
    case DataType::kBool: return row_from<bool>(to);
    case DataType::kInt8: return row_from<int8_t>(to);
    case DataType::kInt16: return row_from<int16_t>(to);
    case DataType::kInt32: return row_from<int32_t>(to);
    case DataType::kInt64: return row_from<int64_t>(to);
    case DataType::kUint8: return row_from<uint8_t>(to);
    case DataType::kUint16: return row_from<uint16_t>(to);
    case DataType::kUint32: return row_from<uint32_t>(to);
    case DataType::kUint64: return row_from<uint64_t>(to);
    default: return nullptr;
  }
}

}  // namespace troupe
