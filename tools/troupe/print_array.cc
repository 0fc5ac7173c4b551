#include "tools/troupe/print_array.h"

#include <Eigen/Core>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troupe {
namespace {

constexpr double kLargestPositional = 1e8;
constexpr double kSmallestPositional = 1e-4;
constexpr double kWidestRatio = 1000;
/// NumPy's scalars turn to exponents outside these.
constexpr double kLargestScalar = 1e16;

/// The fewest significant digits, as d.ddde+xx, that read back as the same value of its type.
using Shortest = std::function<std::string(double)>;

std::string to_chars_text(auto value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  return std::string(text, end);
}

/// For 16-bit floats: tries 1, 2, ... digits.
template <class T>
std::string shortest_small(double value) {
  for (int digits = 0; digits < 9; ++digits) {
    std::string text = absl::StrFormat("%.*e", digits, value);
    if (static_cast<float>(static_cast<T>(std::strtof(text.c_str(), nullptr))) == static_cast<float>(value))
      return text;
  }
  return absl::StrFormat("%.9e", value);
}

Shortest shortest_of(DataType t) {
  switch (t) {
    case DataType::kFloat:
    case DataType::kComplex64: return [](double v) { return to_chars_text(static_cast<float>(v)); };
    case DataType::kHalf: return shortest_small<Eigen::half>;
    case DataType::kBfloat16: return shortest_small<Eigen::bfloat16>;
    default: return [](double v) { return to_chars_text(v); };
  }
}

/// Digits and decimal exponent of |value|: d1.d2d3... * 10^exponent.
struct Digits {
  std::string digits;
  int exponent = 0;
};

Digits split(const std::string& scientific) {
  Digits d;
  const size_t e = scientific.find('e');
  for (char c : scientific.substr(0, e)) {
    if (c != '.' && c != '-') d.digits.push_back(c);
  }
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  d.exponent = std::atoi(scientific.c_str() + e + 1);
  return d;
}

/// "12.5", "3." : without exponent, at most `precision` digits behind the point (negative: as many as there are).
std::string positional(double value, const Shortest& shortest, int precision) {
  const double magnitude = std::fabs(value);
  Digits d = split(shortest(magnitude));
  std::string text;
  if (precision >= 0 && static_cast<int>(d.digits.size()) - 1 - d.exponent > precision) {
    text = absl::StrFormat("%.*f", precision, magnitude);
    while (text.back() == '0') text.pop_back();
  } else if (d.exponent < 0) {
    text = absl::StrCat("0.", std::string(-d.exponent - 1, '0'), d.digits);
    if (magnitude == 0) text = "0.";
  } else {
    if (static_cast<int>(d.digits.size()) <= d.exponent)
      d.digits.append(d.exponent + 1 - d.digits.size(), '0');
    text = absl::StrCat(d.digits.substr(0, d.exponent + 1), ".", d.digits.substr(d.exponent + 1));
    if (magnitude == 0) text = "0.";
  }
  return (std::signbit(value) ? "-" : "") + text;
}

struct Scientific {
  std::string whole;     // "-1"
  std::string fraction;  // "25"
  std::string exponent;  // "+07"
};

Scientific scientific(double value, const Shortest& shortest, int precision) {
  std::string text = shortest(value);
  if (precision >= 0 && static_cast<int>(split(text).digits.size()) - 1 > precision) {
    text = absl::StrFormat("%.*e", precision, value);
  }
  Scientific s;
  const size_t e = text.find('e');
  const size_t point = text.find('.');
  s.whole = text.substr(0, std::min(e, point));
  if (point != std::string::npos) s.fraction = text.substr(point + 1, e - point - 1);
  while (!s.fraction.empty() && s.fraction.back() == '0') s.fraction.pop_back();
  s.exponent = text.substr(e + 1);
  return s;
}

/// That many digits behind the point.
Shortest exactly(size_t digits) {
  return [digits](double v) { return absl::StrFormat("%.*e", static_cast<int>(digits), v); };
}

/// Formats the floats of one array alike: the decision between positions and exponents, and the widths, are made from all
/// values that will be shown.
class FloatColumn {
 public:
  FloatColumn(const std::vector<double>& shown, Shortest shortest, int precision, bool always_sign)
      : shortest_(std::move(shortest)), precision_(precision), always_sign_(always_sign) {
    double largest = 0, smallest = 0;
    bool all_finite = true, negative_inf = false, any_finite = false;
    for (double v : shown) {
      if (!std::isfinite(v)) {
        all_finite = false;
        negative_inf = negative_inf || (std::isinf(v) && v < 0);
        continue;
      }
      any_finite = true;
      const double m = std::fabs(v);
      if (m == 0) continue;
      largest = std::max(largest, m);
      smallest = smallest == 0 ? m : std::min(smallest, m);
    }
    if (largest > 0) {
      exponents_ = largest >= kLargestPositional || smallest < kSmallestPositional ||
                   largest / smallest > kWidestRatio;
    }
    if (any_finite) measure(shown);
    if (!all_finite) {
      const size_t inf_width = 3 + (negative_inf || always_sign_ ? 1 : 0);
      const size_t offset = right_ + 1;
      left_ = std::max({left_, offset < 3 ? 3 - offset : 0, offset < inf_width ? inf_width - offset : 0});
    }
  }

