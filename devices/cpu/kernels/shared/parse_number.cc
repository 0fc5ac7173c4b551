#include "devices/cpu/kernels/shared/parse_number.h"

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/numbers.h"

namespace troupe {
namespace {

/// A hexadecimal number behind an optional sign: "0x1p3".
template <class T>
bool parse_hex_float(absl::string_view s, T* out) {
  const bool negative = s.front() == '-';
  if (negative || s.front() == '+') s.remove_prefix(1);
  s.remove_prefix(2);
  auto result = absl::from_chars(s.data(), s.data() + s.size(), *out, absl::chars_format::hex);
  if (result.ec == std::errc::invalid_argument || result.ptr != s.data() + s.size() || s.empty() ||
      s[0] == '-') {
    return false;
  }
  if (result.ec == std::errc::result_out_of_range && *out > 1) *out = std::numeric_limits<T>::infinity();
  if (negative) *out = -*out;
  return true;
}

bool is_hex(absl::string_view s) {
  const size_t at = !s.empty() && (s[0] == '-' || s[0] == '+') ? 1 : 0;
  return s.size() > at + 2 && s[at] == '0' && (s[at + 1] == 'x' || s[at + 1] == 'X');
}

}  // namespace

bool parse_float(absl::string_view s, float* out) {
  s = absl::StripAsciiWhitespace(s);
  return is_hex(s) ? parse_hex_float(s, out) : absl::SimpleAtof(s, out);
}

bool parse_double(absl::string_view s, double* out) {
  s = absl::StripAsciiWhitespace(s);
  return is_hex(s) ? parse_hex_float(s, out) : absl::SimpleAtod(s, out);
}

}  // namespace troupe
