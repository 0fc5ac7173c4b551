#include "tools/troupe/literal.h"

#include <Eigen/Core>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// Deeper nesting than a tensor can have is refused before it uses up the stack.
constexpr int kMaxDepth = Shape::kMaxRank + 1;
/// What a message quotes of a value.
constexpr size_t kQuotedBytes = 40;

/// One leaf: its text, without the quotes that it may have had.
struct Leaf {
  std::string text;
  bool quoted = false;
};

/// Leaves in order, and the lengths of the lists around them.
struct Nested {
  std::vector<int64_t> dims;
  std::vector<Leaf> leaves;
};

absl::Status bad(absl::string_view what) { return absl::InvalidArgumentError(what); }

class Reader {
 public:
  explicit Reader(absl::string_view text, LiteralStyle style) : text_(text), style_(style) {}

  absl::StatusOr<Nested> read() {
    Nested out;
    skip_blanks();
    if (style_ == LiteralStyle::kTyped && !at_list() && !at_quote()) {
      // A bare scalar takes all there is, so that a word may hold blanks and commas.
      out.leaves.push_back({std::string(absl::StripAsciiWhitespace(text_)), false});
      return out;
    }
    TROUPE_RETURN_IF_ERROR(read_value(0, &out));
    skip_blanks();
    if (at_ != text_.size()) return bad(absl::StrCat("'", rest(), "' follows the value"));
    if (leaf_depth_ >= 0) {
      out.dims.resize(leaf_depth_);
      size_t count = 1;
      for (int64_t dim : out.dims) count *= static_cast<size_t>(dim);
      if (count != out.leaves.size()) return bad("the lists are not equally deep");
    }
    return out;
  }

 private:
  bool at_list() const { return at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '('); }
  bool at_quote() const { return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''); }
  std::string rest() const { return std::string(text_.substr(at_, kQuotedBytes)); }
  void skip_blanks() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  absl::Status read_value(int depth, Nested* out) {
    if (at_list()) return read_list(depth, out);
    if (leaf_depth_ >= 0 && leaf_depth_ != depth) return bad("the lists are not equally deep");
    leaf_depth_ = depth;
    if (at_quote()) return read_quoted(out);
    const size_t begin = at_;
    while (at_ < text_.size() &&
           absl::string_view(",[]()\"' \t\r\n").find(text_[at_]) == absl::string_view::npos)
      ++at_;
    if (at_ == begin)
      return bad(at_ == text_.size() ? "the text ends too early"
                                     : absl::StrCat("a value is missing before '", rest(), "'"));
    out->leaves.push_back({std::string(text_.substr(begin, at_ - begin)), false});
    return absl::OkStatus();
  }

  absl::Status read_list(int depth, Nested* out) {
    if (depth >= kMaxDepth) return bad("the lists are too deep");
    const char close = text_[at_] == '[' ? ']' : ')';
    ++at_;
    int64_t count = 0;
    for (;;) {
      skip_blanks();
      if (at_ < text_.size() && text_[at_] == close) break;
      TROUPE_RETURN_IF_ERROR(read_value(depth + 1, out));
      ++count;
      skip_blanks();
      if (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
      } else if (at_ >= text_.size() || text_[at_] != close) {
        return bad(at_ >= text_.size()
                       ? absl::StrCat("a '", std::string(1, close), "' is missing at the end")
                       : absl::StrCat("expected ',' or '", std::string(1, close), "' before '", rest(), "'"));
      }
    }
    ++at_;
    if (static_cast<int>(out->dims.size()) <= depth) out->dims.resize(depth + 1, -1);
    if (out->dims[depth] >= 0 && out->dims[depth] != count) {
      return bad(absl::StrCat("a list of ", count, " stands beside one of ", out->dims[depth]));
    }
    out->dims[depth] = count;
    return absl::OkStatus();
  }

  absl::Status read_quoted(Nested* out) {
    const char quote = text_[at_++];
    std::string raw;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) raw.push_back(text_[at_++]);
      raw.push_back(text_[at_++]);
    }
    if (at_ == text_.size()) return bad("a closing quote is missing");
    ++at_;
    Leaf leaf{std::move(raw), true};
    if (absl::StrContains(leaf.text, '\\')) {
      std::string plain, error;
      if (!absl::CUnescape(absl::StrReplaceAll(leaf.text, {{"\\/", "/"}}), &plain, &error)) return bad(error);
      leaf.text = std::move(plain);
    }
    out->leaves.push_back(std::move(leaf));
    return absl::OkStatus();
  }

  const absl::string_view text_;
  const LiteralStyle style_;
  size_t at_ = 0;
  int leaf_depth_ = -1;
};

