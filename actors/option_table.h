#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "actors/options.h"

namespace tensorflow {
class ConfigProto;
}  // namespace tensorflow

namespace troupe {

/// What becomes of a field of ConfigProto.
enum class OptionUse {
  /// It does what it says.
  kHonoured,
  /// Nothing here depends on it; kernels of plug-ins get it with the rest (TF_..._GetSerializedConfigProto).
  kCarried,
  /// It has no meaning here. A session whose config sets it logs that once.
  kWithoutMeaning,
};

/// One field of ConfigProto, or all fields of a message in it.
struct OptionRow {
  /// "graph_options.place_pruned_graph".
  absl::string_view path;
  OptionUse use;
  /// What it does, or why it does nothing.
  absl::string_view sentence;
  /// Honoured ones: into the options.
  void (*read)(const tensorflow::ConfigProto& from, SessionOptions* to) = nullptr;
};

/// Every field, in the order of the message; a row of a message stands for those of its fields that have none. A new field is a member of
/// SessionOptions and a row.
std::span<const OptionRow> option_rows();
/// The row of a field: "experimental.use_tfrt", or the nearest message around it. Null when there is none.
const OptionRow* option_row(absl::string_view path);

/// A field that a config sets.
struct SetOption {
  std::string path;
  /// As text: "true", "{ name: \"x\" }".
  std::string value;
  const OptionRow* row = nullptr;
};
std::vector<SetOption> set_options(const tensorflow::ConfigProto& config);

}  // namespace troupe
