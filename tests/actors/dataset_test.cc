// Whole pipelines of datasets, through sessions. Random orders are TensorFlow 2.21's.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <future>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string attr(const std::string& key, const std::string& value) {
  return absl::StrCat("attr { key: '", key, "' value { ", value, " } } ");
}
std::string node_of(const std::string& kind, const std::string& name, const std::string& op,
                    const std::vector<std::string>& inputs, const std::string& attrs) {
  std::string text = absl::StrCat(kind, " { name: '", name, "' op: '", op, "' ");
  for (const std::string& input : inputs) absl::StrAppend(&text, "input: '", input, "' ");
  return absl::StrCat(text, attrs, " } ");
}
std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attrs = "") {
  return node_of("node", name, op, inputs, attrs);
}
std::string body(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attrs = "") {
  return node_of("node_def", name, op, inputs, attrs);
}
std::string constant_attrs(const std::string& type, const std::string& shape, const std::string& values) {
  return attr("dtype", "type: " + type) +
         attr("value",
              absl::StrCat("tensor { dtype: ", type, " tensor_shape { ", shape, " } ", values, " }"));
}
std::string int64_attrs(int64_t value) {
  return constant_attrs("DT_INT64", "", absl::StrCat("int64_val: ", value));
}
std::string number(const std::string& name, int64_t value) {
  return node(name, "Const", {}, int64_attrs(value));
}
std::string flag(const std::string& name, bool value) {
  return node(name, "Const", {}, constant_attrs("DT_BOOL", "", value ? "bool_val: true" : "bool_val: false"));
}
std::string text_node(const std::string& name, const std::string& value) {
  return node(name, "Const", {}, constant_attrs("DT_STRING", "", "string_val: '" + value + "'"));
}
std::string elements(const std::string& type, const std::string& shape = "unknown_rank: true") {
  return attr("output_types", "list { type: " + type + " }") +
         attr("output_shapes", "list { shape { " + shape + " } }");
}
const std::string kInts = elements("DT_INT64");
const std::string kT64 = attr("T", "type: DT_INT64");
const std::string kNoCaptures = attr("Targuments", "list {}");
std::string func(const std::string& key, const std::string& name) {
  return attr(key, "func { name: '" + name + "' }");
}

/// Numbers from 0 to `count`, the stages, and an iterator over the one that is called `last`.
std::string pipeline(int64_t count, const std::string& stages, const std::string& last,
                     const std::string& types = kInts) {
  return number("zero", 0) + number("one", 1) + number("two", 2) + number("three", 3) + number("four", 4) +
         number("count", count) +
         node("range", "RangeDataset", {"zero", "count", "one"}, elements("DT_INT64", "")) + stages +
         node("it", "IteratorV2", {}, attr("shared_name", "s: ''") + attr("container", "s: ''") + types) +
         node("make", "MakeIterator", {last, "it"}) + node("next", "IteratorGetNext", {"it"}, types);
}

std::string function(const std::string& name, const std::string& inputs, const std::string& output_type,
                     const std::string& nodes, const std::string& output) {
  return absl::StrCat("function { signature { name: '", name, "' ", inputs,
                      " output_arg { name: 'y' type: ", output_type, " } } ", nodes,
                      " ret { key: 'y' value: '", output, "' } } ");
}
const std::string kX = "input_arg { name: 'x' type: DT_INT64 }";
const std::string kKeyAndWindow =
    "input_arg { name: 'k' type: DT_INT64 } input_arg { name: 'w' type: DT_VARIANT }";

