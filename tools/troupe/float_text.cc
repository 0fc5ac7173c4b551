#include "tools/troupe/float_text.h"

#include <Eigen/Core>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troupe {
namespace {

constexpr double kLargestPositional = 1e8;
constexpr double kSmallestPositional = 1e-4;
constexpr double kWidestRatio = 1000;
/// NumPy's scalars turn to exponents outside these.
constexpr double kLargestScalar = 1e16;

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

}  // namespace

Shortest shortest_of(DataType t) {
  switch (t) {
    case DataType::kFloat:
    case DataType::kComplex64: return [](double v) { return to_chars_text(static_cast<float>(v)); };
    case DataType::kHalf: return shortest_small<Eigen::half>;
    case DataType::kBfloat16: return shortest_small<Eigen::bfloat16>;
    default: return [](double v) { return to_chars_text(v); };
  }
}

namespace {

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

}  // namespace

FloatColumn::FloatColumn(const std::vector<double>& shown, Shortest shortest, int precision, bool always_sign)
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
    exponents_ =
        largest >= kLargestPositional || smallest < kSmallestPositional || largest / smallest > kWidestRatio;
  }
  if (any_finite) measure(shown);
  if (!all_finite) {
    const size_t inf_width = 3 + (negative_inf || always_sign_ ? 1 : 0);
    const size_t offset = right_ + 1;
    left_ = std::max({left_, offset < 3 ? 3 - offset : 0, offset < inf_width ? inf_width - offset : 0});
  }
}

std::string FloatColumn::operator()(double v) const {
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

std::string FloatColumn::signed_text(double v, const std::string& text) const {
  return always_sign_ && !std::signbit(v) ? "+" + text : text;
}

std::string FloatColumn::pad_left(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

void FloatColumn::measure(const std::vector<double>& shown) {
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

}  // namespace troupe
