#include "tools/troupe/npy.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/status.h"
#include "tools/troupe/files.h"

namespace troupe {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;
/// Data starts at a multiple of this, as NumPy aligns it.
constexpr size_t kHeaderAlignBytes = 64;

/// The header's dictionary.
struct Header {
  char order = '|';
  char kind = 0;
  int64_t item_bytes = 0;
  bool fortran = false;
  std::vector<int64_t> dims;
};

absl::Status malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("not a .npy file that can be read: ", what));
}

/// The text behind "'key':" up to where `end` begins.
absl::StatusOr<absl::string_view> field(absl::string_view header, absl::string_view key) {
  size_t at = header.find(absl::StrCat("'", key, "'"));
  if (at == absl::string_view::npos) at = header.find(absl::StrCat("\"", key, "\""));
  if (at == absl::string_view::npos) return malformed(absl::StrCat("its header has no ", key));
  absl::string_view rest = header.substr(at + key.size() + 2);
  while (!rest.empty() && (rest[0] == ' ' || rest[0] == ':')) rest.remove_prefix(1);
  return rest;
}

absl::Status parse_descr(absl::string_view text, Header* h) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return malformed("structured dtypes are not supported");
  const size_t end = text.find(text[0], 1);
  if (end == absl::string_view::npos || end < 3) return malformed("bad descr");
  absl::string_view descr = text.substr(1, end - 1);
  if (descr[0] == '<' || descr[0] == '>' || descr[0] == '=' || descr[0] == '|') {
    h->order = descr[0];
    descr.remove_prefix(1);
  }
  if (descr == "O" || absl::StartsWith(descr, "O")) return malformed("it holds Python objects");
  h->kind = descr[0];
  if (!absl::SimpleAtoi(descr.substr(1), &h->item_bytes) || h->item_bytes < 0 || h->item_bytes > (1 << 30)) {
    return malformed(absl::StrCat("dtype '", descr, "' is not supported"));
  }
  return absl::OkStatus();
}

absl::Status parse_shape(absl::string_view text, Header* h) {
  const size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == absl::string_view::npos) return malformed("bad shape");
  for (absl::string_view part : absl::StrSplit(text.substr(1, end - 1), ',')) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && (part.back() == ' ' || part.back() == 'L')) part.remove_suffix(1);
    if (part.empty()) continue;
    int64_t dim = 0;
    if (!absl::SimpleAtoi(part, &dim)) return malformed("bad shape");
    h->dims.push_back(dim);
  }
  return absl::OkStatus();
}

absl::StatusOr<Header> parse_header(absl::string_view bytes, size_t* data_at) {
  if (bytes.size() < kMagicBytes + 4 || std::memcmp(bytes.data(), kMagic, kMagicBytes) != 0) {
    return malformed("it does not begin as one");
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3) return malformed(absl::StrCat("format version ", major));
  const size_t length_bytes = major == 1 ? 2 : 4;
  size_t length = 0;
  if (bytes.size() < 8 + length_bytes) return malformed("it is cut off");
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  }
  *data_at = 8 + length_bytes + length;
  if (*data_at > bytes.size()) return malformed("it is cut off");
  const absl::string_view text = bytes.substr(8 + length_bytes, length);

  Header h;
  TROUPE_ASSIGN_OR_RETURN(absl::string_view descr, field(text, "descr"));
  TROUPE_RETURN_IF_ERROR(parse_descr(descr, &h));
  TROUPE_ASSIGN_OR_RETURN(absl::string_view fortran, field(text, "fortran_order"));
  h.fortran = absl::StartsWith(fortran, "True");
  TROUPE_ASSIGN_OR_RETURN(absl::string_view shape, field(text, "shape"));
  TROUPE_RETURN_IF_ERROR(parse_shape(shape, &h));
  return h;
}

/// What the file holds, as a dtype; kString for "S" and "U".
absl::StatusOr<DataType> stored_dtype(const Header& h) {
  const auto is = [&](char kind, int64_t item_bytes) { return h.kind == kind && h.item_bytes == item_bytes; };
  if (is('f', 2)) return DataType::kHalf;
  if (is('f', 4)) return DataType::kFloat;
  if (is('f', 8)) return DataType::kDouble;
  if (is('i', 1)) return DataType::kInt8;
  if (is('i', 2)) return DataType::kInt16;
  if (is('i', 4)) return DataType::kInt32;
  if (is('i', 8)) return DataType::kInt64;
  if (is('u', 1)) return DataType::kUint8;
  if (is('u', 2)) return DataType::kUint16;
  if (is('u', 4)) return DataType::kUint32;
  if (is('u', 8)) return DataType::kUint64;
  if (is('b', 1)) return DataType::kBool;
  if (is('c', 8)) return DataType::kComplex64;
  if (is('c', 16)) return DataType::kComplex128;
  if (h.kind == 'S' || h.kind == 'a' || (h.kind == 'U' && h.item_bytes < (1 << 26))) return DataType::kString;
  return malformed(absl::StrCat("dtype '", std::string(1, h.kind), h.item_bytes, "' is not supported"));
}

