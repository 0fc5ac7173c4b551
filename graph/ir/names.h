#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace troupe {

/// A tensor or node as feeds, fetches and the inputs of NodeDefs name it. Views into the text that was parsed.
struct TensorName {
  absl::string_view node;
  /// Output slot; 0 when none is written, -1 for a control input.
  int slot = 0;

  bool is_control() const { return slot < 0; }
};

/// Reads "node" (slot 0), "node:k" and "^node". Never fails, as TensorFlow's: digits behind the last ':' are the slot if
/// something stands before it, and what does not fit is part of the node's name, where looking it up fails. A slot
/// beyond 31 bits reads as the largest.
TensorName parse_tensor_name(absl::string_view text);

/// "node" for slot 0, "node:k", "^node" for a control input: the form in which NodeDefs write their inputs.
std::string input_text(absl::string_view node, int slot);
/// "node:k" always.
std::string tensor_text(absl::string_view node, int slot);

/// Letters, digits, and '_', '.', '/', '-', '>'; starting with a letter, digit or '.', behind each '>' too. Names that the
/// runtime makes (`internal`) may start with '_'.
bool is_valid_node_name(absl::string_view name, bool internal = false);

/// An input inside a function body: "argument", "node:output", "node:output:k" or "^node".
struct BodyInputName {
  absl::string_view node;
  /// Name of the output argument of `node`; empty when the text is the name of a function argument, or of a node.
  absl::string_view output;
  /// Position inside that output argument.
  int index = 0;
  bool is_control = false;
};

/// Nothing when the text has more parts than that, or an index that is no number.
std::optional<BodyInputName> parse_body_input(absl::string_view text);

/// The part of a name up to the last '/', without it; "" at the top.
absl::string_view scope_of(absl::string_view name);

}  // namespace troupe
