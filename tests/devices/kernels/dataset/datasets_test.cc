// Datasets that parse, save and load; packed elements. Through sessions. Expected values and bytes are TensorFlow
// 2.21's.

#include "proto/example.pb.h"
#include "tests/devices/kernels/dataset/dataset_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- examples ---

pb::Feature ints(const std::vector<int64_t>& v) {
  pb::Feature f;
  f.mutable_int64_list()->mutable_value()->Add(v.begin(), v.end());
  return f;
}
pb::Feature bytes(const std::vector<std::string>& v) {
  pb::Feature f;
  for (const std::string& s : v) f.mutable_bytes_list()->add_value(s);
  return f;
}
std::string example(const std::vector<std::pair<std::string, pb::Feature>>& features) {
  pb::Example e;
  for (const auto& [key, f] : features) (*e.mutable_features()->mutable_feature())[key] = f;
  return e.SerializeAsString();
}

class ParseDatasets : public DatasetKernels {
 protected:
  /// Two examples and one more, by twos: dense `a`, ragged `r`, sparse `b`, whose component stands between them.
  int examples() {
    const int all = constant(
        "examples",
        strings({example({{"a", ints({1, 2})}, {"b", bytes({"x"})}, {"r", ints({7, 8})}}),
                 example({{"a", ints({3, 4})}}), example({{"b", bytes({"y", "z"})}, {"r", ints({9})}})}));
    const int slices =
        op("TensorSliceDataset",
           {{"Toutput_types", Types{DataType::kString}}, {"output_shapes", Shapes{kScalar}}}, {{all}});
    return op("BatchDataset", elements(DataType::kString, PartialShape{-1}), {{slices}, {number(2)}});
  }
  static AttrMap attrs() {
    return {{"sparse_keys", Names{"b"}},
            {"dense_keys", Names{"a"}},
            {"ragged_keys", Names{"r"}},
            {"sparse_types", Types{DataType::kString}},
            {"Tdense", Types{DataType::kInt64}},
            {"dense_shapes", Shapes{PartialShape{2}}},
            {"ragged_value_types", Types{DataType::kInt64}},
            {"ragged_split_types", Types{DataType::kInt32}},
            {"output_types", Types{DataType::kInt64, DataType::kVariant, DataType::kVariant}},
            {"output_shapes", Shapes{PartialShape{-1, 2}, PartialShape{3}, kScalar}}};
  }
  void open_parsed(const std::string& kind, const Tensor& fallback, AttrMap given = attrs()) {
    const int filler = constant("default", fallback);
    const AttrMap components = {{"output_types", *given.find("output_types")},
                                {"output_shapes", *given.find("output_shapes")}};
    const int next = iterate(op(kind, given, {{examples()}, {number(1)}, {filler}}), components);
    add("sparse", "DeserializeSparse", {{"dtype", DataType::kString}, {"Tserialized", DataType::kVariant}},
        {{next, 1}});
    add("ragged", "RaggedTensorFromVariant",
        {{"input_ragged_rank", -1},
         {"output_ragged_rank", 1},
         {"Tvalues", DataType::kInt64},
         {"Tsplits", DataType::kInt32}},
        {{next, 2}});
    open();
  }
};