/// Mod2(x), Below3(x), Count(x): the numbers below x; WindowSize(k): k + 2; Pairs(k, w): batches of two of the
/// window; SumUp(s, x): (s + x, s); Plus(s, x).
std::string library() {
  std::string text = "library { ";
  text += function(
      "Mod2", kX, "DT_INT64",
      body("two", "Const", {}, int64_attrs(2)) + body("m", "FloorMod", {"x", "two:output:0"}, kT64), "m:z:0");
  text += function(
      "Below3", kX, "DT_BOOL",
      body("three", "Const", {}, int64_attrs(3)) + body("b", "Less", {"x", "three:output:0"}, kT64), "b:z:0");
  text += function(
      "Count", kX, "DT_VARIANT",
      body("zero", "Const", {}, int64_attrs(0)) + body("one", "Const", {}, int64_attrs(1)) +
          body("r", "RangeDataset", {"zero:output:0", "x", "one:output:0"}, elements("DT_INT64", "")),
      "r:handle:0");
  text += function("WindowSize", "input_arg { name: 'k' type: DT_INT64 }", "DT_INT64",
                   body("two", "Const", {}, int64_attrs(2)) + body("s", "AddV2", {"k", "two:output:0"}, kT64),
                   "s:z:0");
  text += function("Pairs", kKeyAndWindow, "DT_VARIANT",
                   body("two", "Const", {}, int64_attrs(2)) +
                       body("b", "BatchDataset", {"w", "two:output:0"}, kInts),
                   "b:handle:0");
  text += "function { signature { name: 'SumUp' input_arg { name: 's' type: DT_INT64 } " + kX +
          " output_arg { name: 'state' type: DT_INT64 } output_arg { name: 'out' type: DT_INT64 } } " +
          body("sum", "AddV2", {"s", "x"}, kT64) +
          " ret { key: 'state' value: 'sum:z:0' } ret { key: 'out' value: 's' } } ";
  text += function("Plus", "input_arg { name: 's' type: DT_INT64 } " + kX, "DT_INT64",
                   body("sum", "AddV2", {"s", "x"}, kT64), "sum:z:0");
  text +=
      function("Batch9", "input_arg { name: 'w' type: DT_VARIANT }", "DT_VARIANT",
               body("n", "Const", {}, int64_attrs(9)) + body("b", "BatchDataset", {"w", "n:output:0"}, kInts),
               "b:handle:0");
  text +=
      function("Row", kX, "DT_INT64",
               body("zero", "Const", {}, int64_attrs(0)) + body("one", "Const", {}, int64_attrs(1)) +
                   body("r", "Range", {"zero:output:0", "x", "one:output:0"}, attr("Tidx", "type: DT_INT64")),
               "r:output:0");
  text +=
      function("Draw", kX, "DT_INT64",
               body("shape", "Const", {}, constant_attrs("DT_INT32", "dim { size: 0 }", "")) +
                   body("low", "Const", {}, int64_attrs(0)) + body("high", "Const", {}, int64_attrs(1000)) +
                   body("r", "RandomUniformInt", {"shape:output:0", "low:output:0", "high:output:0"},
                        attr("T", "type: DT_INT32") + attr("Tout", "type: DT_INT64") + attr("seed", "i: 5") +
                            attr("seed2", "i: 7")),
               "r:output:0");
  text += function("CallDraw", kX, "DT_INT64",
                   body("c", "StatefulPartitionedCall", {"x"},
                        attr("Tin", "list { type: DT_INT64 }") + attr("Tout", "list { type: DT_INT64 }") +
                            attr("f", "func { name: 'DrawAlone' }")),
                   "c:output:0");
  text += function("DrawAlone", kX, "DT_INT64", body("d", "Draw", {"x"}), "d:y:0");
  text.insert(text.rfind("} "), " attr { key: '_noinline' value { b: true } } ");
  text += function("Draws", kX, "DT_VARIANT",
                   body("two", "Const", {}, int64_attrs(2)) +
                       body("t", "TensorDataset", {"x"},
                            attr("Toutput_types", "list { type: DT_INT64 }") +
                                attr("output_shapes", "list { shape { } }")) +
                       body("r", "RepeatDataset", {"t:handle:0", "two:output:0"}, elements("DT_INT64", "")) +
                       body("m", "MapDataset", {"r:handle:0"}, kNoCaptures + func("f", "Draw") + kInts),
                   "m:handle:0");
  text += function("Hang", "input_arg { name: 'x' type: DT_FLOAT }", "DT_FLOAT", body("h", "TestHang", {"x"}),
                   "h:z:0");
  return text + "} versions { producer: 1882 } ";
}

class DatasetTest : public SessionTest {
 protected:
  Session& open_text(const std::string& nodes) {
    tensorflow::GraphDef def;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(nodes + library(), &def)) << nodes;
    session_ = *Session::open(*runtime_);
    const absl::Status created = session_->create(def);
    EXPECT_TRUE(created.ok()) << created;
    return *session_;
  }
  absl::Status run(const std::string& target, const std::vector<NamedTensor>& feeds = {}) {
    return session_->run(feeds, {}, {target}).status();
  }
  /// Makes the iterator, and fetches `next` to the end; all numbers, flat.
  std::vector<int64_t> numbers(size_t most = 1000) {
    const absl::Status made = run("make");
    EXPECT_TRUE(made.ok()) << made;
    std::vector<int64_t> all;
    while (all.size() < most) {
      const auto got = session_->run({}, {"next"});
      if (!got.ok()) {
        EXPECT_EQ(got.status().code(), absl::StatusCode::kOutOfRange) << got.status();
        EXPECT_THAT(std::string(got.status().message()), HasSubstr("End of sequence"));
        break;
      }
      const auto values = (*got)[0].flat<int64_t>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }
};

