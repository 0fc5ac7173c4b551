// Datasets of snapshots, through sessions.

#include <algorithm>

#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/devices/kernels/dataset/dataset_functions.h"

namespace troupe::test {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Snapshots : public DatasetKernels {
 protected:
  Snapshots() { add_functions(); }
  void add_functions() { functions(modulo_text("Parity", 2) + flatten_text()); }
  int snapshot(int input, const std::string& compression = "") {
    const auto call = [](const char* name) { return FunctionRef{name, std::make_shared<AttrMap>()}; };
    return op("SnapshotDatasetV2",
              with(elements(), {{"compression", compression},
                                {"reader_func", call("All")},
                                {"shard_func", call("Parity")},
                                {"Treader_func_args", Types{}},
                                {"Tshard_func_args", Types{}}}),
              {{input}, {text(folder_)}});
  }
  int legacy(int input, const AttrMap& more = {}) {
    return op("SnapshotDataset", with(elements(), more), {{input}, {text(folder_)}});
  }
  /// Names of what is in a folder.
  static Names in(const fs::path& folder) {
    Names names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  fs::path only_folder_in(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) return entry.path();
    }
    return {};
  }
};

TEST_F(Snapshots, are_written_once_and_then_read) {
  iterate(snapshot(range(5)));
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2, 3, 4)) << status_;
  EXPECT_EQ(status_.code(), absl::StatusCode::kOutOfRange) << status_;
  const fs::path one = only_folder_in(folder_), run = only_folder_in(one);
  EXPECT_THAT(in(one), UnorderedElementsAre("snapshot.metadata", run.filename()));
  EXPECT_THAT(in(run), ElementsAre("00000000.shard", "00000001.shard"));
  EXPECT_THAT(in(run / "00000001.shard"), ElementsAre("00000000.snapshot"));
  EXPECT_THAT(walk(), ElementsAre(0, 2, 4, 1, 3)) << "by shards";
  EXPECT_THAT(in(one).size(), 2) << "no second run";
}

TEST_F(Snapshots, that_did_not_end_are_written_again) {
  iterate(snapshot(range(5)));
  open();
  ASSERT_TRUE(run("make").ok());
  ASSERT_TRUE(next().ok());
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2, 3, 4)) << status_;
  EXPECT_THAT(walk(), ElementsAre(0, 2, 4, 1, 3));
}

TEST_F(Snapshots, of_other_pipelines_are_others) {
  for (const int64_t n : {5, 7}) {
    graph_ = Graph(&graph_.ops());
    add_functions();
    iterate(snapshot(range(n)));
    open();
    EXPECT_EQ(walk().size(), n) << status_;
  }
  EXPECT_EQ(in(folder_).size(), 2);
}

TEST_F(Snapshots, may_be_compressed) {
  for (const char* compression : {"GZIP", "SNAPPY", "AUTO"}) {
    graph_ = Graph(&graph_.ops());
    add_functions();
    fs::remove_all(folder_);
    iterate(snapshot(range(100), compression));
    open();
    ASSERT_EQ(walk().size(), 100) << compression << status_;
    auto again = walk();
    EXPECT_EQ(again.size(), 100) << compression << status_;
    EXPECT_EQ(again[1], 2);
    const fs::path file = only_folder_in(only_folder_in(folder_)) / "00000000.shard/00000000.snapshot";
    fs::resize_file(file, fs::file_size(file) - 3);
    EXPECT_LT(walk().size(), 100);
    EXPECT_EQ(status_.code(), absl::StatusCode::kDataLoss) << compression << status_;
  }
}

TEST_F(Snapshots, of_the_older_kind_follow_their_mode) {
  iterate(legacy(range(5), {{"shard_size_bytes", 1}}));
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2, 3, 4)) << status_;
  EXPECT_EQ(in(only_folder_in(only_folder_in(folder_))).size(), 5) << "each file is full with one";
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2, 3, 4)) << status_;
  fs::remove_all(folder_);
  graph_ = Graph(&graph_.ops());
  iterate(legacy(range(5), {{"mode", "passthrough"}}));
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(fs::exists(folder_));
  graph_ = Graph(&graph_.ops());
  iterate(legacy(range(5), {{"mode", "read"}}));
  add("wrong", "DatasetCardinality", {}, {{legacy(range(5), {{"mode", "sometimes"}})}});
  open();
  EXPECT_THAT(walk(), IsEmpty());
  EXPECT_EQ(status_.code(), absl::StatusCode::kNotFound) << status_;
  EXPECT_THAT(std::string(run("wrong").message()), HasSubstr("mode must be either"));
}

TEST_F(Snapshots, files_are_read_one_by_one) {
  const fs::path file = folder_ + "00000000.snapshot";
  add("save", "SaveDataset",
      {{"shard_func", FunctionRef{"Parity", std::make_shared<AttrMap>()}},
       {"use_shard_func", false},
       {"compression", "SNAPPY"},
       {"Tshard_func_args", Types{}}},
      {{range(6)}, {text(folder_ + "saved")}});
  const int chunk_file = placeholder("chunk", DataType::kString);
  iterate(op("SnapshotChunkDataset", with(elements(), {{"compression", "SNAPPY"}}), {{chunk_file}}));
  const int it = add("it2", "IteratorV2", with(elements(), {{"shared_name", ""}, {"container", ""}}));
  const int shard = placeholder("shard", DataType::kString);
  add("make2", "MakeIterator", {},
      {{op("SnapshotDatasetReader", with(elements(), {{"compression", "SNAPPY"}, {"version", 2}}),
           {{shard}, {number(4)}})},
       {it}});
  add("next2", "IteratorGetNext", elements(), {{it}});
  open();
  ASSERT_TRUE(run("save").ok()) << run("save");
  const fs::path folder = only_folder_in(folder_ + "saved") / "00000000.shard";
  const auto feed = [](const char* name, const std::string& path) {
    return std::vector<std::pair<std::string, Tensor>>{{name, Tensor::string_scalar(path)}};
  };
  ASSERT_TRUE(session_->run(feed("chunk", folder / "00000000.snapshot"), {}, {"make"}).ok());
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 2, 3, 4, 5)) << status_;
  ASSERT_TRUE(session_->run(feed("shard", folder), {}, {"make2"}).ok());
  EXPECT_THAT(numbers("next2"), ElementsAre(4, 5)) << status_;
}

TEST_F(Snapshots, chunks_are_listed_when_all_are_there) {
  fs::create_directories(folder_ + "chunks");
  for (const char* name : {"chunk_1_0_3", "chunk_0_1_3", "chunk_0_0_3"})
    std::ofstream(folder_ + "chunks/" + name) << "x";
  const AttrMap names = elements(DataType::kString);
  iterate(op("ListSnapshotChunksDataset", names, {{text(folder_)}}), names);
  open();
  ASSERT_TRUE(run("make").ok());
  std::ofstream(folder_ + "DONE") << "";
  for (const char* name : {"chunk_0_0_3", "chunk_1_0_3", "chunk_0_1_3"}) {
    const auto got = next();
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(fs::path((*got)[0].value<TString>().str()).filename(), name);
  }
  EXPECT_EQ(next().status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace troupe::test
