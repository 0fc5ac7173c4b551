#include "devices/common/matmul/einsum_equation.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "devices/common/array_values.h"

namespace troupe {
namespace {

Subscript parse_subscript(absl::string_view text) {
  Subscript s;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      s.push_back(kEllipsis);
      i += 2;
    } else {
      s.push_back(static_cast<unsigned char>(text[i]));
    }
  }
  return s;
}

}  // namespace

absl::StatusOr<Equation> parse_equation(const std::string& text) {
  std::vector<std::string> sides = absl::StrSplit(text, "->");
  if (sides.size() != 2) return invalid("Expecting exactly one '->' in einsum equation: ", text);
  Equation e;
  for (const std::string& s : std::vector<std::string>(absl::StrSplit(sides[0], ','))) {
    e.inputs.push_back(parse_subscript(s));
  }
  if (e.inputs.size() > 2) {
    return invalid("Expecting 1 or 2 input subscripts in equation '", text, "' but got: ", e.inputs.size());
  }
  e.output = parse_subscript(sides[1]);
  for (const Subscript& s : {e.inputs.front(), e.inputs.back(), e.output}) {
    if (std::count(s.begin(), s.end(), kEllipsis) > 1) {
      return invalid("Subscripts must contain at most one ellipsis in equation '", text, "'");
    }
  }
  return e;
}

absl::StatusOr<std::vector<int>> expand_ellipsis(const Subscript& s, int rank, int input) {
  const int named = static_cast<int>(s.size());
  const bool ellipsis = std::find(s.begin(), s.end(), kEllipsis) != s.end();
  if (!ellipsis && rank != named)
    return invalid("Expected input ", input, " to have rank ", named, " but got: ", rank);
  if (ellipsis && rank < named - 1) {
    return invalid("Expected input ", input, " to have rank at least ", named - 1, " but got: ", rank);
  }
  std::vector<int> labels;
  for (int label : s) {
    if (label != kEllipsis) {
      labels.push_back(label);
    } else {
      for (int i = rank - named; i >= 0; --i) labels.push_back(kBroadcast + i);
    }
  }
  return labels;
}

}  // namespace troupe
