#include "actors/saved_model.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "proto/meta_graph.pb.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A table that is filled from an asset.
constexpr char kLookup[] = R"(
    node { name: 'file' op: 'Const' attr { key: 'dtype' value { type: DT_STRING } }
           attr { key: 'value' value { tensor { dtype: DT_STRING tensor_shape {} string_val: 'elsewhere' } } } }
    node { name: 'table' op: 'HashTableV2' attr { key: 'key_dtype' value { type: DT_STRING } }
           attr { key: 'value_dtype' value { type: DT_INT64 } } }
    node { name: 'fill' op: 'InitializeTableFromTextFileV2' input: 'table' input: 'file'
           attr { key: 'key_index' value { i: -2 } } attr { key: 'value_index' value { i: -1 } } }
    node { name: 'words' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } }
    node { name: 'default' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
           attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: -1 } } } }
    node { name: 'ids' op: 'LookupTableFindV2' input: 'table' input: 'words' input: 'default'
           attr { key: 'Tin' value { type: DT_STRING } } attr { key: 'Tout' value { type: DT_INT64 } } }
    versions { producer: 1882 })";
constexpr char kAsset[] = "asset_file_def { tensor_info { name: 'file:0' } filename: 'vocab.txt' }";

class SavedModelTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_ / "assets");
    std::ofstream(dir_ / "assets" / "vocab.txt") << "ape\nbee\ncat\n";
  }
  void TearDown() override { fs::remove_all(dir_); }

  /// One meta graph that serves, with `more` beside its graph.
  void write_model(const std::string& more) {
    std::ofstream(dir_ / "saved_model.pbtxt") << absl::StrCat(
        "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def {", kLookup,
        "} ", more, " }");
  }
  absl::StatusOr<LoadedModel> load(const std::vector<std::string>& tags = {"serve"}) {
    return load_saved_model(*runtime_, dir_.string(), tags);
  }
  void expect_error(const std::vector<std::string>& tags, absl::StatusCode code, const std::string& phrase) {
    const absl::StatusOr<LoadedModel> loaded = load(tags);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.status().code(), code) << loaded.status();
    EXPECT_THAT(std::string(loaded.status().message()), HasSubstr(phrase));
  }

  std::unique_ptr<Runtime> runtime_ = Runtime::create();
  fs::path dir_;
};

TEST_F(SavedModelTest, fills_a_table_from_an_asset_that_is_named_twice) {
  write_model(
      absl::StrCat(kAsset, " ", kAsset,
                   " collection_def { key: 'legacy_init_op' value { node_list { value: 'fill' } } }"));
  const absl::StatusOr<LoadedModel> loaded = load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->meta_graph->asset_file_def_size(), 2);
  const auto ids = loaded->session->run({{"words", Tensor::string_scalar("cat")}}, {"ids"});
  ASSERT_TRUE(ids.ok()) << ids.status();
  EXPECT_EQ((*ids)[0].flat<int64_t>()[0], 2);
}

TEST_F(SavedModelTest, wants_exactly_the_tags_of_a_meta_graph) {
  write_model("");
  EXPECT_TRUE(load({"serve"}).ok());
  EXPECT_TRUE(load({"serve", "serve"}).ok());
  expect_error({"train"}, absl::StatusCode::kNotFound,
               "Could not find meta graph def matching supplied tags: { train }");
  expect_error({}, absl::StatusCode::kNotFound, "Could not find meta graph def matching supplied tags: {  }");
}

TEST_F(SavedModelTest, says_what_is_wrong_with_a_folder) {
  expect_error({"serve"}, absl::StatusCode::kNotFound,
               absl::StrCat("Could not find SavedModel .pb or .pbtxt at supplied export directory path: ",
                            dir_.string(), "."));
  write_model(
      "collection_def { key: 'saved_model_main_op' value { node_list { value: 'fill' value: 'ids' } } }");
  expect_error({"serve"}, absl::StatusCode::kFailedPrecondition, "Expected exactly one main op in : ");
  write_model("collection_def { key: 'saved_model_main_op' value { node_list { value: 'nowhere' } } }");
  expect_error({"serve"}, absl::StatusCode::kNotFound, "nowhere");
}

}  // namespace
}  // namespace troupe
