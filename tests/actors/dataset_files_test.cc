// Datasets that read and write files, through sessions.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/actors/dataset_pipelines.h"

namespace troupe::test {
namespace {

using namespace graph_text;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder that goes with the test.
class DatasetFiles : public DatasetTest {
 protected:
  ~DatasetFiles() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }
  std::vector<std::string> texts() {
    EXPECT_TRUE(run("make").ok());
    std::vector<std::string> all;
    while (true) {
      const auto got = session_->run({}, {"next"});
      if (!got.ok()) return all;
      all.push_back((*got)[0].value<TString>().str());
    }
  }
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      absl::StrCat("troupe_datasets_", ::getpid(), "_", ::testing::UnitTest::GetInstance()->random_seed());
};

TEST_F(DatasetFiles, keep_elements_in_files_and_in_memory) {
  file("x", "");
  const std::string prefix = (folder_ / "cache").string();
  open_text(pipeline(3,
                     text_node("none", "") + text_node("file", prefix) +
                         node("kept", "CacheDataset", {"range", "file"}, kInts) +
                         node("memory", "CacheDataset", {"kept", "none"}, kInts) +
                         node("twice", "RepeatDataset", {"memory", "two"}, kInts),
                     "twice"));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 2, 0, 1, 2));
  ASSERT_TRUE(std::filesystem::exists(prefix + ".index"));
  // Another dataset finds the files.
  open_text(pipeline(0, text_node("file", prefix) + node("kept", "CacheDataset", {"range", "file"}, kInts),
                     "kept"));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 2));
}

TEST_F(DatasetFiles, read_lines_of_one_file_after_the_other) {
  const std::string a = file("a", "one\r\ntwo\n\nlast"), b = file("b", "x\n");
  open_text(pipeline(0,
                     text_node("none", "") +
                         node("paths", "Const", {},
                              constant_attrs("DT_STRING", "dim { size: 2 }",
                                             "string_val: '" + a + "' string_val: '" + b + "'")) +
                         node("lines", "TextLineDataset", {"paths", "none", "zero"}),
                     "lines", elements("DT_STRING")));
  EXPECT_THAT(texts(), ElementsAre("one", "two", "", "last", "x"));
}

TEST_F(DatasetFiles, find_what_it_wrote_as_records) {
  file("x", "");
  const std::string path = (folder_ / "records").string();
  open_text(pipeline(
      0,
      text_node("none", "") + text_node("path", path) +
          node("words", "Const", {},
               constant_attrs("DT_STRING", "dim { size: 2 }", "string_val: 'first' string_val: ''")) +
          node("slices", "TensorSliceDataset", {"words"},
               attr("Toutput_types", "list { type: DT_STRING }") +
                   attr("output_shapes", "list { shape { unknown_rank: true } }")) +
          node("write", "DatasetToTFRecord", {"slices", "path", "none"}) +
          node("records", "TFRecordDataset", {"path", "none", "zero"}),
      "records", elements("DT_STRING")));
  ASSERT_TRUE(run("make").ok());
  const absl::Status missing = session_->run({}, {"next"}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound) << missing;
  ASSERT_TRUE(run("write").ok());
  EXPECT_THAT(texts(), ElementsAre("first", ""));
}

TEST_F(DatasetFiles, refuse_records_that_do_not_fill_their_file) {
  const std::string path = file("fixed", "HHaaabbbF");
  open_text(pipeline(0,
                     text_node("path", path) +
                         node("good", "FixedLengthRecordDataset", {"path", "two", "three", "one", "zero"}) +
                         node("bad", "FixedLengthRecordDataset", {"path", "two", "four", "one", "zero"}) +
                         node("both", "ConcatenateDataset", {"good", "bad"}, elements("DT_STRING")),
                     "both", elements("DT_STRING")));
  EXPECT_THAT(texts(), ElementsAre("aaa", "bbb"));
  EXPECT_THAT(
      std::string(run("next").message()),
      HasSubstr("has body length 6 bytes, which is not an exact multiple of the record length (4 bytes)."));
}

TEST_F(DatasetFiles, read_fields_with_quotes_and_defaults) {
  const std::string path = file("csv", "a,b\n1,\"x,\"\"y\n z\"\n,plain\n7\nx,y\n");
  const std::string types =
      attr("output_types", "list { type: DT_INT64 type: DT_STRING }") +
      attr("output_shapes", "list { shape { unknown_rank: true } shape { unknown_rank: true } }");
  open_text(pipeline(
      0,
      text_node("none", "") + text_node("comma", ",") + text_node("path", path) + flag("yes", true) +
          node("all", "Const", {}, constant_attrs("DT_INT64", "dim { size: 0 }", "")) +
          node("default", "Const", {}, constant_attrs("DT_INT64", "dim { size: 1 }", "int64_val: -5")) +
          node("needed", "Const", {}, constant_attrs("DT_STRING", "dim { size: 0 }", "")) +
          node("csv", "CSVDataset",
               {"path", "none", "four", "yes", "comma", "yes", "none", "all", "default", "needed"}, types),
      "csv", types));
  ASSERT_TRUE(run("make").ok());
  auto row = session_->run({}, {"next:0", "next:1"});
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ((*row)[0].value<int64_t>(), 1);
  EXPECT_EQ((*row)[1].value<TString>().str(), "x,\"y\n z");
  row = session_->run({}, {"next:0", "next:1"});
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ((*row)[0].value<int64_t>(), -5);
  EXPECT_THAT(std::string(run("next").message()), HasSubstr("Expect 2 fields but have 1 in record"));
  EXPECT_THAT(std::string(run("next").message()), HasSubstr("Field 0 in record is not a valid int64: x"));
  EXPECT_EQ(run("next").code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace troupe::test