absl::Status not_a(absl::string_view text, absl::string_view what) {
  return bad(absl::StrCat("'", text.substr(0, kQuotedBytes), "' is no ", what));
}

template <class T>
absl::StatusOr<T> parse_integer(absl::string_view text, absl::string_view dtype) {
  if (absl::StartsWith(text, "+")) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return bad(absl::StrCat(text.substr(0, kQuotedBytes), " does not fit into ", dtype));
  }
  if (error != std::errc() || end != text.data() + text.size()) return not_a(text, dtype);
  return value;
}

absl::StatusOr<double> parse_float(absl::string_view text) {
  std::string lower = absl::AsciiStrToLower(text);
  double value = 0;
  if (lower == "infinity" || lower == "+infinity") lower = "inf";
  if (lower == "-infinity") lower = "-inf";
  // SimpleAtod also reads hexadecimal floats; those and "nan(...)" are not what anybody means here.
  if (lower.empty() || absl::StrContains(lower, "x") || absl::StrContains(lower, "(") ||
      !absl::SimpleAtod(lower, &value)) {
    return not_a(text, "number");
  }
  return value;
}

absl::StatusOr<bool> parse_bool(absl::string_view text) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  return not_a(text, "bool");
}

/// "3", "2j", "1+2j", "(1-2.5e-3j)".
absl::StatusOr<std::complex<double>> parse_complex(absl::string_view text) {
  if (text.empty() || (text.back() != 'j' && text.back() != 'J')) return parse_float(text);
  absl::string_view body = text.substr(0, text.size() - 1);
  size_t split = absl::string_view::npos;
  for (size_t i = 1; i < body.size(); ++i) {
    if ((body[i] == '+' || body[i] == '-') && body[i - 1] != 'e' && body[i - 1] != 'E') split = i;
  }
  double re = 0;
  if (split != absl::string_view::npos) {
    TROUPE_ASSIGN_OR_RETURN(re, parse_float(body.substr(0, split)));
    body = body.substr(split);
  }
  if (body.empty() || body == "+") return std::complex<double>(re, 1);
  if (body == "-") return std::complex<double>(re, -1);
  TROUPE_ASSIGN_OR_RETURN(double im, parse_float(body));
  return std::complex<double>(re, im);
}

template <class T, class Parse>
absl::Status fill(const std::vector<Leaf>& leaves, Tensor* out, Parse parse) {
  T* to = static_cast<T*>(out->raw());
  for (const Leaf& leaf : leaves) {
    TROUPE_ASSIGN_OR_RETURN(auto value, parse(leaf.text));
    *to++ = static_cast<T>(value);
  }
  return absl::OkStatus();
}

template <class T>
absl::Status fill_integers(const std::vector<Leaf>& leaves, Tensor* out) {
  const std::string dtype = dtype_name(out->dtype());
  return fill<T>(leaves, out, [&](absl::string_view text) { return parse_integer<T>(text, dtype); });
}

absl::Status fill_strings(const std::vector<Leaf>& leaves, LiteralStyle style, Tensor* out) {
  std::span<TString> to = out->flat<TString>();
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (style == LiteralStyle::kTyped) {
      to[i] = TString(leaves[i].text);
      continue;
    }
    std::string bytes;
    if (!absl::Base64Unescape(leaves[i].text, &bytes)) return not_a(leaves[i].text, "base64");
    to[i] = TString(bytes);
  }
  return absl::OkStatus();
}

template <class T>
absl::Status fill_floats(const std::vector<Leaf>& leaves, Tensor* out) {
  return fill<T>(leaves, out, [](absl::string_view text) { return parse_float(text); });
}

template <class T>
absl::Status fill_complex(const std::vector<Leaf>& leaves, LiteralStyle style, Tensor* out) {
  if (style == LiteralStyle::kExact) {
    T* to = static_cast<T*>(out->raw());
    for (const Leaf& leaf : leaves) {
      TROUPE_ASSIGN_OR_RETURN(double value, parse_float(leaf.text));
      *to++ = static_cast<T>(value);
    }
    return absl::OkStatus();
  }
  return fill<std::complex<T>>(leaves, out, [](absl::string_view text) -> absl::StatusOr<std::complex<T>> {
    TROUPE_ASSIGN_OR_RETURN(std::complex<double> value, parse_complex(text));
    return std::complex<T>(static_cast<T>(value.real()), static_cast<T>(value.imag()));
  });
}