  std::string operator()(double v) const {
    if (!std::isfinite(v)) {
      std::string text = std::isnan(v) ? "nan" : v < 0 ? "-inf" : always_sign_ ? "+inf" : "inf";
      const size_t width = left_ + right_ + 1;
      return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
    }
    if (exponents_) {
      Scientific s = scientific(v, shortest_, precision_);
      // Places beyond the shortest digits show what the value is, not zeros.
      if (s.fraction.size() < fraction_) s = scientific(v, exactly(fraction_), -1);
      s.fraction.append(fraction_ - s.fraction.size(), '0');
      s.exponent.insert(1, exponent_ - s.exponent.size(), '0');
      return pad_left(absl::StrCat(signed_text(v, s.whole), ".", s.fraction, "e", s.exponent),
                      left_ + right_ + 1);
    }
    std::string text = signed_text(v, positional(v, shortest_, precision_));
    const size_t point = text.find('.');
    text.append(right_ - std::min(right_, text.size() - point - 1), ' ');
    return pad_left(std::move(text), left_ + right_ + 1);
  }

 private:
  std::string signed_text(double v, const std::string& text) const {
    return always_sign_ && !std::signbit(v) ? "+" + text : text;
  }
  static std::string pad_left(std::string text, size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
  }
  void measure(const std::vector<double>& shown) {
    for (double v : shown) {
      if (!std::isfinite(v)) continue;
      if (exponents_) {
        const Scientific s = scientific(v, shortest_, precision_);
        left_ = std::max(left_, signed_text(v, s.whole).size());
        fraction_ = std::max(fraction_, s.fraction.size());
        exponent_ = std::max(exponent_, s.exponent.size());
      } else {
        const std::string text = signed_text(v, positional(v, shortest_, precision_));
        const size_t point = text.find('.');
        left_ = std::max(left_, point);
        right_ = std::max(right_, text.size() - point - 1);
      }
    }
    if (exponents_) right_ = fraction_ + 1 + exponent_;
  }

  const Shortest shortest_;
  const int precision_;
  const bool always_sign_;
  bool exponents_ = false;
  size_t left_ = 0;
  size_t right_ = 0;
  size_t fraction_ = 0;
  size_t exponent_ = 0;
};

std::string quote_bytes(absl::string_view s) {
  const char quote =
      s.find('\'') != absl::string_view::npos && s.find('"') == absl::string_view::npos ? '"' : '\'';
  std::string out = absl::StrCat("b", std::string(1, quote));
  for (char c : s) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\t')
      out += "\\t";
    else if (u < 0x20 || u >= 0x7f)
      absl::StrAppendFormat(&out, "\\x%02x", u);
    else
      out.push_back(c);
  }
  out.push_back(quote);
  return out;
}

bool is_float_like(DataType t) {
  return t == DataType::kFloat || t == DataType::kDouble || t == DataType::kHalf || t == DataType::kBfloat16;
}