TEST_F(DatasetTest, shuffle_by_a_shared_generator_as_its_seeds_say) {
  open_text(pipeline(5,
                     node("g", "DummySeedGenerator", {}) +
                         node("mixed", "ShuffleDatasetV3", {"range", "three", "three", "four", "g"}, kInts) +
                         node("twice", "RepeatDataset", {"mixed", "two"}, kInts),
                     "twice"));
  for (int i = 0; i < 2; ++i) EXPECT_THAT(numbers(), ElementsAre(2, 1, 0, 4, 3, 1, 3, 0, 2, 4));
}

TEST_F(DatasetTest, shuffle_and_repeat_with_other_numbers_each_time) {
  open_text(pipeline(
      5,
      node("g", "DummySeedGenerator", {}) +
          node("mixed", "ShuffleAndRepeatDatasetV2", {"range", "three", "three", "four", "two", "g"}, kInts),
      "mixed"));
  for (int i = 0; i < 2; ++i) EXPECT_THAT(numbers(), ElementsAre(2, 1, 0, 4, 3, 1, 3, 0, 2, 4));
}

TEST_F(DatasetTest, share_a_generator_of_seeds_through_its_handle) {
  open_text(pipeline(5,
                     flag("yes", true) + node("g", "AnonymousSeedGenerator", {"three", "four", "yes"}) +
                         node("mixed", "ShuffleDatasetV2", {"range", "three", "g"}, kInts),
                     "mixed"));
  EXPECT_THAT(numbers(), ElementsAre(2, 1, 0, 4, 3));
}

TEST_F(DatasetTest, sample_with_the_numbers_of_a_seed) {
  open_text(pipeline(20,
                     node("rate", "Const", {}, constant_attrs("DT_FLOAT", "", "float_val: 0.4")) +
                         node("some", "SamplingDataset", {"range", "rate", "three", "four"}, kInts),
                     "some"));
  EXPECT_THAT(numbers(), ElementsAre(1, 6, 8, 10, 13, 15, 16, 17));
}

TEST_F(DatasetTest, give_random_numbers_without_end) {
  open_text(pipeline(0, node("random", "RandomDataset", {"three", "four"}, kInts), "random"));
  EXPECT_THAT(numbers(4), ElementsAre(1995848961, 2377083460, 192503441, 2649255194));
}

TEST_F(DatasetTest, cut_windows_that_leave_gaps) {
  open_text(pipeline(
      9,
      flag("no", false) +
          node("windows", "WindowDataset", {"range", "two", "four", "one", "no"}, elements("DT_VARIANT")) +
          node("flat", "FlatMapDataset", {"windows"}, func("f", "Batch9") + kNoCaptures + kInts),
      "flat"));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 4, 5, 8));
}

TEST_F(DatasetTest, slide_windows_with_a_stride) {
  open_text(pipeline(8,
                     node("windows", "SlidingWindowDataset", {"range", "two", "one", "three"},
                          attr("drop_remainder", "b: true") + kInts),
                     "windows"));
  EXPECT_THAT(numbers(), ElementsAre(0, 3, 1, 4, 2, 5, 3, 6, 4, 7));
}

