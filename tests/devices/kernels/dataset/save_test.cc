// Datasets that are saved and loaded, through sessions. Expected bytes are TensorFlow 2.21's.

#include <algorithm>

#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/devices/kernels/dataset/dataset_functions.h"
#include "tests/support/graph_text.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SavedDatasets : public DatasetKernels {
 protected:
  SavedDatasets() {
    functions(modulo_text("Mod3", 3) + flatten_text() +
              graph_text::int64_function("Negative", graph_text::body("n", "Neg", {"x"}, graph_text::kT64),
                                         "n:y:0"));
  }
  static FunctionRef function(const std::string& name) { return {name, nullptr}; }
  AttrMap save_attrs(const std::string& shard, const std::string& compression = "") {
    return {{"compression", compression},
            {"shard_func", function(shard)},
            {"use_shard_func", true},
            {"Tshard_func_args", Types{}}};
  }
  void save(int dataset, const std::string& path, const std::string& shard = "Mod3",
            const std::string& compression = "") {
    add("save", "SaveDataset", save_attrs(shard, compression), {{dataset}, {text(path)}});
  }
  int load(const std::string& path, const std::string& compression = "") {
    return op("LoadDataset",
              with(elements(), {{"compression", compression},
                                {"reader_func", function("All")},
                                {"Treader_func_args", Types{}}}),
              {{text(path)}});
  }
  /// The files of the run in the folder, by shard.
  std::vector<std::string> shard_files(const std::string& path) {
    std::vector<std::string> files;
    for (const auto& e : std::filesystem::recursive_directory_iterator(path)) {
      if (e.path().extension() == ".snapshot") files.push_back(e.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
};

TEST_F(SavedDatasets, are_loaded_shard_by_shard) {
  save(range(7), folder_ + "a");
  iterate(load(folder_ + "a"));
  open();
  EXPECT_EQ(run("make").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(run("make").message()),
              HasSubstr("Could not find metadata file [" + folder_ + "a]"));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run("save").ok()) << run("save");
    EXPECT_THAT(walk(), ElementsAre(0, 3, 6, 1, 4, 2, 5));
    EXPECT_EQ(status_.code(), absl::StatusCode::kOutOfRange);
  }
}

TEST_F(SavedDatasets, stand_in_the_files_that_tensorflow_writes) {
  save(range(7), folder_ + "a");
  open();
  ASSERT_TRUE(run("save").ok());
  const auto files = shard_files(folder_ + "a");
  ASSERT_EQ(files.size(), 3u);
  EXPECT_THAT(files[1], HasSubstr("/00000001.shard/00000000.snapshot"));
  const char second[] =
      "\x0e\0\0\0\0\0\0\0\xc5\xe5i?\x08\t\x12\0\"\x08\x01\0\0\0\0\0\0\0\xa0\xbd\xdfT"
      "\x0e\0\0\0\0\0\0\0\xc5\xe5i?\x08\t\x12\0\"\x08\x04\0\0\0\0\0\0\0\x63\xedJ\xef";
  EXPECT_EQ(bytes_of(files[1]), std::string(second, sizeof second - 1));
  const std::string metadata = bytes_of(folder_ + "a/snapshot.metadata");
  EXPECT_EQ(metadata[0], '\x12');
  // Version 2, a component of int64, seven elements, finished.
  EXPECT_THAT(metadata, testing::EndsWith("\x20\x02*\x01\x09\x30\x07\xc0\x3e\x01"));
}

TEST_F(SavedDatasets, are_compressed_with_gzip) {
  save(range(300), folder_ + "a", "Mod3", "GZIP");
  iterate(load(folder_ + "a", "GZIP"));
  open();
  ASSERT_TRUE(run("save").ok());
  EXPECT_EQ(bytes_of(shard_files(folder_ + "a")[0]).substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(walk().size(), 300u);
}

TEST_F(SavedDatasets, are_read_as_they_are_and_not_as_they_are_wanted) {
  save(range(3), folder_ + "a");
  const int wrong =
      op("LoadDataset",
         with(elements(DataType::kFloat), {{"reader_func", function("All")}, {"Treader_func_args", Types{}}}),
         {{text(folder_ + "a")}});
  iterate(wrong, elements(DataType::kFloat));
  open();
  ASSERT_TRUE(run("save").ok());
  ASSERT_TRUE(run("make").ok());
  EXPECT_THAT(std::string(next().status().message()),
              HasSubstr("Data type mismatch at component 0: expected float but got int64."));
}

TEST_F(SavedDatasets, that_are_damaged_are_errors) {
  save(range(7), folder_ + "a");
  iterate(load(folder_ + "a"));
  open();
  ASSERT_TRUE(run("save").ok());
  const std::string file = shard_files(folder_ + "a")[0];
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
  EXPECT_LT(walk().size(), 7u);
  EXPECT_EQ(status_.code(), absl::StatusCode::kDataLoss) << status_;
  std::ofstream(folder_ + "a/snapshot.metadata") << "\x12\x7fshort";
  EXPECT_EQ(run("make").code(), absl::StatusCode::kDataLoss);
}

TEST_F(SavedDatasets, need_shards_that_are_not_negative) {
  save(range(3), folder_ + "a", "Negative");
  open();
  EXPECT_EQ(run("save").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(shard_files(folder_ + "a").empty()) << "nothing half done";
}

TEST_F(SavedDatasets, are_written_while_they_are_walked) {
  const int through =
      op("SaveDatasetV2", with(save_attrs("Mod3"), elements()), {{range(4)}, {text(folder_ + "a")}});
  iterate(through);
  const int it = add("it2", "IteratorV2", with(elements(), {{"shared_name", ""}, {"container", ""}}));
  add("make2", "MakeIterator", {}, {{load(folder_ + "a")}, {it}});
  add("next2", "IteratorGetNext", elements(), {{it}});
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2, 3));
  ASSERT_TRUE(run("make2").ok());
  EXPECT_THAT(numbers("next2"), ElementsAre(0, 3, 1, 2));
}

}  // namespace
}  // namespace troupe::test
