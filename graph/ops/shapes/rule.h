#pragma once

#include <algorithm>
#include <cstddef>

#include "graph/ops/shapes/common_shapes.h"

namespace troupe::shapes {

/// A text as a template argument.
template <size_t N>
struct RuleText {
  char text[N];
  constexpr RuleText(const char (&s)[N]) {
    std::copy(s, s + N, text);
  }  // NOLINT: implicit, rules read as literals
};

/// Runs a shape rule: one item per input argument, "->", one per output argument, separated by spaces.
///   *           anything
///   S           a shape; the same capital letters everywhere mean shapes that merge
///   <=1, >=2    any shape of at most, of at least that rank (inputs)
///   [n,?,2]     rank 3: a dimension with a name, any dimension, a number. Equal names mean dimensions that are equal
///   [B*,n,m]    the leading dimensions together, as a shape named B; [*,n,m] without a name
///   $shape      the attr of that name, a shape; [$k] an int attr as a dimension (negative: unknown)
/// An item of a list argument holds for every element. Missing items at the end are *. Names that no input binds are unknown
/// in the outputs. Internal error when the rule itself is malformed.
absl::Status apply_rule(absl::string_view rule, ShapeContext& c);

/// A shape function made of a rule: `rule<"[n,k] [k,m] -> [n,m]">`.
template <RuleText kRule>
absl::Status rule(ShapeContext& c) {
  return apply_rule(absl::string_view(kRule.text, sizeof(kRule.text) - 1), c);
}

}  // namespace troupe::shapes
