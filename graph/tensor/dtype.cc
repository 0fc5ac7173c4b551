#include "graph/tensor/dtype.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troupe {
namespace {

/// Null for a number that is no dtype.
constexpr const char* text_of(DataType t) {
  switch (t) {
    case DataType::kInvalid:
      return "INVALID";
// clang-format off
#define TROUPE_DTYPE(number, enumerator, type, text) \
  case DataType::enumerator: return text;
#include "graph/tensor/dtypes.def"
      // clang-format on
  }
  return nullptr;
}

}  // namespace

std::string dtype_name(DataType t) {
  const char* text = text_of(base_type(t));
  if (text == nullptr) return absl::StrCat("unknown dtype enum (", static_cast<int>(t), ")");
  return is_ref(t) ? absl::StrCat(text, "_ref") : std::string(text);
}

std::optional<DataType> dtype_from_name(absl::string_view name) {
  std::string lower = absl::AsciiStrToLower(name);
  absl::string_view s = lower;
  if (absl::StartsWith(s, "dt_")) s.remove_prefix(3);
  bool ref = absl::EndsWith(s, "_ref");
  if (ref) s.remove_suffix(4);
  if (s == "float32") s = "float";
  if (s == "float64") s = "double";
  if (s == "float16") s = "half";
  for (DataType t : all_dtypes()) {
    if (s == text_of(t)) return ref ? make_ref(t) : t;
  }
  return std::nullopt;
}

bool is_valid_dtype(int number) {
  if (number > kRefOffset) number -= kRefOffset;
  return number > 0 && number <= 255 && text_of(static_cast<DataType>(number)) != nullptr;
}

bool is_trivial(DataType t) {
  return t != DataType::kString && t != DataType::kResource && t != DataType::kVariant;
}

const std::vector<DataType>& all_dtypes() {
  static const auto* all = new std::vector<DataType>{
#define TROUPE_DTYPE(number, enumerator, type, text) DataType::enumerator,
#include "graph/tensor/dtypes.def"
  };
  return *all;
}

bool is_floating(DataType t) {
  return t == DataType::kFloat || t == DataType::kDouble || t == DataType::kHalf ||
         t == DataType::kBfloat16 || (t >= DataType::kFloat8E5m2 && t <= DataType::kFloat8E5m2fnuz);
}
bool is_integer(DataType t) {
  switch (t) {
    case DataType::kInt4:
    case DataType::kUint4:
    case DataType::kInt2:
    case DataType::kUint2:
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kInt32:
    case DataType::kUint32:
    case DataType::kInt64:
    case DataType::kUint64: return true;
    default: return false;
  }
}
bool is_complex(DataType t) { return t == DataType::kComplex64 || t == DataType::kComplex128; }
bool is_quantized(DataType t) {
  return t == DataType::kQint8 || t == DataType::kQuint8 || t == DataType::kQint16 ||
         t == DataType::kQuint16 || t == DataType::kQint32;
}

}  // namespace troupe
