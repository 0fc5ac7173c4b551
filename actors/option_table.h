#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace troupe {

/// What becomes of a field of ConfigProto, RunOptions or CallableOptions.
enum class OptionUse {
  /// It does what it says.
  kHonoured,
  /// It has no meaning here; of a ConfigProto kernels of plug-ins get it with the rest. A session that is opened with it, or whose run sets it, logs that once.
  kWithoutMeaning,
};

/// One field, or all fields of a message in it.
struct OptionRow {
  /// "graph_options.place_pruned_graph".
  absl::string_view path;
  OptionUse use;
  /// What it does, or why it does nothing.
  absl::string_view sentence;
};

/// A field that a message sets.
struct SetOption {
  std::string path;
  /// As text: "true", "{ name: \"x\" }".
  std::string value;
  const OptionRow* row = nullptr;
};

/// Every field of one message, in its order; a row of a message stands for those of its fields that have none. A new field is a
/// member of the plain options (options.h) and a row. Immutable.
class OptionTable {
 public:
  /// `name`: "ConfigProto".
  OptionTable(absl::string_view name, std::initializer_list<std::vector<const OptionRow*>> parts);

  absl::string_view name() const { return name_; }
  std::span<const OptionRow* const> rows() const { return rows_; }
  /// The row of a field: "experimental.use_tfrt", or the nearest message around it. Null when there is none.
  const OptionRow* find(absl::string_view path) const;
  std::vector<SetOption> set_in(const google::protobuf::Message& message) const;
  /// InvalidArgument for an honoured field of an enum type whose number is none of the type's values.
  absl::Status check_enums(const google::protobuf::Message& message) const;
  /// Of what is set, all that has no meaning here: "path: sentence".
  std::vector<std::string> without_meaning(const google::protobuf::Message& message) const;

 private:
  const absl::string_view name_;
  std::vector<const OptionRow*> rows_;
};

/// @name Of the three messages by which clients say how they want it. Thread-safe.
const OptionTable& config_table();
const OptionTable& run_table();
const OptionTable& callable_table();

}  // namespace troupe
