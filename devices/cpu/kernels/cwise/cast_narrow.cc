#include "devices/cpu/kernels/cwise/cast_narrow.h"

#include <array>
#include <cmath>
#include <limits>

#include "devices/cpu/kernels/cwise/rows.h"

namespace troupe {
namespace {

/// A float of 8 bits: the sign, kExponent bits and the rest of mantissa.
template <class T>
struct Layout;
template <>
struct Layout<Float8E5m2> {
  static constexpr int kMantissa = 2;
  static constexpr int kBias = 15;
  /// Of the largest number; what rounds beyond it is this, without the sign.
  static constexpr uint8_t kLargest = 0x7b;
  static constexpr uint8_t kBeyond = 0x7c;
  static constexpr uint8_t kNan = 0x7e;
  static constexpr bool kHasInfinity = true;
};
template <>
struct Layout<Float8E4m3fn> {
  static constexpr int kMantissa = 3;
  static constexpr int kBias = 7;
  static constexpr uint8_t kLargest = 0x7e;
  static constexpr uint8_t kBeyond = 0x7f;
  static constexpr uint8_t kNan = 0x7f;
  static constexpr bool kHasInfinity = false;
};

template <class T>
constexpr bool is_float8 = std::is_same_v<T, Float8E5m2> || std::is_same_v<T, Float8E4m3fn>;
template <class T>
constexpr bool is_int4 = std::is_same_v<T, Int4> || std::is_same_v<T, UInt4>;

/// Rounded to the nearest, ties to even; exact for what comes from narrower floats.
template <class T>
uint8_t encode(double v) {
  using L = Layout<T>;
  const uint8_t sign = std::signbit(v) ? 0x80 : 0;
  if (std::isnan(v)) return sign | L::kNan;
  const double size = std::abs(v);
  if (std::isinf(size)) return sign | L::kBeyond;
  int exponent = 0;
  std::frexp(size, &exponent);
  // The place of the last bit that there is room for: numbers below the smallest normal one share its.
  const int last = std::max(exponent - 1, 1 - L::kBias) - L::kMantissa;
  const double units = std::nearbyint(std::ldexp(size, -last));
  if (units == 0) return sign;
  // A carry into the exponent is right as it is.
  const double code = units + static_cast<double>(last + L::kMantissa + L::kBias - 1) *
                                  static_cast<double>(1 << L::kMantissa);
  return sign | (code > L::kLargest ? L::kBeyond : static_cast<uint8_t>(code));
}

template <class T>
float decode(uint8_t bits) {
  using L = Layout<T>;
  const int rest = bits & 0x7f, exponent = rest >> L::kMantissa, mantissa = rest & ((1 << L::kMantissa) - 1);
  float v;
  if (rest > L::kLargest) {
    v = L::kHasInfinity && rest == L::kBeyond ? std::numeric_limits<float>::infinity()
                                              : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    v = std::ldexp(static_cast<float>(mantissa), 1 - L::kBias - L::kMantissa);
  } else {
    v = std::ldexp(static_cast<float>(mantissa + (1 << L::kMantissa)), exponent - L::kBias - L::kMantissa);
  }
  return (bits & 0x80) != 0 ? -v : v;
}

template <class T>
const std::array<float, 256>& decoded() {
  static const std::array<float, 256> all = [] {
    std::array<float, 256> a{};
    for (size_t i = 0; i < a.size(); ++i) a[i] = decode<T>(static_cast<uint8_t>(i));
    return a;
  }();
  return all;
}

template <class From, class T>
void to_float8(const void* in, void* out, int64_t n) {
  const From* x = static_cast<const From*>(in);
  uint8_t* o = static_cast<uint8_t*>(out);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (is_float8<From>) {
      o[i] = encode<T>(decoded<From>()[static_cast<const uint8_t*>(in)[i]]);
    } else {
      o[i] = encode<T>(static_cast<double>(x[i]));
    }
  }
}

/// Through float, a stretch at a time.
template <class T, DataType kTo>
void from_float8(const void* in, void* out, int64_t n) {
  constexpr int64_t kStretch = 256;
  float wide[kStretch];
  const UnaryRow row = cast_row(DataType::kFloat, kTo, false);
  const uint8_t* x = static_cast<const uint8_t*>(in);
  char* o = static_cast<char*>(out);
  const auto& table = decoded<T>();
  const auto size = static_cast<int64_t>(dtype_size(kTo));
  for (int64_t i = 0; i < n; i += kStretch) {
    const int64_t count = std::min(kStretch, n - i);
    for (int64_t k = 0; k < count; ++k) wide[k] = table[x[i + k]];
    if (kTo == DataType::kFloat) {
      std::copy_n(wide, count, reinterpret_cast<float*>(o) + i);
    } else {
      row(wide, o + i * size, count);
    }
  }
}

/// The number in the lower half of a byte; the upper half is zero in what is written.
template <class T>
int8_t low_bits(uint8_t v) {
  const int low = v & 15;
  return static_cast<int8_t>(std::is_same_v<T, Int4> && low > 7 ? low - 16 : low);
}

template <class From>
void to_int4(const void* in, void* out, int64_t n) {
  using Plain = std::conditional_t<is_int4<From>, uint8_t, From>;
  const Plain* x = static_cast<const Plain*>(in);
  uint8_t* o = static_cast<uint8_t*>(out);
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<uint8_t>(x[i]) & 15;
}

template <class T, class To>
void from_int4(const void* in, void* out, int64_t n) {
  const uint8_t* x = static_cast<const uint8_t*>(in);
  To* o = static_cast<To*>(out);
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<To>(low_bits<T>(x[i]));
}

template <class T>
UnaryRow row_to_float8(DataType from) {
  switch (from) {
    case DataType::kFloat: return to_float8<float, T>;
    case DataType::kDouble: return to_float8<double, T>;
    case DataType::kHalf: return to_float8<Eigen::half, T>;
    case DataType::kBfloat16: return to_float8<Eigen::bfloat16, T>;
    case DataType::kFloat8E5m2: return to_float8<Float8E5m2, T>;
    case DataType::kFloat8E4m3fn: return to_float8<Float8E4m3fn, T>;
    default: return nullptr;
  }
}

template <class T>
UnaryRow row_from_float8(DataType to) {
  switch (to) {
    case DataType::kFloat: return from_float8<T, DataType::kFloat>;
    case DataType::kDouble: return from_float8<T, DataType::kDouble>;
    case DataType::kHalf: return from_float8<T, DataType::kHalf>;
    case DataType::kBfloat16: return from_float8<T, DataType::kBfloat16>;
    case DataType::kComplex64: return from_float8<T, DataType::kComplex64>;
    case DataType::kComplex128: return from_float8<T, DataType::kComplex128>;
    case DataType::kBool: return from_float8<T, DataType::kBool>;
    case DataType::kInt8: return from_float8<T, DataType::kInt8>;
    case DataType::kInt16: return from_float8<T, DataType::kInt16>;
    case DataType::kInt32: return from_float8<T, DataType::kInt32>;
    case DataType::kInt64: return from_float8<T, DataType::kInt64>;
    case DataType::kUint8: return from_float8<T, DataType::kUint8>;
    case DataType::kUint16: return from_float8<T, DataType::kUint16>;
    case DataType::kUint32: return from_float8<T, DataType::kUint32>;
    case DataType::kUint64: return from_float8<T, DataType::kUint64>;
    default: return nullptr;
  }
}

UnaryRow row_to_int4(DataType from) {
  switch (from) {
    case DataType::kInt8: return to_int4<int8_t>;
    case DataType::kInt16: return to_int4<int16_t>;
    case DataType::kInt32: return to_int4<int32_t>;
    case DataType::kInt64: return to_int4<int64_t>;
    case DataType::kUint8: return to_int4<uint8_t>;
    case DataType::kUint16: return to_int4<uint16_t>;
    case DataType::kUint32: return to_int4<uint32_t>;
    case DataType::kUint64: return to_int4<uint64_t>;
    case DataType::kInt4: return to_int4<Int4>;
    case DataType::kUint4: return to_int4<UInt4>;
    default: return nullptr;
  }
}

template <class T>
UnaryRow row_from_int4(DataType to) {
  switch (to) {
    case DataType::kInt8: return from_int4<T, int8_t>;
    case DataType::kInt16: return from_int4<T, int16_t>;
    case DataType::kInt32: return from_int4<T, int32_t>;
    case DataType::kInt64: return from_int4<T, int64_t>;
    case DataType::kUint8: return from_int4<T, uint8_t>;
    case DataType::kUint16: return from_int4<T, uint16_t>;
    case DataType::kUint32: return from_int4<T, uint32_t>;
    case DataType::kUint64: return from_int4<T, uint64_t>;
    default: return nullptr;
  }
}

}  // namespace

UnaryRow narrow_cast_row(DataType from, DataType to) {
  switch (to) {
    case DataType::kFloat8E5m2: return row_to_float8<Float8E5m2>(from);
    case DataType::kFloat8E4m3fn: return row_to_float8<Float8E4m3fn>(from);
    case DataType::kInt4:
    case DataType::kUint4: return row_to_int4(from);
    default: break;
  }
  switch (from) {
    case DataType::kFloat8E5m2: return row_from_float8<Float8E5m2>(to);
    case DataType::kFloat8E4m3fn: return row_from_float8<Float8E4m3fn>(to);
    case DataType::kInt4: return row_from_int4<Int4>(to);
    case DataType::kUint4: return row_from_int4<UInt4>(to);
    default: return nullptr;
  }
}

}  // namespace troupe