TEST_F(ParseDatasets, give_dense_sparse_and_ragged_components_in_the_order_of_keys) {
  open_parsed("ParseExampleDatasetV2", Tensor::vector<int64_t>({5, 6}));
  ASSERT_TRUE(run("make").ok());
  const auto got = session_->run({}, {"next", "sparse:0", "sparse:1", "sparse:2", "ragged:0", "ragged:1"});
  ASSERT_TRUE(got.ok()) << got.status();
  const auto& out = *got;
  EXPECT_EQ(out[0].shape(), (Shape{2, 2}));
  EXPECT_THAT(out[0].flat<int64_t>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(out[1].flat<int64_t>(), ElementsAre(0, 0));
  EXPECT_THAT(texts(out[2]), ElementsAre("x"));
  EXPECT_THAT(out[3].flat<int64_t>(), ElementsAre(2, 1));
  EXPECT_THAT(out[4].flat<int32_t>(), ElementsAre(0, 2, 2));
  EXPECT_THAT(out[5].flat<int64_t>(), ElementsAre(7, 8));
  const auto rest = session_->run({}, {"next", "sparse:1", "ragged:0"});
  ASSERT_TRUE(rest.ok()) << rest.status();
  EXPECT_THAT((*rest)[0].flat<int64_t>(), ElementsAre(5, 6)) << "the default";
  EXPECT_THAT(texts((*rest)[1]), ElementsAre("y", "z"));
  EXPECT_THAT((*rest)[2].flat<int32_t>(), ElementsAre(0, 1));
  EXPECT_EQ(next().status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(ParseDatasets, go_on_behind_a_batch_that_lacks_a_feature) {
  AttrMap given = attrs();
  given.set("dense_keys", Names{"b"});
  given.set("sparse_keys", Names{"a"});
  given.set("Tdense", Types{DataType::kString});
  given.set("sparse_types", Types{DataType::kInt64});
  given.set("dense_shapes", Shapes{PartialShape{2}});
  given.set("output_types", Types{DataType::kVariant, DataType::kString, DataType::kVariant});
  given.set("output_shapes", Shapes{PartialShape{3}, PartialShape{-1, 2}, kScalar});
  open_parsed("ParseExampleDataset", Tensor(DataType::kString, Shape{0}), given);
  ASSERT_TRUE(run("make").ok());
  const absl::Status missing = next("next:1").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(missing.message()),
              HasSubstr("Key: b, Index: 0.  Number of bytes values != expected.  Values size: 1"));
  const auto second = next("next:1");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(texts((*second)[0]), ElementsAre("y", "z"));
}

TEST_F(ParseDatasets, refuse_defaults_that_do_not_fit_when_they_are_made) {
  open_parsed("ParseExampleDatasetV2", Tensor::vector<int64_t>({5, 6, 7}));
  const absl::Status made = run("make");
  EXPECT_EQ(made.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(made.message()), HasSubstr("dense_shape"));
}

TEST_F(ParseDatasets, refuse_types_that_the_features_do_not_have) {
  AttrMap given = attrs();
  given.set("output_types", Types{DataType::kFloat, DataType::kVariant, DataType::kVariant});
  open_parsed("ParseExampleDatasetV2", Tensor::vector<int64_t>({5, 6}), given);
  EXPECT_THAT(std::string(run("make").message()), HasSubstr("Expected output_types[0] to be int64"));
}

// --- saved datasets ---

constexpr char kShardFunctions[] = R"pb(
  function {
    signature {
      name: 'Mod3'
      input_arg { name: 'x' type: DT_INT64 }
      output_arg { name: 'y' type: DT_INT64 }
    }
    node_def {
      name: 'three'
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
            int64_val: 3
          }
        }
      }
    }
    node_def {
      name: 'm'
      op: 'FloorMod'
      input: 'x'
      input: 'three:output:0'
      attr {
        key: 'T'
        value { type: DT_INT64 }
      }
    }
    ret { key: 'y' value: 'm:z:0' }
  }
  function {
    signature {
      name: 'Negative'
      input_arg { name: 'x' type: DT_INT64 }
      output_arg { name: 'y' type: DT_INT64 }
    }
    node_def {
      name: 'n'
      op: 'Neg'
      input: 'x'
      attr {
        key: 'T'
        value { type: DT_INT64 }
      }
    }
    ret { key: 'y' value: 'n:y:0' }
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
      name: 'Flat'
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

class SavedDatasets : public DatasetKernels {
 protected:
  SavedDatasets() { functions(kShardFunctions); }
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
                                {"reader_func", function("Flat")},
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
  const int wrong = op(
      "LoadDataset",
      with(elements(DataType::kFloat), {{"reader_func", function("Flat")}, {"Treader_func_args", Types{}}}),
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

// --- errors among the elements ---

class ErrorsAmong : public DatasetKernels {
 protected:
  ErrorsAmong() {
    functions(R"pb(
      function {
        signature {
          name: 'Parts'
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
          name: 'ten'
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
                int64_val: 10
              }
            }
          }
        }
        node_def {
          name: 's'
          op: 'Sub'
          input: 'x'
          input: 'two:output:0'
          attr {
            key: 'T'
            value { type: DT_INT64 }
          }
        }
        node_def {
          name: 'd'
          op: 'FloorDiv'
          input: 'ten:output:0'
          input: 's:z:0'
          attr {
            key: 'T'
            value { type: DT_INT64 }
          }
        }
        ret { key: 'y' value: 'd:z:0' }
      }
      function {
        signature {
          name: 'Batch9'
          input_arg { name: 'w' type: DT_VARIANT }
          output_arg { name: 'y' type: DT_VARIANT }
        }
        node_def {
          name: 'n'
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
                int64_val: 9
              }
            }
          }
        }
        node_def {
          name: 'b'
          op: 'BatchDataset'
          input: 'w'
          input: 'n:output:0'
          attr {
            key: 'output_types'
            value { list { type: DT_INT64 } }
          }
          attr {
            key: 'output_shapes'
            value { list { shape { dim { size: -1 } } } }
          }
        }
        ret { key: 'y' value: 'b:handle:0' }
      })pb");
  }
  /// 10 / (x - 2): -5, -10, an error, 10, 5, 3.
  int parts(int64_t n) { return mapped("MapDataset", "Parts", range(n), elements()); }
  int mapped(const std::string& kind, const std::string& f, int dataset, const AttrMap& out) {
    return op(kind, with(out, {{"f", FunctionRef{f, nullptr}}, {"Targuments", Types{}}}), {{dataset}});
  }
  int windows(int dataset, int64_t size, int64_t shift) {
    const int no = constant(absl::StrCat("no", graph_.num_ids()), Tensor::scalar<bool>(false));
    const int cut = op("WindowDataset", elements(DataType::kVariant),
                       {{dataset}, {number(size)}, {number(shift)}, {number(1)}, {no}});
    return mapped("FlatMapDataset", "Batch9", cut, elements(DataType::kInt64, PartialShape{-1}));
  }
  /// All elements as text, "!" for an error.
  std::string story(int dataset, const AttrMap& components = elements()) {
    iterate(dataset, components);
    open();
    EXPECT_TRUE(run("make").ok());
    std::string all;
    for (int i = 0; i < 12; ++i) {
      const auto got = next();
      if (absl::IsOutOfRange(got.status())) break;
      if (!all.empty()) all += " ";
      if (!got.ok()) all += "!";
      for (int64_t j = 0; got.ok() && j < (*got)[0].num_elements(); ++j)
        absl::StrAppend(&all, j > 0 ? "," : "", (*got)[0].flat<int64_t>()[static_cast<size_t>(j)]);
    }
    return all;
  }
};
const AttrMap kRows = {{"output_types", Types{DataType::kInt64}},
                       {"output_shapes", Shapes{PartialShape{-1}}}};

