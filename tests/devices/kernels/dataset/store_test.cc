// Datasets of snapshots, databases and records. Through sessions.

#include <sqlite3.h>

#include <algorithm>

#include "devices/cpu/kernels/shared/record_writer.h"
#include "tests/devices/kernels/dataset/dataset_fixture.h"

namespace troupe::test {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// --- snapshots ---

/// Parity(x) = x % 2; All(d): the elements of the datasets in d, one dataset after the other; Same(d).
constexpr char kFunctions[] = R"pb(
  function {
    signature {
      name: 'Parity'
      input_arg { name: 'x' type: DT_INT64 }
      output_arg { name: 'y' type: DT_INT64 }
    }
    node_def {
      name: 'two'
      op: 'Const'
      attr {
        key: 'dtype'
        value { type: DT_INT64 }
      }
      attr {
        key: 'value'
        value {
          tensor {
            dtype: DT_INT64
            tensor_shape {}
            int64_val: 2
          }
        }
      }
    }
    node_def {
      name: 'm'
      op: 'FloorMod'
      input: 'x'
      input: 'two:output:0'
      attr {
        key: 'T'
        value { type: DT_INT64 }
      }
    }
    ret { key: 'y' value: 'm:z:0' }
  }
  function {
    signature {
      name: 'Same'
      input_arg { name: 'd' type: DT_VARIANT }
      output_arg { name: 'y' type: DT_VARIANT }
    }
    ret { key: 'y' value: 'd' }
  }
  function {
    signature {
      name: 'All'
      input_arg { name: 'd' type: DT_VARIANT }
      output_arg { name: 'y' type: DT_VARIANT }
    }
    node_def {
      name: 'f'
      op: 'FlatMapDataset'
      input: 'd'
      attr {
        key: 'f'
        value { func { name: 'Same' } }
      }
      attr {
        key: 'Targuments'
        value { list {} }
      }
      attr {
        key: 'output_types'
        value { list { type: DT_INT64 } }
      }
      attr {
        key: 'output_shapes'
        value { list { shape {} } }
      }
    }
    ret { key: 'y' value: 'f:handle:0' }
  }
)pb";

class Snapshots : public DatasetKernels {
 protected:
  Snapshots() { functions(kFunctions); }
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
    functions(kFunctions);
    iterate(snapshot(range(n)));
    open();
    EXPECT_EQ(walk().size(), n) << status_;
  }
  EXPECT_EQ(in(folder_).size(), 2);
}

