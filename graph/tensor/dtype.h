#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

// Eigen's 16-bit floats are the element types of half and bfloat16; kernels that compute with them include
// <Eigen/Core>, everybody else gets by with these declarations.
namespace Eigen {
struct half;
struct bfloat16;
}  // namespace Eigen

namespace troupe {

class TString;
class ResourceHandle;
class Variant;

/// Element types without arithmetic of their own: the raw storage of quantised and narrow dtypes.
#define TROUPE_OPAQUE_ELEMENT(Name, Storage)       \
  struct Name {                                    \
    Storage value = 0;                             \
    friend bool operator==(Name, Name) = default;  \
    friend auto operator<=>(Name, Name) = default; \
  };
TROUPE_OPAQUE_ELEMENT(QInt8, int8_t)
TROUPE_OPAQUE_ELEMENT(QUInt8, uint8_t)
TROUPE_OPAQUE_ELEMENT(QInt16, int16_t)
TROUPE_OPAQUE_ELEMENT(QUInt16, uint16_t)
TROUPE_OPAQUE_ELEMENT(QInt32, int32_t)
TROUPE_OPAQUE_ELEMENT(Float8E5m2, uint8_t)
TROUPE_OPAQUE_ELEMENT(Float8E4m3fn, uint8_t)
TROUPE_OPAQUE_ELEMENT(Float8E4m3fnuz, uint8_t)
TROUPE_OPAQUE_ELEMENT(Float8E4m3b11fnuz, uint8_t)
TROUPE_OPAQUE_ELEMENT(Float8E5m2fnuz, uint8_t)
TROUPE_OPAQUE_ELEMENT(Int4, int8_t)
TROUPE_OPAQUE_ELEMENT(UInt4, uint8_t)
TROUPE_OPAQUE_ELEMENT(Int2, int8_t)
TROUPE_OPAQUE_ELEMENT(UInt2, uint8_t)
#undef TROUPE_OPAQUE_ELEMENT

/// The dtype of a tensor; values are the numbers of the wire format and of the C API. A reference type is
/// its base + kRefOffset: see make_ref and base_type.
enum class DataType : uint8_t {
  kInvalid = 0,
#define TROUPE_DTYPE(number, name, type, text) name = number,
#include "graph/tensor/dtypes.def"
};

inline constexpr int kRefOffset = 100;

constexpr bool is_ref(DataType t) { return static_cast<int>(t) > kRefOffset; }
constexpr DataType make_ref(DataType t) {
  return is_ref(t) ? t : static_cast<DataType>(static_cast<int>(t) + kRefOffset);
}
constexpr DataType base_type(DataType t) {
  return is_ref(t) ? static_cast<DataType>(static_cast<int>(t) - kRefOffset) : t;
}

/// "float", "int32_ref", ...; "INVALID" or "unknown dtype enum (n)" for anything else.
std::string dtype_name(DataType t);
/// Accepts "float", "float32", "DT_FLOAT", "float_ref" and their like.
std::optional<DataType> dtype_from_name(absl::string_view name);
/// True for a number that names a dtype or a reference to one (kInvalid is none).
bool is_valid_dtype(int number);
/// Bytes of one element in memory; 0 for kInvalid.
size_t dtype_size(DataType t);
/// True when elements can be copied by memcpy (all but string, resource, variant).
bool is_trivial(DataType t);
/// All base dtypes in wire order.
const std::vector<DataType>& all_dtypes();

bool is_floating(DataType t);
bool is_integer(DataType t);
bool is_complex(DataType t);
bool is_quantized(DataType t);

/// dtype_of<float>() == DataType::kFloat and so on.
template <class T>
struct DtypeOf;
#define TROUPE_DTYPE(number, name, type, text)        \
  template <>                                         \
  struct DtypeOf<type> {                              \
    static constexpr DataType value = DataType::name; \
  };
#include "graph/tensor/dtypes.def"

template <class T>
constexpr DataType dtype_of() {
  return DtypeOf<T>::value;
}

}  // namespace troupe