TEST_F(DatasetTest, batch_batches_anew) {
  open_text(pipeline(10,
                     flag("no", false) + node("fours", "BatchDataset", {"range", "four"}, kInts) +
                         node("threes", "RebatchDatasetV2", {"fours", "three", "no"}, kInts),
                     "threes"));
  ASSERT_TRUE(run("make").ok());
  for (const int64_t rows : {3, 3, 3, 1}) EXPECT_EQ((*session_->run({}, {"next"}))[0].shape(), Shape({rows}));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(DatasetTest, pad_batches_to_their_longest_row) {
  open_text(pipeline(
      4,
      flag("no", false) + number("minus", -1) +
          node("shape", "Const", {}, constant_attrs("DT_INT64", "dim { size: 1 }", "int64_val: -1")) +
          node("rows", "MapDataset", {"range"}, func("f", "Row") + kNoCaptures + kInts) +
          node("padded", "PaddedBatchDatasetV2", {"rows", "two", "shape", "minus", "no"},
               attr("Toutput_types", "list { type: DT_INT64 }") + attr("N", "i: 1") +
                   attr("output_shapes", "list { shape { unknown_rank: true } }")),
      "padded"));
  EXPECT_THAT(numbers(), ElementsAre(-1, 0, 0, 1, -1, 0, 1, 2));
}

TEST_F(DatasetTest, interleave_blocks_of_what_a_function_makes) {
  open_text(pipeline(
      5,
      node("mixed", "InterleaveDataset", {"range", "two", "two"}, func("f", "Count") + kNoCaptures + kInts),
      "mixed"));
  EXPECT_THAT(numbers(), ElementsAre(0, 0, 1, 0, 1, 2, 0, 1, 2, 3));
}

TEST_F(DatasetTest, group_by_keys_and_windows) {
  open_text(pipeline(8,
                     node("groups", "GroupByWindowDataset", {"range"},
                          func("key_func", "Mod2") + func("reduce_func", "Pairs") +
                              func("window_size_func", "WindowSize") +
                              attr("Tkey_func_other_arguments", "list {}") +
                              attr("Treduce_func_other_arguments", "list {}") +
                              attr("Twindow_size_func_other_arguments", "list {}") + kInts),
                     "groups"));
  // Windows of two for even numbers, of three for odd ones; the rest by key at the end.
  EXPECT_THAT(numbers(), ElementsAre(0, 2, 1, 3, 5, 4, 6, 7));
}

TEST_F(DatasetTest, carry_a_state_along_and_reduce) {
  open_text(pipeline(
      5,
      node("sums", "ScanDataset", {"range", "zero"},
           func("f", "SumUp") + attr("Tstate", "list { type: DT_INT64 }") + kNoCaptures + kInts) +
          node("sum", "ReduceDataset", {"range", "three"},
               func("f", "Plus") + attr("Tstate", "list { type: DT_INT64 }") + kNoCaptures + kInts) +
          node("few", "TakeWhileDataset", {"range"}, func("predicate", "Below3") + kNoCaptures + kInts) +
          node("how_many", "DatasetCardinality", {"sums"}) +
          node("single", "DatasetToSingleElement", {"few"}, kInts),
      "sums"));
  EXPECT_THAT(numbers(), ElementsAre(0, 0, 1, 3, 6));
  EXPECT_EQ((*session_->run({}, {"sum"}))[0].value<int64_t>(), 13);
  EXPECT_EQ((*session_->run({}, {"how_many"}))[0].value<int64_t>(), -2);
  EXPECT_THAT(std::string(run("single").message()), HasSubstr("Dataset had more than one element."));
}

TEST_F(DatasetTest, choose_from_datasets_as_a_selector_says) {
  open_text(pipeline(3,
                     node("twos", "RepeatDataset", {"range", "two"}, kInts) +
                         node("other", "SkipDataset", {"range", "one"}, kInts) +
                         node("chosen", "DirectedInterleaveDataset", {"twos", "range", "other", "range"},
                              attr("N", "i: 3") + attr("stop_on_empty_dataset", "b: false") + kInts),
                     "chosen"));
  EXPECT_THAT(numbers(), ElementsAre(0, 1, 0, 1, 2, 1));
}

TEST_F(DatasetTest, share_out_and_count_on_a_cardinality) {
  open_text(pipeline(10,
                     node("shard", "ShardDataset", {"range", "three", "one"}, kInts) +
                         node("checked", "AssertCardinalityDataset", {"shard", "four"}, kInts) +
                         node("wrong", "ShardDataset", {"range", "three", "three"}, kInts),
                     "checked"));
  ASSERT_TRUE(run("make").ok());
  for (const int64_t want : {1, 4, 7}) EXPECT_EQ((*session_->run({}, {"next"}))[0].value<int64_t>(), want);
  const absl::Status end = session_->run({}, {"next"}).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(end.message()),
              HasSubstr("Input dataset was expected to contain 4 elements but contained only 3 elements."));
  EXPECT_THAT(std::string(run("wrong").message()),
              HasSubstr("Index must be between 0 and 2 (currently index = 3)."));
}

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