TEST_F(Snapshots, may_be_compressed) {
  for (const char* compression : {"GZIP", "SNAPPY", "AUTO"}) {
    graph_ = Graph(&graph_.ops());
    functions(kFunctions);
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

// --- databases ---

class Databases : public DatasetKernels {
 protected:
  Databases() : path_(folder_ + "t.db") {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db,
                           "create table s(id integer, name text, rate real);"
                           "insert into s values (1, 'a', 1.5), (300, 'b', -2.25), (3, null, null)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(db);
  }
  static AttrMap row(const Types& types) {
    return {{"output_types", types}, {"output_shapes", Shapes(types.size(), kScalar)}};
  }
  void query(const std::string& sql, const Types& types, const std::string& path) {
    graph_ = Graph(&graph_.ops());
    iterate(op("SqlDataset", row(types), {{text("sqlite")}, {text(path)}, {text(sql)}}), row(types));
    open();
    status_ = run("make");
    if (status_.ok()) status_ = next().status();
  }

  const std::string path_;
};

TEST_F(Databases, give_the_rows_of_a_query) {
  const AttrMap attrs = row({DataType::kInt8, DataType::kString, DataType::kDouble, DataType::kBool});
  iterate(op("SqlDataset", attrs,
             {{text("sqlite")}, {text(path_)}, {text("select id, name, rate, id from s order by id")}}),
          attrs);
  open();
  ASSERT_TRUE(run("make").ok()) << run("make");
  const auto fetch = [this] { return session_->run({}, {"next:0", "next:1", "next:2", "next:3"}); };
  auto got = fetch();
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)[0].value<int8_t>(), 1);
  EXPECT_EQ((*got)[1].value<TString>().str(), "a");
  EXPECT_EQ((*got)[2].value<double>(), 1.5);
  EXPECT_EQ((*got)[3].value<bool>(), true);
  got = fetch();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[1].value<TString>().str(), "") << "null";
  EXPECT_EQ((*got)[2].value<double>(), 0);
  got = fetch();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].value<int8_t>(), 44) << "300, cut";
  EXPECT_EQ(fetch().status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(Databases, report_what_is_wrong_with_a_query) {
  query("select id, name from s", {DataType::kInt64}, path_);
  EXPECT_THAT(
      std::string(status_.message()),
      HasSubstr("The number of columns in query (2) must match the number of elements in output_types (1)."));
  query("select id from nowhere", {DataType::kInt64}, path_);
  EXPECT_EQ(status_.code(), absl::StatusCode::kUnknown) << status_;
  EXPECT_THAT(std::string(status_.message()), HasSubstr("no such table: nowhere"));
  query("select id from s", {DataType::kFloat}, path_);
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
  query("select id from s", {DataType::kInt64}, folder_ + "none/t.db");
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
  query("", {DataType::kInt64}, path_);
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
}

// --- LMDB ---

/// A database of one leaf page: pairs in order.
std::string lmdb_of(const std::vector<std::pair<std::string, std::string>>& pairs) {
  constexpr size_t kPage = 4096;
  std::string file(3 * kPage, '\0');
  const auto put = [&file](size_t at, auto value) { std::memcpy(file.data() + at, &value, sizeof value); };
  for (uint64_t i = 0; i < 2; ++i) {
    const size_t meta = i * kPage;
    put(meta + 10, uint16_t{8});
    put(meta + 16, uint32_t{0xBEEFC0DE});
    put(meta + 20, uint32_t{1});
    put(meta + 40, static_cast<uint32_t>(kPage));
    put(meta + 128, i == 0 ? ~uint64_t{0} : uint64_t{2});
    put(meta + 144, i);
  }
  const size_t leaf = 2 * kPage;
  size_t end = kPage, list = 16;
  for (const auto& [key, value] : pairs) {
    end -= (8 + key.size() + value.size() + 1) & ~size_t{1};
    put(leaf + end, static_cast<uint32_t>(value.size()));
    put(leaf + end + 6, static_cast<uint16_t>(key.size()));
    std::memcpy(file.data() + leaf + end + 8, key.data(), key.size());
    std::memcpy(file.data() + leaf + end + 8 + key.size(), value.data(), value.size());
    put(leaf + list, static_cast<uint16_t>(end));
    list += 2;
  }
  put(leaf + 10, uint16_t{2});
  put(leaf + 12, static_cast<uint16_t>(list));
  put(leaf + 14, static_cast<uint16_t>(end));
  return file;
}

class Lmdb : public DatasetKernels {
 protected:
  void walk_file(const std::string& bytes) {
    std::ofstream(folder_ + "data.mdb", std::ios::binary) << bytes;
    const AttrMap pair = {{"output_types", Types{DataType::kString, DataType::kString}},
                          {"output_shapes", Shapes{kScalar, kScalar}}};
    graph_ = Graph(&graph_.ops());
    iterate(op("LMDBDataset", pair, {{text(folder_)}}), pair);
    open();
    status_ = run("make");
    found_.clear();
    while (status_.ok() && found_.size() < 1000) {
      const auto got = session_->run({}, {"next:0", "next:1"});
      status_ = got.status();
      if (got.ok()) {
        found_.push_back((*got)[0].value<TString>().str() + "=" + (*got)[1].value<TString>().str());
      }
    }
  }
  Names found_;
};

TEST_F(Lmdb, gives_keys_and_values) {
  walk_file(lmdb_of({{"a", "one"}, {"b", ""}, {"key", "three"}}));
  EXPECT_THAT(found_, ElementsAre("a=one", "b=", "key=three"));
  EXPECT_EQ(status_.code(), absl::StatusCode::kOutOfRange) << status_;
}

TEST_F(Lmdb, that_is_damaged_is_an_error) {
  walk_file("no database");
  EXPECT_EQ(status_.code(), absl::StatusCode::kInvalidArgument) << status_;
  const std::string sound = lmdb_of({{"a", "one"}, {"b", "two"}});
  // Every byte that matters, wrong in turn: errors or other values, but no crash.
  for (const size_t page : {size_t{0}, size_t{4096}, size_t{8192}}) {
    for (size_t i = 0; i < (page == 8192 ? 24 : 152); ++i) {
      std::string bytes = sound;
      bytes[page + i] = static_cast<char>(0xff);
      walk_file(bytes);
      EXPECT_FALSE(status_.ok());
    }
  }
  walk_file(sound.substr(0, 8192 + 100));
  EXPECT_FALSE(absl::IsOutOfRange(status_)) << status_;
}

TEST_F(Lmdb, is_read_by_a_reader_too) {
  std::ofstream(folder_ + "data.mdb", std::ios::binary) << lmdb_of({{"a", "one"}, {"b", "two"}});
  const int queue = add("q", "FIFOQueue", {{"component_types", Types{DataType::kString}}});
  add("fill", "QueueEnqueue", {{"Tcomponents", Types{DataType::kString}}}, {{queue}, {text(folder_)}});
  add("close", "QueueClose", {}, {{queue}});
  add("read", "ReaderRead", {}, {{add("reader", "LMDBReader", {})}, {queue}});
  open();
  ASSERT_TRUE(run("fill").ok());
  ASSERT_TRUE(run("close").ok());
  for (const std::string expected : {"a=one", "b=two"}) {
    const auto got = session_->run({}, {"read:0", "read:1"});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0].value<TString>().str() + "=" + (*got)[1].value<TString>().str(), expected);
  }
  const absl::Status end = session_->run({}, {"read:0", "read:1"}).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kOutOfRange) << end;
}

