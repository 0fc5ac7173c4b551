#include "actors/options.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "actors/option_table.h"
#include "proto/config.pb.h"

namespace troupe::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

tensorflow::ConfigProto config(const std::string& text) {
  tensorflow::ConfigProto out;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &out)) << text;
  return out;
}

const OptionTable* const kTables[] = {&config_table(), &run_table(), &callable_table()};

const google::protobuf::Descriptor* message_of(const OptionTable& table) {
  return tensorflow::ConfigProto::descriptor()->file()->FindMessageTypeByName(std::string(table.name()));
}

/// Whether fields of the message at `path` have rows of their own.
bool has_rows_within(const OptionTable& table, const std::string& path) {
  return std::any_of(table.rows().begin(), table.rows().end(),
                     [&](const OptionRow* row) { return absl::StartsWith(row->path, path + "."); });
}

/// The paths of all fields, but for messages that have rows within.
void add_fields(const OptionTable& table, const google::protobuf::Descriptor* message,
                const std::string& within, std::vector<std::string>* out) {
  for (int i = 0; i < message->field_count(); ++i) {
    const std::string path = absl::StrCat(within, message->field(i)->name());
    if (has_rows_within(table, path)) {
      add_fields(table, message->field(i)->message_type(), path + ".", out);
    } else {
      out->push_back(path);
    }
  }
}

/// The field at a path, and the message that has it: in `root` itself, made where it is not there. Of repeated ones the first.
std::pair<Message*, const FieldDescriptor*> make_way(Message* root, std::string path) {
  Message* message = root;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
    const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(path.substr(0, dot));
    if (field == nullptr) return {message, nullptr};
    const google::protobuf::Reflection* r = message->GetReflection();
    message = field->is_repeated() ? r->AddMessage(message, field) : r->MutableMessage(message, field);
    path = path.substr(dot + 1);
  }
  return {message, message->GetDescriptor()->FindFieldByName(path)};
}

std::unique_ptr<Message> make_message(const OptionTable& table) {
  const Message* prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(message_of(table));
  return std::unique_ptr<Message>(prototype->New());
}