TEST_F(DatasetTest, feed_the_iterator_by_its_string_handle) {
  open_text(pipeline(3, "", "range") + node("handle", "IteratorToStringHandle", {"it"}) +
            node("text", "Placeholder", {}, attr("dtype", "type: DT_STRING")) +
            node("fed", "IteratorFromStringHandleV2", {"text"}, kInts) +
            node("fed_next", "IteratorGetNext", {"fed"}, kInts) +
            node("other", "IteratorFromStringHandleV2", {"text"}, elements("DT_STRING")));
  const Tensor handle = (*session_->run({}, {"handle"}))[0];
  const absl::Status before = session_->run({{"text", handle}}, {"fed_next"}).status();
  EXPECT_EQ(before.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(before.message()), HasSubstr("the iterator has not been initialized"));
  ASSERT_TRUE(run("make").ok());
  EXPECT_EQ((*session_->run({{"text", handle}}, {"fed_next"}))[0].value<int64_t>(), 0);
  EXPECT_EQ((*session_->run({}, {"next"}))[0].value<int64_t>(), 1);
  EXPECT_THAT(std::string(run("other", {{"text", handle}}).message()),
              HasSubstr("Data type mismatch at component 0: expected string but got int64."));
  EXPECT_THAT(std::string(run("fed", {{"text", Tensor::string_scalar("junk")}}).message()),
              HasSubstr("Could not parse string_handle as a valid ResourceHandle"));
}

TEST_F(DatasetTest, walk_by_an_iterator_without_a_name) {
  open_text(pipeline(3, "", "range") + node("anonymous", "AnonymousIteratorV3", {}, kInts) +
            node("begin", "MakeIterator", {"range", "anonymous"}) +
            node("maybe", "IteratorGetNextAsOptional", {"anonymous", "^begin"}, kInts) +
            node("any", "OptionalHasValue", {"maybe"}) + node("value", "OptionalGetValue", {"maybe"}, kInts));
  for (int i = 0; i < 2; ++i) {
    const auto got = session_->run({}, {"any", "value"});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_TRUE((*got)[0].value<bool>());
    EXPECT_EQ((*got)[1].value<int64_t>(), 0) << "each step has its own";
  }
}

TEST_F(DatasetTest, refuse_iterators_for_other_elements) {
  open_text(pipeline(3, "", "range") +
            node("two_parts", "IteratorV2", {},
                 attr("shared_name", "s: ''") + attr("container", "s: ''") +
                     attr("output_types", "list { type: DT_INT64 type: DT_INT64 }") +
                     attr("output_shapes", "list { shape {} shape {} }")) +
            node("vectors", "IteratorV2", {},
                 attr("shared_name", "s: ''") + attr("container", "s: ''") +
                     elements("DT_INT64", "dim { size: 3 }")) +
            node("make_two", "MakeIterator", {"range", "two_parts"}) +
            node("make_vectors", "MakeIterator", {"range", "vectors"}));
  EXPECT_THAT(std::string(run("make_two").message()),
              HasSubstr("Number of components does not match: expected 2 types but got 1."));
  EXPECT_THAT(std::string(run("make_vectors").message()),
              HasSubstr("Incompatible shapes at component 0: expected [3] but got []."));
}

TEST_F(DatasetTest, end_when_cancelled_while_a_function_hangs) {
  Session& s = open_text(
      node("rows", "Const", {},
           constant_attrs("DT_FLOAT", "dim { size: 3 }", "float_val: 1 float_val: 2 float_val: 3")) +
      node("slices", "TensorSliceDataset", {"rows"},
           attr("Toutput_types", "list { type: DT_FLOAT }") + attr("output_shapes", "list { shape {} }")) +
      node("hanging", "MapDataset", {"slices"}, func("f", "Hang") + kNoCaptures + elements("DT_FLOAT", "")) +
      node("it", "IteratorV2", {},
           attr("shared_name", "s: ''") + attr("container", "s: ''") + elements("DT_FLOAT", "")) +
      node("make", "MakeIterator", {"hanging", "it"}) +
      node("next", "IteratorGetNext", {"it"}, elements("DT_FLOAT", "")));
  ASSERT_TRUE(run("make").ok());
  // One hangs in the function, the others wait for their turn: each may take a row before it hears.
  std::vector<std::future<absl::Status>> steps;
  for (int i = 0; i < 3; ++i) {
    steps.push_back(std::async(std::launch::async, [&] { return s.run({}, {"next"}).status(); }));
  }
  while (s.counters().running_steps < 3) std::this_thread::yield();
  ASSERT_TRUE(s.cancel("enough").ok());
  for (auto& step : steps) EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
}

