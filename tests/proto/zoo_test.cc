// Real files of many writers and releases must decode without a rest and survive a round trip.

#include "tests/proto/unread_parts.h"
#include "tests/proto/zoo_files.h"

#include "proto/config.pb.h"
#include "proto/control_flow.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/pb.h"
#include "proto/queue_runner.pb.h"
#include "proto/saved_model.pb.h"
#include "proto/variable.pb.h"

#include <gmock/gmock.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace troupe::proto_test {
namespace {

namespace fs = std::filesystem;
namespace gp = google::protobuf;
using testing::IsEmpty;

std::string encode(const gp::Message& message) {
  std::string bytes;
  {
    gp::io::StringOutputStream stream(&bytes);
    gp::io::CodedOutputStream output(&stream);
    output.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&output);
  }
  return bytes;
}

bool equal(const gp::Message& a, const gp::Message& b) {
  gp::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  gp::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  return differencer.Compare(a, b);
}

void check_file(const ZooFile& file) {
  SCOPED_TRACE(file.path);
  auto message = make_message(file);
  ASSERT_TRUE(decode(file, *message));
  EXPECT_THAT(unread_parts(*message), IsEmpty());

  const std::string bytes = encode(*message);
  auto again = make_message(file);
  ASSERT_TRUE(again->ParseFromString(bytes));
  EXPECT_TRUE(equal(*message, *again));
  EXPECT_EQ(bytes, encode(*again));
}

class ProtoZoo : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(shared_ / "data" / "manifest.tsv")) {
      GTEST_SKIP() << "no graph files at " << shared_ << " (set TROUPE_SHARED)";
    }
  }

  const fs::path shared_ = shared_folder();
};

TEST_F(ProtoZoo, files_of_the_manifest_survive_a_round_trip) {
  const auto files = manifest_files(shared_);
  ASSERT_GE(files.size(), 1300u);

  for (const ZooFile& file : files) {
    if (!broken_on_purpose(file) && !has_foreign_names(file)) check_file(file);
  }
}

TEST_F(ProtoZoo, files_broken_on_purpose_do_not_crash_the_decoder) {
  int tried = 0;
  for (const ZooFile& file : manifest_files(shared_)) {
    if (!broken_on_purpose(file)) continue;
    auto message = make_message(file);
    if (decode(file, *message)) encode(*message);
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

TEST_F(ProtoZoo, texts_with_foreign_names_are_refused) {
  int tried = 0;
  for (const ZooFile& file : manifest_files(shared_)) {
    if (!has_foreign_names(file)) continue;
    EXPECT_FALSE(decode(file, *make_message(file))) << file.path;
    ++tried;
  }
  EXPECT_EQ(tried, 3);
}

TEST_F(ProtoZoo, files_of_the_reference_cases_survive_a_round_trip) {
  const auto files = refcase_files(shared_);
  ASSERT_GE(files.size(), 3000u);

  for (const ZooFile& file : files) check_file(file);
}

TEST_F(ProtoZoo, configs_of_the_reference_cases_are_known) {
  int configs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shared_ / "refcases" / "scripts")) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path());
    const auto script = nlohmann::json::parse(file);
    if (!script.contains("config")) continue;
    pb::ConfigProto config;
    EXPECT_TRUE(gp::TextFormat::ParseFromString(script["config"], &config)) << entry.path();
    ++configs;
  }
  EXPECT_GT(configs, 0);
}

// Collections keep encoded messages as plain bytes, which the walk over a meta graph does not see.
template <typename Element>
int check_collection(const pb::MetaGraphDef& graph, const std::string& key) {
  const auto found = graph.collection_def().find(key);
  if (found == graph.collection_def().end()) return 0;
  for (const std::string& bytes : found->second.bytes_list().value()) {
    Element element;
    EXPECT_TRUE(element.ParseFromString(bytes)) << key;
    EXPECT_THAT(unread_parts(element), IsEmpty()) << key;
  }
  return found->second.bytes_list().value_size();
}

int check_collections(const pb::MetaGraphDef& graph) {
  return check_collection<pb::VariableDef>(graph, "variables") +
         check_collection<pb::VariableDef>(graph, "trainable_variables") +
         check_collection<pb::QueueRunnerDef>(graph, "queue_runners") +
         check_collection<pb::WhileContextDef>(graph, "while_context") +
         check_collection<pb::CondContextDef>(graph, "cond_context");
}

TEST_F(ProtoZoo, collections_decode_without_a_rest) {
  int elements = 0;
  for (const ZooFile& file : manifest_files(shared_)) {
    if (file.kind != "metagraph" && file.kind != "saved_model") continue;
    if (broken_on_purpose(file)) continue;
    SCOPED_TRACE(file.path);
    auto message = make_message(file);
    ASSERT_TRUE(decode(file, *message));
    if (file.kind == "metagraph") {
      elements += check_collections(dynamic_cast<const pb::MetaGraphDef&>(*message));
      continue;
    }
    for (const auto& graph : dynamic_cast<const pb::SavedModel&>(*message).meta_graphs()) {
      elements += check_collections(graph);
    }
  }
  EXPECT_GT(elements, 0);
}

}  // namespace
}  // namespace troupe::proto_test
