#include "tools/troupe/config_report.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/str_cat.h"
#include "actors/option_table.h"
#include "graph/status.h"
#include "proto/config.pb.h"
#include "tools/troupe/files.h"

namespace troupe {
namespace {

/// Texts that are no ConfigProto are told by what the command says, not by the parser's log.
class Silent final : public google::protobuf::io::ErrorCollector {
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

absl::string_view use_name(OptionUse use) {
  switch (use) {
    case OptionUse::kHonoured: return "honoured";
    case OptionUse::kWithoutMeaning: return "without meaning";
  }
  return "?";
}

}  // namespace

absl::StatusOr<std::string> config_report(const std::string& path, bool all) {
  TROUPE_ASSIGN_OR_RETURN(const std::string text, read_file(path));
  tensorflow::ConfigProto config;
  google::protobuf::TextFormat::Parser parser;
  Silent silent;
  parser.RecordErrorsTo(&silent);
  if (!parser.ParseFromString(text, &config) && !config.ParseFromString(text))
    return absl::InvalidArgumentError(absl::StrCat(path, " is no ConfigProto, neither as text nor as bytes"));
  std::string out;
  auto add = [&out](absl::string_view what, const OptionRow& row) {
    absl::StrAppend(&out, what, "  ", use_name(row.use), ": ", row.sentence, "\n");
  };
  const OptionTable& table = config_table();
  const auto set = table.set_in(config);
  for (const SetOption& option : set) {
    if (option.row != nullptr) add(absl::StrCat(option.path, " = ", option.value), *option.row);
  }
  if (set.empty()) absl::StrAppend(&out, "nothing is set\n");
  if (!all) return out;
  for (const OptionTable* each : {&table, &run_table(), &callable_table()}) {
    absl::StrAppend(&out, "all fields of ", each->name(), ":\n");
    for (const OptionRow* row : each->rows()) add(absl::StrCat("  ", row->path), *row);
  }
  return out;
}

}  // namespace troupe