TEST_F(DatasetTest, end_when_cancelled_in_a_walk_without_functions) {
  Session& s = open_text(pipeline(
      INT64_MAX, number("far", INT64_MAX) + node("rest", "SkipDataset", {"range", "far"}, kInts), "rest"));
  ASSERT_TRUE(run("make").ok());
  auto step = std::async(std::launch::async, [&] { return s.run({}, {"next"}).status(); });
  while (s.counters().running_steps < 1) std::this_thread::yield();
  ASSERT_TRUE(s.cancel("enough").ok());
  EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
}

/// What MapDataset gives for `count` elements in a new session, with the function given.
class SeededDraws : public DatasetTest {
 protected:
  void open_map(const std::string& f, const std::string& more = "", const std::string& last = "drawn") {
    open_text(
        pipeline(3, node("drawn", "MapDataset", {"range"}, kNoCaptures + func("f", f) + kInts) + more, last));
  }
};

TEST_F(SeededDraws, begin_anew_when_the_iterator_does) {
  open_map("Draw");
  const std::vector<int64_t> first = numbers();
  EXPECT_EQ(first.size(), 3u);
  EXPECT_NE(first[0], first[1]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(numbers(), first);
  // Also when it did not come to the end.
  EXPECT_EQ(numbers(2), std::vector<int64_t>(first.begin(), first.begin() + 2));
  EXPECT_EQ(numbers(), first);
}

TEST_F(SeededDraws, go_on_while_the_elements_are_repeated) {
  open_map("Draw", node("twice", "RepeatDataset", {"drawn", "two"}, kInts), "twice");
  const std::vector<int64_t> all = numbers();
  ASSERT_EQ(all.size(), 6u);
  EXPECT_NE(std::vector<int64_t>(all.begin(), all.begin() + 3),
            std::vector<int64_t>(all.begin() + 3, all.end()));
  EXPECT_EQ(numbers(), all);
}

TEST_F(SeededDraws, begin_anew_inside_functions_that_are_called) {
  open_map("CallDraw");
  const std::vector<int64_t> first = numbers();
  EXPECT_NE(first[0], first[1]);
  EXPECT_EQ(numbers(), first);
}

TEST_F(SeededDraws, are_shared_by_the_datasets_that_one_iterator_walks) {
  open_text(
      pipeline(3,
               node("drawn", "MapDataset", {"range"}, kNoCaptures + func("f", "Draw") + kInts) +
                   node("inner", "FlatMapDataset", {"range"}, kNoCaptures + func("f", "Draws") + kInts) +
                   node("both", "ConcatenateDataset", {"drawn", "inner"}, kInts),
               "both"));
  const std::vector<int64_t> all = numbers();
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(numbers(), all);
  EXPECT_NE(std::vector<int64_t>(all.begin(), all.begin() + 2),
            std::vector<int64_t>(all.begin() + 3, all.begin() + 5));
}

TEST_F(SeededDraws, of_two_iterators_are_the_same) {
  open_text(
      pipeline(3, node("drawn", "MapDataset", {"range"}, kNoCaptures + func("f", "Draw") + kInts), "drawn") +
      node("it2", "IteratorV2", {}, attr("shared_name", "s: ''") + attr("container", "s: ''") + kInts) +
      node("make2", "MakeIterator", {"drawn", "it2"}) + node("next2", "IteratorGetNext", {"it2"}, kInts));
  ASSERT_TRUE(run("make").ok());
  ASSERT_TRUE(run("make2").ok());
  for (int i = 0; i < 3; ++i) {
    const int64_t one = (*session_->run({}, {"next"}))[0].value<int64_t>();
    EXPECT_EQ((*session_->run({}, {"next2"}))[0].value<int64_t>(), one) << i;
  }
}

TEST_F(SeededDraws, begin_anew_with_each_reduction) {
  open_map("Draw", node("sum", "ReduceDataset", {"drawn", "zero"},
                        func("f", "Plus") + attr("Tstate", "list { type: DT_INT64 }") + kNoCaptures + kInts));
  const int64_t first = (*session_->run({}, {"sum"}))[0].value<int64_t>();
  EXPECT_EQ((*session_->run({}, {"sum"}))[0].value<int64_t>(), first);
}

}  // namespace
}  // namespace troupe::test
