#include "actors/option_table.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/option_rows.h"
#include "graph/status.h"

namespace troupe {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string text_of(const Message& message, const FieldDescriptor* field) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  const int size = field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
  for (int i = 0; i < size; ++i) {
    std::string one;
    printer.PrintFieldValueToString(message, field, field->is_repeated() ? i : -1, &one);
    if (field->message_type() != nullptr) one = absl::StrCat("{ ", absl::StripAsciiWhitespace(one), " }");
    absl::StrAppend(&text, i == 0 ? "" : ", ", one);
  }
  return text;
}

void add_set(const OptionTable& table, const Message& message, const std::string& within,
             std::vector<SetOption>* out) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::string path = absl::StrCat(within, field->name());
    const OptionRow* row = table.find(path);
    const bool is_message = !field->is_repeated() && field->message_type() != nullptr;
    // What has a row of its own as a whole is not taken apart.
    if (is_message && (row == nullptr || row->path != path || row->use != OptionUse::kHonoured)) {
      add_set(table, message.GetReflection()->GetMessage(message, field), path + ".", out);
    } else {
      out->push_back({path, text_of(message, field), row});
    }
  }
}

absl::Status check_enum(const OptionTable& table, const std::string& path, const FieldDescriptor* field,
                        int number) {
  const auto& values = *field->enum_type();
  const OptionRow* row = table.find(path);
  if (row == nullptr || row->use != OptionUse::kHonoured || values.FindValueByNumber(number) != nullptr)
    return absl::OkStatus();
  std::string known;
  for (int i = 0; i < values.value_count(); ++i) {
    absl::StrAppend(&known, i == 0 ? "" : ", ", values.value(i)->name(), " (", values.value(i)->number(),
                    ")");
  }
  return absl::InvalidArgumentError(
      absl::StrCat(table.name(), ".", path, " is ", number, ", which is none of its values: ", known));
}

absl::Status check_enums_in(const OptionTable& table, const Message& message, const std::string& within) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated()) continue;
    const std::string path = absl::StrCat(within, field->name());
    if (field->message_type() != nullptr) {
      TROUPE_RETURN_IF_ERROR(
          check_enums_in(table, message.GetReflection()->GetMessage(message, field), path + "."));
    } else if (field->enum_type() != nullptr) {
      TROUPE_RETURN_IF_ERROR(
          check_enum(table, path, field, message.GetReflection()->GetEnumValue(message, field)));
    }
  }
  return absl::OkStatus();
}

template <class Rows>
std::vector<const OptionRow*> pointers(const Rows& rows) {
  std::vector<const OptionRow*> out;
  for (const OptionRow& row : rows) out.push_back(&row);
  return out;
}

}  // namespace

OptionTable::OptionTable(absl::string_view name, std::initializer_list<std::vector<const OptionRow*>> parts)
    : name_(name) {
  for (const auto& part : parts) rows_.insert(rows_.end(), part.begin(), part.end());
}

const OptionRow* OptionTable::find(absl::string_view path) const {
  const OptionRow* best = nullptr;
  for (const OptionRow* row : rows_) {
    const bool around =
        path == row->path || (absl::StartsWith(path, row->path) && path[row->path.size()] == '.');
    if (around && (best == nullptr || row->path.size() > best->path.size())) best = row;
  }
  return best;
}

std::vector<SetOption> OptionTable::set_in(const Message& message) const {
  std::vector<SetOption> out;
  add_set(*this, message, "", &out);
  return out;
}

absl::Status OptionTable::check_enums(const Message& message) const {
  return check_enums_in(*this, message, "");
}

std::vector<std::string> OptionTable::without_meaning(const Message& message) const {
  std::vector<std::string> out;
  for (const SetOption& option : set_in(message)) {
    if (option.row != nullptr && option.row->use == OptionUse::kWithoutMeaning)
      out.push_back(absl::StrCat(option.path, ": ", option.row->sentence));
  }
  return out;
}

const OptionTable& config_table() {
  static const auto* table = new OptionTable(
      "ConfigProto", {pointers(config_rows()), pointers(gpu_rows()),
                                                     pointers(graph_rows()), pointers(experimental_rows())});
  return *table;
}

const OptionTable& run_table() {
  static const auto* table = new OptionTable("RunOptions", {pointers(run_rows())});
  return *table;
}

const OptionTable& callable_table() {
  static const auto* table = new OptionTable("CallableOptions", {pointers(callable_rows())});
  return *table;
}

}  // namespace troupe