/// The dtype in which `t` is stored; kInvalid when it cannot be.
DataType storage_of(DataType t) {
  switch (t) {
    case DataType::kBfloat16: return DataType::kFloat;
    case DataType::kQint8:
    case DataType::kInt4:
    case DataType::kInt2: return DataType::kInt8;
    case DataType::kQuint8:
    case DataType::kUint4:
    case DataType::kUint2: return DataType::kUint8;
    case DataType::kQint16: return DataType::kInt16;
    case DataType::kQuint16: return DataType::kUint16;
    case DataType::kQint32: return DataType::kInt32;
    case DataType::kFloat8E5m2:
    case DataType::kFloat8E4m3fn:
    case DataType::kFloat8E4m3fnuz:
    case DataType::kFloat8E4m3b11fnuz:
    case DataType::kFloat8E5m2fnuz: return DataType::kUint8;
    case DataType::kResource:
    case DataType::kVariant:
    case DataType::kInvalid: return DataType::kInvalid;
    default: return t;
  }
}

uint16_t float_to_bfloat16(uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void append_utf8(uint32_t c, std::string* out) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
    return;
  }
  constexpr uint32_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  const int extra = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  out->push_back(static_cast<char>(kLead[extra] | c >> (6 * extra)));
  for (int i = extra - 1; i >= 0; --i) out->push_back(static_cast<char>(0x80 | (c >> (6 * i) & 0x3f)));
}

TString read_string(const char* item, const Header& h) {
  if (h.kind == 'U') {
    std::string text;
    for (int64_t i = 0; i < h.item_bytes; ++i) {
      unsigned char c[4];
      std::memcpy(c, item + 4 * i, 4);
      if (h.order == '>') std::reverse(c, c + 4);
      const uint32_t code = c[0] | c[1] << 8 | c[2] << 16 | static_cast<uint32_t>(c[3]) << 24;
      if (code == 0) break;
      append_utf8(code, &text);
    }
    return TString(text);
  }
  int64_t n = h.item_bytes;
  while (n > 0 && item[n - 1] == '\0') --n;
  return TString(absl::string_view(item, n));
}

/// Offsets in items of the row-major elements of an array stored column-major.
class FortranWalk {
 public:
  explicit FortranWalk(const Shape& shape) : shape_(shape), index_(shape.rank(), 0), strides_(shape.rank()) {
    int64_t stride = 1;
    for (int d = 0; d < shape.rank(); ++d) {
      strides_[d] = stride;
      stride *= shape.dim(d);
    }
  }
  int64_t offset() const { return offset_; }
  void next() {
    for (int d = shape_.rank() - 1; d >= 0; --d) {
      offset_ += strides_[d];
      if (++index_[d] < shape_.dim(d)) return;
      offset_ -= strides_[d] * shape_.dim(d);
      index_[d] = 0;
    }
  }

 private:
  const Shape& shape_;
  std::vector<int64_t> index_;
  std::vector<int64_t> strides_;
  int64_t offset_ = 0;
};

/// The items in row-major order and in this machine's byte order.
void copy_items(const char* data, const Header& h, const Shape& shape, size_t item, size_t part, char* out) {
  const int64_t count = shape.num_elements();
  if (!h.fortran) {
    std::memcpy(out, data, static_cast<size_t>(count) * item);
  } else {
    FortranWalk walk(shape);
    for (int64_t i = 0; i < count; ++i, walk.next()) {
      std::memcpy(out + i * item, data + walk.offset() * static_cast<int64_t>(item), item);
    }
  }
  if (h.order == '>' && part > 1) {
    for (size_t i = 0; i < static_cast<size_t>(count) * item; i += part)
      std::reverse(out + i, out + i + part);
  }
}

std::string header_text(const std::string& descr, const Shape& shape) {
  std::string dims;
  for (int64_t d : shape.dims()) absl::StrAppend(&dims, d, ", ");
  if (shape.rank() > 1) dims.resize(dims.size() - 2);
  if (shape.rank() == 1) dims.pop_back();
  std::string text =
      absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", dims, "), }");
  const size_t unpadded = kMagicBytes + 4 + text.size() + 1;
  text.append((kHeaderAlignBytes - unpadded % kHeaderAlignBytes) % kHeaderAlignBytes, ' ');
  text.push_back('\n');
  std::string out(kMagic, kMagicBytes);
  out.push_back(1);
  out.push_back(0);
  out.push_back(static_cast<char>(text.size() & 0xff));
  out.push_back(static_cast<char>(text.size() >> 8));
  return out + text;
}

