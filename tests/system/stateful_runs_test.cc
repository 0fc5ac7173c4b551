// What steps leave behind for the next: datasets, variables after an error, tables of text files.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <limits>

#include "absl/strings/str_cat.h"
#include "actors/runtime.h"
#include "actors/session.h"
#include "proto/graph.pb.h"

namespace troupe {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StatefulRuns : public testing::Test {
 protected:
  /// Opens a session on a GraphDef in text form.
  Session& open(const std::string& text) {
    tensorflow::GraphDef graph;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text + " versions { producer: 1882 }", &graph));
    session_ = *Session::open(*runtime_);
    const absl::Status created = session_->create(graph);
    EXPECT_TRUE(created.ok()) << created;
    return *session_;
  }
  absl::Status run(const std::string& target, const std::vector<NamedTensor>& feeds = {}) {
    return session_->run(feeds, {}, {target}).status();
  }
  /// Fetches `name` to the end of its dataset; the elements, flat.
  std::vector<float> drain(const std::string& name) {
    std::vector<float> all;
    while (all.size() < 1000) {
      const auto got = session_->run({}, {name});
      if (!got.ok()) {
        EXPECT_EQ(got.status().code(), absl::StatusCode::kOutOfRange) << got.status();
        EXPECT_THAT(std::string(got.status().message()), HasSubstr("End of sequence"));
        break;
      }
      const auto values = (*got)[0].flat<float>();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  std::unique_ptr<Runtime> runtime_ = Runtime::create();
  std::unique_ptr<Session> session_;
};

std::string node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& attrs) {
  std::string text = absl::StrCat("node { name: '", name, "' op: '", op, "' ");
  for (const std::string& input : inputs) absl::StrAppend(&text, "input: '", input, "' ");
  return absl::StrCat(text, attrs, " } ");
}
std::string attr(const std::string& key, const std::string& value) {
  return absl::StrCat("attr { key: '", key, "' value { ", value, " } } ");
}
std::string number(const std::string& name, int64_t value) {
  return node(
      name, "Const", {},
      attr("dtype", "type: DT_INT64") +
          attr("value", absl::StrCat("tensor { dtype: DT_INT64 tensor_shape {} int64_val: ", value, " }")));
}
const std::string kElements = attr("output_types", "list { type: DT_FLOAT }") +
                              attr("output_shapes", "list { shape { unknown_rank: true } }");

/// rows -> `stages` -> iterator; `last` is the dataset to iterate.
std::string pipeline(const std::string& stages, const std::string& last) {
  return node("rows", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
         node("slices", "TensorSliceDataset", {"rows"},
              attr("Toutput_types", "list { type: DT_FLOAT }") +
                  attr("output_shapes", "list { shape { unknown_rank: true } }")) +
         stages +
         node("it", "IteratorV2", {},
              attr("shared_name", "s: 'it'") + attr("container", "s: ''") + kElements) +
         node("make", "MakeIterator", {last, "it"}, "") + node("next", "IteratorGetNext", {"it"}, kElements);
}

const Tensor kRows = Tensor::vector<float>({1, 2, 3, 4, 5});

TEST_F(StatefulRuns, walk_a_dataset_again_when_the_iterator_is_made_again) {
  open(pipeline("", "slices"));
  EXPECT_EQ(session_->run({}, {"next"}).status().code(), absl::StatusCode::kFailedPrecondition);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run("make", {{"rows", kRows}}).ok());
    EXPECT_THAT(drain("next"), ElementsAre(1, 2, 3, 4, 5));
  }
}

TEST_F(StatefulRuns, skip_take_repeat_and_batch) {
  open(pipeline(number("one", 1) + number("two", 2) + number("three", 3) +
                    node("tail", "SkipDataset", {"slices", "one"}, kElements) +
                    node("part", "TakeDataset", {"tail", "three"}, kElements) +
                    node("again", "RepeatDataset", {"part", "two"}, kElements) +
                    node("pairs", "BatchDataset", {"again", "two"}, kElements),
                "pairs"));
  ASSERT_TRUE(run("make", {{"rows", kRows}}).ok());
  EXPECT_EQ((*session_->run({}, {"next"}))[0].shape(), Shape({2}));
  EXPECT_THAT(drain("next"), ElementsAre(4, 2, 3, 4));
}

TEST_F(StatefulRuns, shuffle_with_the_numbers_of_a_seed) {
  open(pipeline(number("buffer", 3) + number("seed", 7) + number("seed2", 8) +
                    node("shuffled", "ShuffleDataset", {"slices", "buffer", "seed", "seed2"}, kElements),
                "shuffled"));
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(run("make", {{"rows", kRows}}).ok());
    EXPECT_THAT(drain("next"), ElementsAre(1, 2, 4, 5, 3)) << "as TensorFlow 2.21";
  }
}

TEST_F(StatefulRuns, refuse_what_no_dataset_can_be) {
  open(pipeline(number("zero", 0) + node("batch", "BatchDataset", {"slices", "zero"}, kElements) +
                    node("none", "RepeatDataset", {"slices", "forever"}, kElements) + number("forever", -1),
                "none"));
  EXPECT_THAT(std::string(run("batch", {{"rows", kRows}}).message()), HasSubstr("greater than zero"));
  EXPECT_THAT(std::string(run("slices", {{"rows", Tensor::scalar<float>(1)}}).message()),
              HasSubstr("at least 1-dimensional"));
  ASSERT_TRUE(run("make", {{"rows", Tensor(DataType::kFloat, Shape({0}))}}).ok());
  EXPECT_TRUE(drain("next").empty()) << "an empty dataset repeated for ever has an end";
}

