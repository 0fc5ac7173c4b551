#pragma once

#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "graph/tensor/dtype.h"
#include "graph/tensor/tstring.h"

#include "proto/tensor.pb.h"

namespace troupe {

namespace pb = ::tensorflow;

/// The value list of a message that holds elements of type T, how many elements it has, and one element of it.
/// `put` appends an element.
template <class T>
struct Wire;

#define TROUPE_WIRE(T, field, read_expr, write_expr)                                \
  template <>                                                                       \
  struct Wire<T> {                                                                  \
    static int64_t count(const pb::TensorProto& p) { return p.field##_size(); }     \
    static T get(const pb::TensorProto& p, int64_t i) {                             \
      auto v = p.field(static_cast<int>(i));                                        \
      return read_expr;                                                             \
    }                                                                               \
    static void put(const T& v, pb::TensorProto* p) { p->add_##field(write_expr); } \
  };
#define TROUPE_WIRE_PLAIN(T, field) TROUPE_WIRE(T, field, static_cast<T>(v), v)
#define TROUPE_WIRE_WRAPPED(T, field) TROUPE_WIRE(T, field, T{static_cast<decltype(T::value)>(v)}, v.value)

TROUPE_WIRE_PLAIN(float, float_val)
TROUPE_WIRE_PLAIN(double, double_val)
TROUPE_WIRE_PLAIN(int32_t, int_val)
TROUPE_WIRE_PLAIN(uint8_t, int_val)
TROUPE_WIRE_PLAIN(int16_t, int_val)
TROUPE_WIRE_PLAIN(int8_t, int_val)
TROUPE_WIRE_PLAIN(uint16_t, int_val)
TROUPE_WIRE_PLAIN(int64_t, int64_val)
TROUPE_WIRE_PLAIN(uint32_t, uint32_val)
TROUPE_WIRE_PLAIN(uint64_t, uint64_val)
TROUPE_WIRE_PLAIN(bool, bool_val)
TROUPE_WIRE_WRAPPED(QInt8, int_val)
TROUPE_WIRE_WRAPPED(QUInt8, int_val)
TROUPE_WIRE_WRAPPED(QInt16, int_val)
TROUPE_WIRE_WRAPPED(QUInt16, int_val)
TROUPE_WIRE_WRAPPED(QInt32, int_val)
TROUPE_WIRE(Eigen::half, half_val, Eigen::numext::bit_cast<Eigen::half>(static_cast<uint16_t>(v)),
            Eigen::numext::bit_cast<uint16_t>(v))
TROUPE_WIRE(Eigen::bfloat16, half_val, Eigen::numext::bit_cast<Eigen::bfloat16>(static_cast<uint16_t>(v)),
            Eigen::numext::bit_cast<uint16_t>(v))
#undef TROUPE_WIRE_WRAPPED
#undef TROUPE_WIRE_PLAIN
#undef TROUPE_WIRE

/// The value of the low Bits bits of `v`, as the narrow integers keep it.
template <class T, int Bits>
T narrow_integer(int v) {
  using Storage = decltype(T::value);
  if constexpr (std::is_signed_v<Storage>) {
    return T{
        static_cast<Storage>(static_cast<int32_t>(static_cast<uint32_t>(v) << (32 - Bits)) >> (32 - Bits))};
  } else {
    return T{static_cast<Storage>(v & ((1 << Bits) - 1))};
  }
}

#define TROUPE_WIRE_NARROW(T, bits)                                              \
  template <>                                                                    \
  struct Wire<T> {                                                               \
    static int64_t count(const pb::TensorProto& p) { return p.int_val_size(); }  \
    static T get(const pb::TensorProto& p, int64_t i) {                          \
      return narrow_integer<T, bits>(p.int_val(static_cast<int>(i)));            \
    }                                                                            \
    static void put(const T& v, pb::TensorProto* p) { p->add_int_val(v.value); } \
  };
TROUPE_WIRE_NARROW(Int4, 4)
TROUPE_WIRE_NARROW(UInt4, 4)
TROUPE_WIRE_NARROW(Int2, 2)
TROUPE_WIRE_NARROW(UInt2, 2)
#undef TROUPE_WIRE_NARROW

#define TROUPE_WIRE_FLOAT8(T)                                                                                \
  template <>                                                                                                \
  struct Wire<T> {                                                                                           \
    static int64_t count(const pb::TensorProto& p) { return static_cast<int64_t>(p.float8_val().size()); }   \
    static T get(const pb::TensorProto& p, int64_t i) { return T{static_cast<uint8_t>(p.float8_val()[i])}; } \
    static void put(const T& v, pb::TensorProto* p) {                                                        \
      p->mutable_float8_val()->push_back(static_cast<char>(v.value));                                        \
    }                                                                                                        \
  };
TROUPE_WIRE_FLOAT8(Float8E5m2)
TROUPE_WIRE_FLOAT8(Float8E4m3fn)
TROUPE_WIRE_FLOAT8(Float8E4m3fnuz)
TROUPE_WIRE_FLOAT8(Float8E4m3b11fnuz)
TROUPE_WIRE_FLOAT8(Float8E5m2fnuz)
#undef TROUPE_WIRE_FLOAT8

#define TROUPE_WIRE_COMPLEX(T, field)                                                  \
  template <>                                                                          \
  struct Wire<std::complex<T>> {                                                       \
    static int64_t count(const pb::TensorProto& p) { return p.field##_size() / 2; }    \
    static std::complex<T> get(const pb::TensorProto& p, int64_t i) {                  \
      return {p.field(static_cast<int>(2 * i)), p.field(static_cast<int>(2 * i + 1))}; \
    }                                                                                  \
    static void put(const std::complex<T>& v, pb::TensorProto* p) {                    \
      p->add_##field(v.real());                                                        \
      p->add_##field(v.imag());                                                        \
    }                                                                                  \
  };
TROUPE_WIRE_COMPLEX(float, scomplex_val)
TROUPE_WIRE_COMPLEX(double, dcomplex_val)
#undef TROUPE_WIRE_COMPLEX

template <>
struct Wire<TString> {
  static int64_t count(const pb::TensorProto& p) { return p.string_val_size(); }
  static TString get(const pb::TensorProto& p, int64_t i) {
    return TString(p.string_val(static_cast<int>(i)));
  }
  static void put(const TString& v, pb::TensorProto* p) { p->add_string_val(v.data(), v.size()); }
};

}  // namespace troupe