TEST(OptionTable, has_a_row_for_every_field_and_a_field_for_every_row) {
  size_t fields = 0;
  for (const OptionTable* table : kTables) {
    SCOPED_TRACE(table->name());
    std::vector<std::string> paths;
    add_fields(*table, message_of(*table), "", &paths);
    fields += paths.size();
    // A row of its own: what stands under a message's row has been thought of with the message.
    for (const std::string& path : paths) {
      const OptionRow* row = table->find(path);
      ASSERT_NE(row, nullptr) << path;
      EXPECT_EQ(row->path, path);
    }
    std::set<absl::string_view> seen;
    for (const OptionRow* row : table->rows()) {
      EXPECT_TRUE(seen.insert(row->path).second) << row->path << " has two rows";
      EXPECT_NE(make_way(make_message(*table).get(), std::string(row->path)).second, nullptr) << row->path;
      EXPECT_FALSE(row->sentence.empty()) << row->path;
    }
  }
  EXPECT_GT(fields, 100u);
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
  } else if (field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
    r->AddFloat(message, field, 7);
  } else if (field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    r->AddInt32(message, field, 7);
  } else if (field->is_repeated()) {
    ASSERT_EQ(field->cpp_type(), FieldDescriptor::CPPTYPE_STRING) << field->full_name();
    r->AddString(message, field, "seven");
  } else if (field->message_type() != nullptr) {
    Message* one = r->MutableMessage(message, field);
    set_field(one, one->GetDescriptor()->field(0));
  } else {
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL: r->SetBool(message, field, true); break;
      case FieldDescriptor::CPPTYPE_INT32: r->SetInt32(message, field, 7); break;
      case FieldDescriptor::CPPTYPE_INT64: r->SetInt64(message, field, 7); break;
      case FieldDescriptor::CPPTYPE_DOUBLE: r->SetDouble(message, field, 7); break;
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

/// What a level, or the rewriter, switches on by itself would hide these.
void switch_passes_off(tensorflow::ConfigProto* config) {
  config->mutable_graph_options()->mutable_rewrite_options()->set_disable_meta_optimizer(true);
}

/// The options with one field set and without it; what does nothing here only in the first. No config, which has all of it.
std::pair<SessionOptions, SessionOptions> with_and_without(const OptionRow& row) {
  tensorflow::ConfigProto with, without;
  if (row.path.find("optimizer_options.do_") != absl::string_view::npos) {
    switch_passes_off(&with);
    switch_passes_off(&without);
  }
  const auto [message, field] = make_way(&with, std::string(row.path));
  set_field(message, field);
  auto changed = SessionOptions::from_config(with.SerializeAsString());
  auto plain = SessionOptions::from_config(without.SerializeAsString());
  EXPECT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(plain.ok()) << plain.status();
  changed->config = plain->config = "";
  return {*std::move(changed), *std::move(plain)};
}

TEST(OptionTable, reads_every_field_that_it_says_is_honoured) {
  for (const OptionRow* row : config_table().rows()) {
    if (row->use != OptionUse::kHonoured) continue;
    SCOPED_TRACE(row->path);
    const auto [changed, plain] = with_and_without(*row);
    // No pass is called "seven".
    const size_t said = row->path == "graph_options.rewrite_options.optimizers" ? 1 : 0;
    EXPECT_EQ(changed.without_meaning.size(), said);
    EXPECT_FALSE(changed == plain) << "it makes no difference";
  }
}

TEST(OptionTable, tells_of_every_field_that_does_nothing) {
  for (const OptionRow* row : config_table().rows()) {
    if (row->use != OptionUse::kWithoutMeaning) continue;
    SCOPED_TRACE(row->path);
    auto [changed, plain] = with_and_without(*row);
    EXPECT_THAT(changed.without_meaning, Contains(EndsWith(std::string(row->sentence))));
    changed.without_meaning.clear();
    EXPECT_TRUE(changed == plain) << "it makes a difference";
  }
}

TEST(OptionTable, tells_of_every_field_of_a_run_that_does_nothing) {
  for (const OptionRow* row : run_table().rows()) {
    SCOPED_TRACE(row->path);
    tensorflow::RunOptions proto;
    const auto [message, field] = make_way(&proto, std::string(row->path));
    set_field(message, field);
    const auto options = RunOptions::from_bytes(proto.SerializeAsString());
    ASSERT_TRUE(options.ok()) << options.status();
    if (row->use == OptionUse::kHonoured) {
      EXPECT_THAT(options->without_meaning, IsEmpty());
    } else {
      EXPECT_THAT(options->without_meaning, ElementsAre(EndsWith(std::string(row->sentence))));
    }
  }
}

TEST(OptionTable, refuses_what_is_out_of_range_and_says_what) {
  const std::pair<const char*, const char*> kBad[] = {
      {"intra_op_parallelism_threads: -3", "ConfigProto.intra_op_parallelism_threads is -3"},
      {"session_inter_op_thread_pool { num_threads: 2 } session_inter_op_thread_pool { num_threads: -1 }",
       "ConfigProto.session_inter_op_thread_pool.num_threads is -1"},
      {"global_io_parallelism_threads: -2", "ConfigProto.global_io_parallelism_threads is -2"},
  };
  for (const auto& [bad, said] : kBad) {
    const absl::Status status = SessionOptions::from_config_text(bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(status.message()), HasSubstr(said));
  }
}

TEST(OptionTable, refuses_numbers_that_are_no_value_of_their_enum) {
  tensorflow::ConfigProto c;
  auto* const optimizer = c.mutable_graph_options()->mutable_optimizer_options();
  optimizer->set_opt_level(static_cast<tensorflow::OptimizerOptions::Level>(7));
  absl::Status status = SessionOptions::from_config(c.SerializeAsString()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "ConfigProto.graph_options.optimizer_options.opt_level is 7, which is none of its "
            "values: L1 (0), L0 (-1)");
  // Who does not ask for what we have no meaning for need not know of it.
  optimizer->clear_opt_level();
  optimizer->set_global_jit_level(static_cast<tensorflow::OptimizerOptions::GlobalJitLevel>(7));
  EXPECT_TRUE(SessionOptions::from_config(c.SerializeAsString()).ok());
  tensorflow::RunOptions run;
  run.set_trace_level(static_cast<tensorflow::RunOptions::TraceLevel>(9));
  status = RunOptions::from_bytes(run.SerializeAsString()).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("RunOptions.trace_level is 9"));
  tensorflow::CallableOptions callable;
  *callable.mutable_run_options() = run;
  EXPECT_EQ(CallableOptions::from_bytes(callable.SerializeAsString()).status(), status);
}

TEST(OptionTable, names_what_is_set_and_does_nothing) {
  auto options = SessionOptions::from_config_text(
      "gpu_options { force_gpu_compatible: true allow_growth: true } allow_soft_placement: true experimental { use_tfrt: true "
      "executor_type: 'DEFAULT' } "
      "graph_options { rewrite_options { constant_folding: OFF layout_optimizer: ON optimizers: 'shape' "
      "optimizers: "
      "'common_subgraph_elimination' } } session_handle: 'mine'");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->without_meaning,
              ElementsAre(StartsWith("gpu_options.force_gpu_compatible: "),
                          StartsWith("graph_options.rewrite_options.layout_optimizer: "),
                          StartsWith("experimental.use_tfrt: "),
                          "graph_options.rewrite_options.optimizers: \"shape\" is "
                          "no pass of this planner."));
  EXPECT_FALSE(options->fold_constants);
  EXPECT_TRUE(options->merge_common_subexpressions);
  EXPECT_FALSE(options->take_known_branches || options->rewrite_arithmetic || options->bypass_identities ||
               options->fuse)
      << "not in the list";
  EXPECT_TRUE(options->optimize);
}

TEST(OptionTable, says_what_a_config_sets) {
  std::vector<std::string> said;
  for (const SetOption& option : config_table().set_in(
           config("device_count { key: 'CPU' value: 2 } operation_timeout_in_ms: 5 "
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
