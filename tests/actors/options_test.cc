#include "actors/options.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/option_table.h"
#include "proto/config.pb.h"

namespace troupe::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

tensorflow::ConfigProto config(const std::string& text) {
  tensorflow::ConfigProto out;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &out)) << text;
  return out;
}

/// Whether fields of the message at `path` have rows of their own.
bool has_rows_within(const std::string& path) {
  return std::any_of(option_rows().begin(), option_rows().end(),
                     [&](const OptionRow& row) { return absl::StartsWith(row.path, path + "."); });
}

/// The paths of all fields, but for messages that have rows within.
void add_fields(const google::protobuf::Descriptor* message, const std::string& within,
                std::vector<std::string>* out) {
  for (int i = 0; i < message->field_count(); ++i) {
    const std::string path = absl::StrCat(within, message->field(i)->name());
    if (has_rows_within(path)) {
      add_fields(message->field(i)->message_type(), path + ".", out);
    } else {
      out->push_back(path);
    }
  }
}

TEST(OptionTable, has_a_row_for_every_field_and_a_field_for_every_row) {
  std::vector<std::string> paths;
  add_fields(tensorflow::ConfigProto::descriptor(), "", &paths);
  EXPECT_GT(paths.size(), 60u);
  for (const std::string& path : paths) EXPECT_NE(option_row(path), nullptr) << path;
  for (const OptionRow& row : option_rows()) {
    const google::protobuf::Descriptor* message = tensorflow::ConfigProto::descriptor();
    std::string path(row.path);
    for (size_t at = 0; at != std::string::npos;) {
      const size_t dot = path.find('.', at);
      ASSERT_NE(message, nullptr) << row.path;
      const FieldDescriptor* field = message->FindFieldByName(path.substr(at, dot - at));
      ASSERT_NE(field, nullptr) << row.path;
      message = field->message_type();
      at = dot == std::string::npos ? dot : dot + 1;
    }
    EXPECT_FALSE(row.sentence.empty()) << row.path;
    EXPECT_EQ(row.use == OptionUse::kHonoured, row.read != nullptr) << row.path;
  }
}

/// Sets a field to something that it is not by itself.
void set_field(Message* message, const FieldDescriptor* field) {
  const google::protobuf::Reflection* r = message->GetReflection();
  if (field->is_map()) {
    Message* entry = r->AddMessage(message, field);
    set_field(entry, entry->GetDescriptor()->field(0));
    set_field(entry, entry->GetDescriptor()->field(1));
  } else if (field->is_repeated() && field->message_type() != nullptr) {
    Message* one = r->AddMessage(message, field);
    set_field(one, one->GetDescriptor()->field(0));
  } else if (field->message_type() != nullptr) {
    Message* one = r->MutableMessage(message, field);
    set_field(one, one->GetDescriptor()->field(0));
  } else {
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL: r->SetBool(message, field, true); break;
      case FieldDescriptor::CPPTYPE_INT32: r->SetInt32(message, field, 7); break;
      case FieldDescriptor::CPPTYPE_INT64: r->SetInt64(message, field, 7); break;
      case FieldDescriptor::CPPTYPE_STRING: r->SetString(message, field, "seven"); break;
      // The last value: OFF of a switch, L0 of the level.
      case FieldDescriptor::CPPTYPE_ENUM: {
        const auto* values = field->enum_type();
        const auto* off = values->FindValueByName("OFF");
        r->SetEnum(message, field, off != nullptr ? off : values->value(values->value_count() - 1));
        break;
      }
      default: FAIL() << field->full_name();
    }
  }
}

TEST(OptionTable, reads_every_field_that_it_says_is_honoured) {
  for (const OptionRow& row : option_rows()) {
    if (row.use != OptionUse::kHonoured) continue;
    SCOPED_TRACE(row.path);
    tensorflow::ConfigProto with, without;
    for (tensorflow::ConfigProto* c : {&with, &without}) {
      // What a level switches on by itself would hide these.
      if (row.path.find("optimizer_options.do_") != absl::string_view::npos)
        c->mutable_graph_options()->mutable_optimizer_options()->set_opt_level(
            tensorflow::OptimizerOptions::L0);
    }
    Message* message = &with;
    std::string path(row.path);
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
      message = message->GetReflection()->MutableMessage(
          message, message->GetDescriptor()->FindFieldByName(path.substr(0, dot)));
      path = path.substr(dot + 1);
    }
    set_field(message, message->GetDescriptor()->FindFieldByName(path));
    auto changed = SessionOptions::from_config(with.SerializeAsString());
    auto plain = SessionOptions::from_config(without.SerializeAsString());
    ASSERT_TRUE(changed.ok() && plain.ok());
    EXPECT_THAT(changed->without_meaning, IsEmpty());
    changed->config = plain->config = "";
    EXPECT_FALSE(*changed == *plain) << "it makes no difference";
  }
}

TEST(OptionTable, names_what_is_set_and_does_nothing) {
  auto options = SessionOptions::from_config_text(
      "gpu_options { allow_growth: true } allow_soft_placement: true experimental { use_tfrt: true "
      "executor_type: 'DEFAULT' } "
      "graph_options { rewrite_options { constant_folding: OFF remapping: ON } } session_handle: 'mine'");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->without_meaning, ElementsAre(StartsWith("gpu_options.allow_growth: "),
                                                    StartsWith("graph_options.rewrite_options.remapping: "),
                                                    StartsWith("experimental.use_tfrt: ")));
  EXPECT_FALSE(options->fold_constants);
  EXPECT_TRUE(options->merge_common_subexpressions);
  EXPECT_TRUE(options->optimize);
}

TEST(OptionTable, says_what_a_config_sets) {
  std::vector<std::string> said;
  for (const SetOption& option :
       set_options(config("device_count { key: 'CPU' value: 2 } operation_timeout_in_ms: 5 "
                          "session_inter_op_thread_pool { num_threads: 1 } session_inter_op_thread_pool { "
                          "num_threads: 2 }"))) {
    said.push_back(absl::StrCat(option.path, " = ", option.value));
    EXPECT_EQ(option.row->use, OptionUse::kHonoured);
  }
  EXPECT_THAT(said, ElementsAre("device_count = { key: \"CPU\" value: 2 }", "operation_timeout_in_ms = 5",
                                "session_inter_op_thread_pool = { num_threads: 1 }, { num_threads: 2 }"));
}

TEST(OptionTable, keeps_the_levels_of_the_optimizer_apart) {
  auto read = [](const char* text) { return *SessionOptions::from_config_text(text); };
  const SessionOptions folding =
      read("graph_options { optimizer_options { opt_level: L0 do_constant_folding: true } }");
  EXPECT_TRUE(folding.optimize && folding.fold_constants);
  EXPECT_FALSE(folding.merge_common_subexpressions);
  const SessionOptions none = read("graph_options { optimizer_options { opt_level: L0 } }");
  EXPECT_FALSE(none.optimize);
}

}  // namespace
}  // namespace troupe::test