// --- shares ---

/// Lines(name): the lines of a file.
constexpr char kLines[] = R"pb(
  function {
    signature {
      name: 'Lines'
      input_arg { name: 'name' type: DT_STRING }
      output_arg { name: 'y' type: DT_VARIANT }
    }
    node_def {
      name: 'none'
      op: 'Const'
      attr {
        key: 'dtype'
        value { type: DT_STRING }
      }
      attr {
        key: 'value'
        value {
          tensor {
            dtype: DT_STRING
            tensor_shape {}
            string_val: ''
          }
        }
      }
    }
    node_def {
      name: 'zero'
      op: 'Const'
      attr {
        key: 'dtype'
        value { type: DT_INT64 }
      }
      attr {
        key: 'value'
        value {
          tensor {
            dtype: DT_INT64
            tensor_shape {}
            int64_val: 0
          }
        }
      }
    }
    node_def { name: 'l' op: 'TextLineDataset' input: 'name' input: 'none:output:0' input: 'zero:output:0' }
    ret { key: 'y' value: 'l:handle:0' }
  }
)pb";

class Shares : public DatasetKernels {
 protected:
  Shares() { functions(kLines); }
  static constexpr int64_t kFile = 1, kHint = 3;

  int auto_shard(int input, int64_t workers, int64_t index, int64_t policy,
                 DataType type = DataType::kString) {
    return op("AutoShardDataset", with(elements(type), {{"auto_shard_policy", policy}}),
              {{input}, {number(workers)}, {number(index)}});
  }
  /// Two lines of each of three files.
  int lines() {
    Names files;
    for (const char* name : {"a", "b", "c"}) {
      files.push_back(folder_ + name);
      std::ofstream(files.back()) << name << "1\n" << name << "2\n";
    }
    const int all = constant("files", strings(files));
    const int names =
        op("TensorSliceDataset",
           {{"Toutput_types", Types{DataType::kString}}, {"output_shapes", Shapes{kScalar}}}, {{all}});
    return op("FlatMapDataset",
              with(elements(DataType::kString),
                   {{"f", FunctionRef{"Lines", std::make_shared<AttrMap>()}}, {"Targuments", Types{}}}),
              {{names}});
  }
  Names texts() {
    Names all;
    for (status_ = run("make"); status_.ok();) {
      const auto got = next();
      status_ = got.status();
      if (got.ok()) all.push_back((*got)[0].value<TString>().str());
    }
    return all;
  }
};