double float_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kFloat: return t.flat<float>()[i];
    case DataType::kDouble: return t.flat<double>()[i];
    case DataType::kHalf: return static_cast<float>(t.flat<Eigen::half>()[i]);
    default: return static_cast<float>(t.flat<Eigen::bfloat16>()[i]);
  }
}

std::complex<double> complex_at(const Tensor& t, int64_t i) {
  if (t.dtype() == DataType::kComplex128) return t.flat<std::complex<double>>()[i];
  return std::complex<double>(t.flat<std::complex<float>>()[i]);
}

/// Everything but floats and complex numbers.
std::string plain_text(const Tensor& t, int64_t i) {
  const void* p = t.raw();
  switch (t.dtype()) {
    case DataType::kBool: return t.flat<bool>()[i] ? "True" : "False";
    case DataType::kInt8:
    case DataType::kQint8:
    case DataType::kInt4:
    case DataType::kInt2: return absl::StrCat(static_cast<int>(static_cast<const int8_t*>(p)[i]));
    case DataType::kInt16:
    case DataType::kQint16: return absl::StrCat(static_cast<const int16_t*>(p)[i]);
    case DataType::kInt32:
    case DataType::kQint32: return absl::StrCat(static_cast<const int32_t*>(p)[i]);
    case DataType::kInt64: return absl::StrCat(static_cast<const int64_t*>(p)[i]);
    case DataType::kUint16:
    case DataType::kQuint16: return absl::StrCat(static_cast<const uint16_t*>(p)[i]);
    case DataType::kUint32: return absl::StrCat(static_cast<const uint32_t*>(p)[i]);
    case DataType::kUint64: return absl::StrCat(static_cast<const uint64_t*>(p)[i]);
    case DataType::kString: return quote_bytes(t.flat<TString>()[i].view());
    case DataType::kResource: {
      const ResourceHandle& h = t.flat<ResourceHandle>()[i];
      return absl::StrCat("<resource ", h.container, "/", h.name, " on ", h.device, ">");
    }
    case DataType::kVariant: return "<variant>";
    default: return absl::StrCat(static_cast<int>(static_cast<const uint8_t*>(p)[i]));
  }
}

std::string scalar_float(double v, const Shortest& shortest) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  const double m = std::fabs(v);
  if (m != 0 && (m >= kLargestScalar || m < kSmallestPositional)) {
    const Scientific s = scientific(v, shortest, -1);
    return absl::StrCat(s.whole, s.fraction.empty() ? "" : ".", s.fraction, "e", s.exponent);
  }
  std::string text = positional(v, shortest, -1);
  if (text.back() == '.') text.push_back('0');
  return text;
}

std::string scalar_complex(std::complex<double> v, const Shortest& shortest) {
  const auto part = [&](double x) {
    std::string text = scalar_float(x, shortest);
    if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
    return text;
  };
  if (v.real() == 0 && !std::signbit(v.real())) return part(v.imag()) + "j";
  const std::string im = part(v.imag());
  return absl::StrCat("(", part(v.real()), im[0] == '-' ? "" : "+", im, "j)");
}

/// Lays elements out in nested brackets, as wide as the line.
class Layout {
 public:
  Layout(const Tensor& t, const PrintOptions& options)
      : tensor_(t), options_(options), summarise_(t.num_elements() > options.threshold) {
    strides_.assign(t.rank(), 1);
    for (int d = t.rank() - 2; d >= 0; --d) strides_[d] = strides_[d + 1] * t.dim(d + 1);
    collect(0, 0);
    make_format();
  }

  std::string text() { return nested(0, 0, " ", options_.line_width); }

 private:
  bool shortened(int axis) const { return summarise_ && tensor_.dim(axis) > 2 * options_.edge_items; }

  /// The indices along an axis that are shown; -1 stands for the dots.
  std::vector<int64_t> shown_along(int axis) const {
    std::vector<int64_t> out;
    const int64_t n = tensor_.dim(axis);
    for (int64_t i = 0; i < n; ++i) {
      if (shortened(axis) && i == options_.edge_items) {
        out.push_back(-1);
        i = n - options_.edge_items;
      }
      out.push_back(i);
    }
    return out;
  }

