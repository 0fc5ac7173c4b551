#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "graph/tensor/tensor.h"

namespace troupe {

/// How strings and complex numbers are spelled.
enum class LiteralStyle {
  /// As a person types them: "abc" is itself (quotes may be left out), complex numbers are 1+2j.
  kTyped,
  /// As test vectors spell them: strings in base64, complex numbers as [re,im], nan and infinities quoted.
  kExact,
};

/// A tensor from text: a number, true, false, nan, inf, a string, or nested lists of them, as JSON writes them (tuples and
/// Python's True, False too). Integers never pass through a float, so that all 64 bits are exact.
///
/// The shape is that of the nesting; `shape`, when given, must agree with it, except that the empty list stands for any
/// shape without elements. InvalidArgument when the text is malformed, ragged, or holds what `dtype` cannot: 1.5 or 300 for
/// an int8, say.
absl::StatusOr<Tensor> parse_literal(absl::string_view text, DataType dtype,
                                     const std::optional<Shape>& shape = std::nullopt,
                                     LiteralStyle style = LiteralStyle::kTyped);

/// "[2,3]" and "[]"; InvalidArgument for anything else.
absl::StatusOr<Shape> parse_shape_text(absl::string_view text);

}  // namespace troupe