const char* descr_of(DataType stored) {
  switch (stored) {
    case DataType::kHalf: return "<f2";
    case DataType::kFloat: return "<f4";
    case DataType::kDouble: return "<f8";
    case DataType::kInt8: return "|i1";
    case DataType::kInt16: return "<i2";
    case DataType::kInt32: return "<i4";
    case DataType::kInt64: return "<i8";
    case DataType::kUint8: return "|u1";
    case DataType::kUint16: return "<u2";
    case DataType::kUint32: return "<u4";
    case DataType::kUint64: return "<u8";
    case DataType::kBool: return "|b1";
    case DataType::kComplex64: return "<c8";
    case DataType::kComplex128: return "<c16";
    default: return nullptr;
  }
}

std::string encode_strings(const Tensor& tensor) {
  size_t longest = 1;
  for (const TString& s : tensor.flat<TString>()) longest = std::max(longest, s.size());
  std::string out = header_text(absl::StrCat("|S", longest), tensor.shape());
  for (const TString& s : tensor.flat<TString>()) {
    out.append(s.data(), s.size());
    out.append(longest - s.size(), '\0');
  }
  return out;
}

}  // namespace

absl::StatusOr<Tensor> decode_npy(absl::string_view bytes, std::optional<DataType> as) {
  size_t data_at = 0;
  TROUPE_ASSIGN_OR_RETURN(Header h, parse_header(bytes, &data_at));
  TROUPE_ASSIGN_OR_RETURN(DataType stored, stored_dtype(h));
  const DataType dtype = as.value_or(stored);
  if (storage_of(dtype) != stored) {
    return absl::InvalidArgumentError(
        absl::StrCat("the file holds ", dtype_name(stored), ", not ", dtype_name(dtype)));
  }
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make(h.dims));
  const int64_t count = shape.num_elements();
  const size_t item = static_cast<size_t>(h.kind == 'U' ? 4 * h.item_bytes : h.item_bytes);
  if (item == 0 && count > 0) return malformed("items of no bytes");
  int64_t need = 0;
  if (multiply_overflows(count, static_cast<int64_t>(item), &need) ||
      static_cast<size_t>(need) > bytes.size() - data_at) {
    return malformed(absl::StrCat("it is cut off: shape ", shape.to_string(), " of ", item, "-byte items in ",
                                  bytes.size() - data_at, " bytes"));
  }
  const char* data = bytes.data() + data_at;

  TROUPE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::make(dtype, shape));
  if (count == 0) return tensor;
  if (stored == DataType::kString) {
    if (h.fortran && shape.rank() > 1) return malformed("strings in Fortran order");
    std::span<TString> out = tensor.flat<TString>();
    for (int64_t i = 0; i < count; ++i) out[i] = read_string(data + i * item, h);
    return tensor;
  }
  const size_t part = is_complex(stored) ? item / 2 : item;
  if (dtype == DataType::kBfloat16) {
    std::vector<uint32_t> floats(count);
    copy_items(data, h, shape, item, part, reinterpret_cast<char*>(floats.data()));
    uint16_t* out = static_cast<uint16_t*>(tensor.raw());
    for (int64_t i = 0; i < count; ++i) out[i] = float_to_bfloat16(floats[i]);
    return tensor;
  }
  copy_items(data, h, shape, item, part, static_cast<char*>(tensor.raw()));
  if (dtype == DataType::kBool) {
    unsigned char* flags = static_cast<unsigned char*>(tensor.raw());
    for (int64_t i = 0; i < count; ++i) flags[i] = flags[i] != 0;
  }
  return tensor;
}

absl::StatusOr<std::string> encode_npy(const Tensor& tensor) {
  if (tensor.dtype() == DataType::kString) return encode_strings(tensor);
  const DataType stored = storage_of(tensor.dtype());
  if (stored == DataType::kInvalid) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tensor of dtype ", dtype_name(tensor.dtype()), " cannot be written as .npy"));
  }
  std::string out = header_text(descr_of(stored), tensor.shape());
  if (tensor.dtype() == DataType::kBfloat16) {
    const uint16_t* in = static_cast<const uint16_t*>(tensor.raw());
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      const uint32_t bits = static_cast<uint32_t>(in[i]) << 16;
      out.append(reinterpret_cast<const char*>(&bits), 4);
    }
    return out;
  }
  if (tensor.bytes() > 0) out.append(static_cast<const char*>(tensor.raw()), tensor.bytes());
  return out;
}

absl::StatusOr<Tensor> read_npy(const std::string& path, std::optional<DataType> as) {
  TROUPE_ASSIGN_OR_RETURN(std::string bytes, read_file(path));
  absl::StatusOr<Tensor> tensor = decode_npy(bytes, as);
  if (!tensor.ok()) return annotate(tensor.status(), absl::StrCat(path, ": "));
  return tensor;
}

absl::Status write_npy(const std::string& path, const Tensor& tensor) {
  TROUPE_ASSIGN_OR_RETURN(std::string bytes, encode_npy(tensor));
  return write_file(path, bytes);
}

}  // namespace troupe