TEST_F(ErrorsAmong, are_not_counted_by_take) {
  EXPECT_EQ(story(op("TakeDataset", elements(), {{parts(6)}, {number(4)}})), "-5 -10 ! 10 5");
}
TEST_F(ErrorsAmong, make_skip_begin_again) {
  EXPECT_EQ(story(op("SkipDataset", elements(), {{parts(7)}, {number(3)}})), "! 2");
}
TEST_F(ErrorsAmong, spoil_all_windows_that_they_are_in) {
  EXPECT_EQ(story(windows(parts(6), 2, 1), kRows), "-5,-10 ! ! 10,5 5,3 3");
}
TEST_F(ErrorsAmong, are_left_out_of_sliding_windows) {
  const int sliding = op("SlidingWindowDataset", kRows, {{parts(6)}, {number(2)}, {number(1)}, {number(1)}});
  EXPECT_EQ(story(sliding, kRows), "-5,-10 ! -10,10 10,5 5,3");
}
TEST_F(ErrorsAmong, are_not_missed_between_windows) {
  EXPECT_EQ(story(windows(parts(8), 2, 3), kRows), "-5,-10 10,5 2,2");
}

// --- elements ---

TEST_F(DatasetKernels, pack_elements_and_unpack_them) {
  const int a = constant("a", Tensor::vector<int64_t>({1, 2, 3}));
  const int s = constant("s", strings({"abc", ""}));
  const int e = constant("e", Tensor(DataType::kFloat, Shape{0, 2}));
  const int packed =
      add("packed", "CompressElement",
          {{"input_types", Types{DataType::kInt64, DataType::kString, DataType::kFloat}}}, {{a}, {s}, {e}});
  auto unpack = [&](const std::string& name, Types types) {
    const Shapes shapes(types.size(), PartialShape());
    add(name, "UncompressElement", {{"output_types", std::move(types)}, {"output_shapes", shapes}},
        {{packed}});
  };
  unpack("all", {DataType::kInt64, DataType::kString, DataType::kFloat});
  unpack("fewer", {DataType::kInt64});
  unpack("others", {DataType::kInt32, DataType::kString, DataType::kFloat});
  open();
  const auto got = session_->run({}, {"all:0", "all:1", "all:2"});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT((*got)[0].flat<int64_t>(), ElementsAre(1, 2, 3));
  EXPECT_THAT(texts((*got)[1]), ElementsAre("abc", ""));
  EXPECT_EQ((*got)[2].shape(), (Shape{0, 2}));
  EXPECT_EQ(run("fewer").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(run("fewer").message()),
              HasSubstr("Expected 1 outputs from uncompress, but got 3"));
  EXPECT_THAT(std::string(run("others").message()),
              HasSubstr("Expected a tensor of type int32 but got a tensor of type int64"));
}