TEST_F(StatefulRuns, map_and_filter_by_functions) {
  const std::string body = R"(
      library {
        function { signature { name: 'triple' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
          node_def { name: 'sum' op: 'AddN' input: 'x' input: 'x' input: 'x'
                     attr { key: 'T' value { type: DT_FLOAT } } attr { key: 'N' value { i: 3 } } }
          ret { key: 'y' value: 'sum:sum:0' } }
        function { signature { name: 'check' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_BOOL } }
          node_def { name: 'fine' op: 'CheckNumerics' input: 'x' attr { key: 'T' value { type: DT_FLOAT } }
                     attr { key: 'message' value { s: 'odd one' } } }
          node_def { name: 'is' op: 'IsFinite' input: 'fine:output:0' attr { key: 'T' value { type: DT_FLOAT } } }
          ret { key: 'y' value: 'is:y:0' } } } )";
  open(pipeline(
           node("mapped", "MapDataset", {"slices"},
                attr("f", "func { name: 'triple' }") + attr("Targuments", "list {}") + kElements) +
               node("kept", "FilterDataset", {"mapped"},
                    attr("predicate", "func { name: 'check' }") + attr("Targuments", "list {}") + kElements),
           "kept") +
       body);
  const float inf = std::numeric_limits<float>::infinity();
  ASSERT_TRUE(run("make", {{"rows", Tensor::vector<float>({1, inf, 3})}}).ok());
  EXPECT_EQ((*session_->run({}, {"next"}))[0].value<float>(), 3);
  const absl::Status odd = session_->run({}, {"next"}).status();
  EXPECT_EQ(odd.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(odd.message()), HasSubstr("odd one"));
  EXPECT_THAT(drain("next"), ElementsAre(9)) << "the element that failed is passed";
}

TEST_F(StatefulRuns, scatter_up_to_a_bad_index) {
  const std::string type = attr("T", "type: DT_FLOAT");
  open(node("v", "VariableV2", {},
            attr("dtype", "type: DT_FLOAT") + attr("shape", "shape { dim { size: 3 } }")) +
       node("zeros", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
       node("init", "Assign", {"v", "zeros"}, type) +
       node("at", "Placeholder", {}, attr("dtype", "type: DT_INT32")) +
       node("add", "ScatterAdd", {"v", "at", "one"}, type + attr("Tindices", "type: DT_INT32")) +
       node("one", "Const", {},
            attr("dtype", "type: DT_FLOAT") +
                attr("value", "tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 }")));
  ASSERT_TRUE(run("init", {{"zeros", Tensor::vector<float>({0, 0, 0})}}).ok());
  const absl::Status status = run("add", {{"at", Tensor::vector<int32_t>({1, 7, 2})}});
  EXPECT_THAT(std::string(status.message()), HasSubstr("indices[1] = 7 is not in [0, 3)"));
  EXPECT_THAT((*session_->run({}, {"v"}))[0].flat<float>(), ElementsAre(0, 1, 0));
}

TEST_F(StatefulRuns, call_a_truncating_division_by_zero_internal) {
  open(node("x", "Placeholder", {}, attr("dtype", "type: DT_INT32")) +
       node("y", "TruncateDiv", {"x", "x"}, attr("T", "type: DT_INT32")) +
       node("z", "FloorDiv", {"x", "x"}, attr("T", "type: DT_INT32")));
  const Tensor zero = Tensor::scalar<int32_t>(0);
  EXPECT_EQ(session_->run({{"x", zero}}, {"y"}).status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(session_->run({{"x", zero}}, {"z"}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(StatefulRuns, send_to_themselves) {
  const std::string cpu = "/job:localhost/replica:0/task:0/device:CPU:0";
  const std::string edge = attr("tensor_name", "s: 'edge'") + attr("send_device", "s: '" + cpu + "'") +
                           attr("recv_device", "s: '" + cpu + "'") + attr("send_device_incarnation", "i: 1");
  open(node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT")) +
       node("s", "Send", {"x"}, edge + attr("T", "type: DT_FLOAT")) +
       node("r", "Recv", {}, edge + attr("tensor_type", "type: DT_FLOAT")));
  for (float value : {1.0f, 2.0f}) {
    const auto got = session_->run({{"x", Tensor::scalar<float>(value)}}, {"r"}, {"s"});
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)[0].value<float>(), value);
  }
}

TEST_F(StatefulRuns, split_a_vocabulary_at_tabs_unless_told_otherwise) {
  const fs::path file = fs::path(testing::TempDir()) / "tabs.txt";
  std::ofstream(file) << "ape\t7\nbee\t8\n";
  open(node("file", "Placeholder", {}, attr("dtype", "type: DT_STRING")) +
       node("table", "HashTableV2", {},
            attr("key_dtype", "type: DT_STRING") + attr("value_dtype", "type: DT_INT64")) +
       node("fill", "InitializeTableFromTextFileV2", {"table", "file"},
            attr("key_index", "i: 0") + attr("value_index", "i: 1")) +
       node("word", "Placeholder", {}, attr("dtype", "type: DT_STRING")) + number("none", -1) +
       node("id", "LookupTableFindV2", {"table", "word", "none"},
            attr("Tin", "type: DT_STRING") + attr("Tout", "type: DT_INT64")));
  const absl::Status filled = run("fill", {{"file", Tensor::string_scalar(file.string())}});
  ASSERT_TRUE(filled.ok()) << filled;
  EXPECT_EQ((*session_->run({{"word", Tensor::string_scalar("bee")}}, {"id"}))[0].value<int64_t>(), 8);
  fs::remove(file);
}

}  // namespace
}  // namespace troupe