  void collect(int axis, int64_t offset) {
    if (axis == tensor_.rank()) {
      shown_.push_back(offset);
      return;
    }
    for (int64_t i : shown_along(axis)) {
      if (i >= 0) collect(axis + 1, offset + i * strides_[axis]);
    }
  }

  void make_format() {
    const DataType t = tensor_.dtype();
    if (is_float_like(t)) {
      std::vector<double> values;
      for (int64_t i : shown_) values.push_back(float_at(tensor_, i));
      format_ = [this, column = FloatColumn(values, shortest_of(t), options_.precision, false)](int64_t i) {
        return column(float_at(tensor_, i));
      };
    } else if (is_complex(t)) {
      std::vector<double> re, im;
      for (int64_t i : shown_) {
        re.push_back(complex_at(tensor_, i).real());
        im.push_back(complex_at(tensor_, i).imag());
      }
      format_ = [this, re_column = FloatColumn(re, shortest_of(t), options_.precision, false),
                 im_column = FloatColumn(im, shortest_of(t), options_.precision, true)](int64_t i) {
        const std::complex<double> v = complex_at(tensor_, i);
        std::string imaginary = im_column(v.imag());
        const size_t end = imaginary.find_last_not_of(' ') + 1;
        imaginary.insert(end, 1, 'j');
        return re_column(v.real()) + imaginary;
      };
    } else {
      size_t width = 0;
      if (t != DataType::kString && t != DataType::kResource) {
        for (int64_t i : shown_) width = std::max(width, plain_text(tensor_, i).size());
        if (t == DataType::kBool) width = 5;
      }
      format_ = [this, width](int64_t i) {
        std::string text = plain_text(tensor_, i);
        if (text.size() < width) text.insert(0, width - text.size(), ' ');
        return text;
      };
    }
  }

  std::string nested(int axis, int64_t offset, const std::string& indent, int width) {
    if (axis == tensor_.rank()) return format_(offset);
    const std::vector<int64_t> along = shown_along(axis);
    std::string out;
    if (axis == tensor_.rank() - 1) {
      std::string line = indent;
      for (size_t k = 0; k < along.size(); ++k) {
        const std::string word = along[k] < 0 ? "..." : format_(offset + along[k]);
        if (line.size() + word.size() > static_cast<size_t>(std::max(width - 1, 0)) &&
            line.size() > indent.size()) {
          while (!line.empty() && line.back() == ' ') line.pop_back();
          absl::StrAppend(&out, line, "\n");
          line = indent;
        }
        line += word;
        if (k + 1 < along.size()) line += ' ';
      }
      out += line;
    } else {
      const std::string separator(tensor_.rank() - axis - 1, '\n');
      for (size_t k = 0; k < along.size(); ++k) {
        absl::StrAppend(&out, indent,
                        along[k] < 0
                            ? "..."
                            : nested(axis + 1, offset + along[k] * strides_[axis], indent + " ", width - 1));
        if (k + 1 < along.size()) out += separator;
      }
    }
    return absl::StrCat("[", out.substr(indent.size()), "]");
  }

  const Tensor& tensor_;
  const PrintOptions options_;
  const bool summarise_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> shown_;
  std::function<std::string(int64_t)> format_;
};

}  // namespace

std::string print_element(const Tensor& t, int64_t index) {
  if (is_float_like(t.dtype())) return scalar_float(float_at(t, index), shortest_of(t.dtype()));
  if (is_complex(t.dtype())) return scalar_complex(complex_at(t, index), shortest_of(t.dtype()));
  return plain_text(t, index);
}

std::string print_array(const Tensor& tensor, const PrintOptions& options) {
  if (!tensor.initialized() && tensor.num_elements() != 0) return "<uninitialized>";
  if (tensor.num_elements() == 0) return "[]";
  if (tensor.rank() == 0) return print_element(tensor, 0);
  return Layout(tensor, options).text();
}

std::string describe(const Tensor& tensor) {
  return absl::StrCat(dtype_name(tensor.dtype()), " ", tensor.shape().to_string());
}

}  // namespace troupe