absl::Status fill_tensor(const std::vector<Leaf>& leaves, LiteralStyle style, Tensor* out) {
  switch (out->dtype()) {
    case DataType::kFloat: return fill_floats<float>(leaves, out);
    case DataType::kDouble: return fill_floats<double>(leaves, out);
    case DataType::kHalf: return fill_floats<Eigen::half>(leaves, out);
    case DataType::kBfloat16: return fill_floats<Eigen::bfloat16>(leaves, out);
    case DataType::kInt8:
    case DataType::kQint8:
    case DataType::kInt4:
    case DataType::kInt2: return fill_integers<int8_t>(leaves, out);
    case DataType::kInt16:
    case DataType::kQint16: return fill_integers<int16_t>(leaves, out);
    case DataType::kInt32:
    case DataType::kQint32: return fill_integers<int32_t>(leaves, out);
    case DataType::kInt64: return fill_integers<int64_t>(leaves, out);
    case DataType::kUint8:
    case DataType::kQuint8:
    case DataType::kUint4:
    case DataType::kUint2: return fill_integers<uint8_t>(leaves, out);
    case DataType::kUint16:
    case DataType::kQuint16: return fill_integers<uint16_t>(leaves, out);
    case DataType::kUint32: return fill_integers<uint32_t>(leaves, out);
    case DataType::kUint64: return fill_integers<uint64_t>(leaves, out);
    case DataType::kBool: return fill<bool>(leaves, out, parse_bool);
    case DataType::kComplex64: return fill_complex<float>(leaves, style, out);
    case DataType::kComplex128: return fill_complex<double>(leaves, style, out);
    case DataType::kString: return fill_strings(leaves, style, out);
    default:
      return bad(absl::StrCat("values of dtype ", dtype_name(out->dtype()), " cannot be written as text"));
  }
}

/// The shape that the nesting has; for complex pairs, without its last dimension of two.
absl::Status check_dims(Nested* nested, DataType dtype, const std::optional<Shape>& shape,
                        LiteralStyle style) {
  std::vector<int64_t>& dims = nested->dims;
  if (nested->leaves.empty()) {
    if (!shape.has_value()) return absl::OkStatus();
    if (shape->num_elements() != 0) return bad(absl::StrCat("no values for shape ", shape->to_string()));
    dims = shape->to_vector();
    return absl::OkStatus();
  }
  if (style == LiteralStyle::kExact && is_complex(dtype)) {
    if (dims.empty() || dims.back() != 2) return bad("complex numbers are pairs [re,im]");
    dims.pop_back();
  }
  if (shape.has_value() && dims != shape->to_vector()) {
    return bad(absl::StrCat("the value has shape ", Shape(dims).to_string(), ", not ", shape->to_string()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> parse_literal(absl::string_view text, DataType dtype,
                                     const std::optional<Shape>& shape, LiteralStyle style) {
  TROUPE_ASSIGN_OR_RETURN(Nested nested, Reader(text, style).read());
  TROUPE_RETURN_IF_ERROR(check_dims(&nested, dtype, shape, style));
  TROUPE_ASSIGN_OR_RETURN(Shape made, Shape::make(nested.dims));
  TROUPE_ASSIGN_OR_RETURN(Tensor out, Tensor::make(dtype, made));
  TROUPE_RETURN_IF_ERROR(fill_tensor(nested.leaves, style, &out));
  return out;
}

absl::StatusOr<Shape> parse_shape_text(absl::string_view text) {
  absl::string_view body = text;
  if (!absl::ConsumePrefix(&body, "[") || !absl::ConsumeSuffix(&body, "]")) return not_a(text, "shape");
  std::vector<int64_t> dims;
  if (!body.empty()) {
    for (absl::string_view part : absl::StrSplit(body, ',')) {
      int64_t dim = 0;
      if (!absl::SimpleAtoi(part, &dim)) return not_a(text, "shape");
      dims.push_back(dim);
    }
  }
  return Shape::make(dims);
}

}  // namespace troupe