TEST_F(DatasetKernels, tell_the_size_of_batches) {
  const AttrMap rows = elements(DataType::kInt64, PartialShape{-1});
  auto batch = [&](int from, int64_t n) { return op("BatchDataset", rows, {{from}, {number(n)}}); };
  auto size = [&](const std::string& name, int dataset) { add(name, "ComputeBatchSize", {}, {{dataset}}); };
  const int twos = batch(range(9), 2);
  size("none", range(9));
  size("two", twos);
  size("taken", op("TakeDataset", rows, {{op("PrefetchDataset", rows, {{twos}, {number(1)}})}, {number(2)}}));
  size("nested", batch(twos, 3));
  size("alike", op("ConcatenateDataset", rows, {{twos}, {batch(range(4), 2)}}));
  size("unlike", op("ConcatenateDataset", rows, {{twos}, {batch(range(4), 3)}}));
  size("unknown", op("UnbatchDataset", elements(), {{twos}}));
  open();
  const auto got = session_->run({}, {"none", "two", "taken", "nested", "alike", "unlike", "unknown"});
  ASSERT_TRUE(got.ok()) << got.status();
  std::vector<int64_t> sizes;
  for (const Tensor& t : *got) sizes.push_back(t.value<int64_t>());
  EXPECT_THAT(sizes, ElementsAre(-1, 2, 2, 3, 2, -1, -1));
}