TEST_F(Shares, of_files_are_whole_files) {
  iterate(auto_shard(lines(), 2, 0, 0), elements(DataType::kString));
  open();
  EXPECT_THAT(texts(), ElementsAre("a1", "a2", "c1", "c2")) << status_;
}

TEST_F(Shares, of_too_few_files_are_an_error) {
  iterate(auto_shard(lines(), 5, 1, kFile), elements(DataType::kString));
  add("numbers", "DatasetCardinality", {}, {{auto_shard(range(4), 2, 0, kFile, DataType::kInt64)}});
  add("workers", "DatasetCardinality", {}, {{auto_shard(range(4), 0, 0, 0, DataType::kInt64)}});
  open();
  EXPECT_THAT(texts(), IsEmpty());
  EXPECT_THAT(std::string(status_.message()), HasSubstr("Could not apply FILE based sharding"));
  EXPECT_EQ(run("numbers").code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(run("numbers").message()), HasSubstr("Found an unshardable source dataset"));
  EXPECT_THAT(std::string(run("workers").message()), HasSubstr("num_workers must be greater than zero."));
}

TEST_F(Shares, stand_where_hints_ask_for_them) {
  const int hint = op("ShardDataset", elements(), {{range(6)}, {number(-1)}, {number(-1)}});
  iterate(auto_shard(hint, 2, 1, kHint, DataType::kInt64));
  const int it = add("it2", "IteratorV2", with(elements(), {{"shared_name", ""}, {"container", ""}}));
  add("make2", "MakeIterator", {}, {{hint}, {it}});
  add("next2", "IteratorGetNext", elements(), {{it}});
  open();
  EXPECT_THAT(walk(), ElementsAre(1, 3, 5)) << status_;
  ASSERT_TRUE(run("make2").ok());
  EXPECT_EQ(run("next2").code(), absl::StatusCode::kFailedPrecondition) << run("next2");
}

// --- RecordInput ---

class RecordInputs : public DatasetKernels {
 protected:
  void write(const std::string& name, const Names& records) {
    RecordWriter writer;
    ASSERT_TRUE(writer.open(folder_ + name, ReaderFile::Compression::kNone).ok());
    for (const std::string& record : records) ASSERT_TRUE(writer.write(record).ok());
    ASSERT_TRUE(writer.commit().ok());
  }
  void open_records(const std::string& pattern, int64_t batch) {
    add("records", "RecordInput",
        {{"file_pattern", folder_ + pattern}, {"batch_size", batch}, {"file_buffer_size", 3}});
    open();
  }
  Names batch() {
    const auto got = session_->run({}, {"records"});
    status_ = got.status();
    Names all;
    if (got.ok()) {
      for (const TString& record : (*got)[0].flat<TString>()) all.push_back(record.str());
    }
    return all;
  }
};

TEST_F(RecordInputs, give_each_record_once_a_round) {
  write("a.rec", {"1", "2", "3"});
  write("b.rec", {"4", "5"});
  write("c.rec", {});
  open_records("*.rec", 5);
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(batch(), UnorderedElementsAre("1", "2", "3", "4", "5")) << status_;
  }
}

TEST_F(RecordInputs, need_files_with_records) {
  write("c.none", {});
  open_records("*.rec", 5);
  EXPECT_THAT(batch(), IsEmpty());
  EXPECT_EQ(status_.code(), absl::StatusCode::kNotFound) << status_;
  EXPECT_THAT(std::string(status_.message()), HasSubstr("Found no files at"));
  add("none", "RecordInput", {{"file_pattern", folder_ + "*.none"}});
  open();
  EXPECT_EQ(run("none").code(), absl::StatusCode::kNotFound) << run("none");
}

}  // namespace
}  // namespace troupe::test