TEST_F(DatasetKernels, take_one_of_several_branches) {
  functions(kShardFunctions);
  auto chosen = [&](int64_t numerator, int64_t denominator) {
    return op("ChooseFastestBranchDataset",
              with(elements(), {{"Targuments", Types{}},
                                {"num_elements_per_branch", 3},
                                {"branches", std::vector<FunctionRef>{{"Same", nullptr}, {"Same", nullptr}}},
                                {"other_arguments_lengths", std::vector<int64_t>{0, 0}}}),
              {{range(4)}, {number(numerator)}, {number(denominator)}});
  };
  iterate(chosen(1, 1));
  add("bad", "DatasetCardinality", {}, {{chosen(0, 1)}});
  add("uneven", "DatasetCardinality", {}, {{chosen(1, 2)}});
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(std::string(run("bad").message()), HasSubstr("`ratio_numerator` must be greater than zero."));
  EXPECT_THAT(std::string(run("uneven").message()),
              HasSubstr("`num_elements_per_branch` must be divisible by `ratio_denominator`."));
}

TEST_F(DatasetKernels, refuse_to_sleep_backwards) {
  iterate(op("ExperimentalSleepDataset", elements(), {{range(4)}, {number(-1)}}));
  open();
  EXPECT_THAT(std::string(run("make").message()), HasSubstr("`sleep_microseconds` must be >= 0"));
}

TEST_F(DatasetKernels, refuse_numbers_of_calls_that_make_no_sense) {
  functions(R"(
    function { signature { name: 'Same' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_INT64 } }
               ret { key: 'y' value: 'x' } }
    function { signature { name: 'Upto' input_arg { name: 'x' type: DT_INT64 } output_arg { name: 'y' type: DT_VARIANT } }
      node_def { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_INT64 } }
                 attr { key: 'value' value { tensor { dtype: DT_INT64 tensor_shape {} int64_val: 1 } } } }
      node_def { name: 'r' op: 'RangeDataset' input: 'c:output:0' input: 'x' input: 'c:output:0'
                 attr { key: 'output_types' value { list { type: DT_INT64 } } }
                 attr { key: 'output_shapes' value { list { shape {} } } } }
      ret { key: 'y' value: 'r:handle:0' } })");
  auto calling = [&](const char* f) {
    return with(elements(), {{"f", FunctionRef{f, {}}}, {"Targuments", Types{}}});
  };
  std::vector<std::pair<std::string, std::string>> wrong;
  auto make = [&](int dataset, const std::string& error) {
    const std::string n = absl::StrCat(wrong.size());
    const int it = add("it" + n, "IteratorV2", with(elements(), {{"shared_name", ""}, {"container", ""}}));
    wrong.emplace_back(graph_.node(add("make" + n, "MakeIterator", {}, {{dataset}, {it}})).name, error);
  };
  for (int64_t calls : {0, -2}) {
    make(op("ParallelMapDatasetV2", calling("Same"), {{range(3)}, {number(calls)}}),
         "num_parallel_calls must be greater than zero.");
    make(op("ParallelInterleaveDatasetV2", calling("Upto"),
            {{range(3)}, {number(2)}, {number(1)}, {number(calls)}}),
         "num_parallel_calls must be greater than zero.");
  }
  const int32_t none = 0;
  make(op("ParallelMapDataset", calling("Same"), {{range(3)}, {constant("none", Tensor::scalar(none))}}),
       "num_parallel_calls must be greater than zero.");
  make(
      op("ParallelInterleaveDatasetV2", calling("Upto"), {{range(3)}, {number(1)}, {number(1)}, {number(2)}}),
      "However, `num_parallel_calls` is 2 and `cycle_length` is 1");
  make(op("ShuffleDataset", elements(), {{range(3)}, {number(-1)}, {number(0)}, {number(0)}}),
       "buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  iterate(op("ShuffleDataset", elements(), {{range(3)}, {number(-2)}, {number(1)}, {number(1)}}));
  open();
  for (const auto& [target, error] : wrong) {
    const absl::Status status = run(target);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << target;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(error)) << target;
  }
  EXPECT_THAT(walk(), testing::UnorderedElementsAre(0, 1, 2)) << "the whole input";
}

}  // namespace
}  // namespace troupe::test
