#include "tests/actors/dataset_pipelines.h"

#include <google/protobuf/text_format.h>

#include "proto/graph.pb.h"
#include "tests/devices/kernels/dataset/dataset_functions.h"

namespace troupe::test {

using namespace graph_text;

namespace {

const std::string kX = "input_arg { name: 'x' type: DT_INT64 }";
const std::string kKeyAndWindow =
    "input_arg { name: 'k' type: DT_INT64 } input_arg { name: 'w' type: DT_VARIANT }";

std::string library() {
  std::string text = "library { ";
  text += modulo_text("Mod2", 2);
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

}  // namespace

std::string pipeline(int64_t count, const std::string& stages, const std::string& last,
                     const std::string& types) {
  return number("zero", 0) + number("one", 1) + number("two", 2) + number("three", 3) + number("four", 4) +
         number("count", count) +
         node("range", "RangeDataset", {"zero", "count", "one"}, elements("DT_INT64", "")) + stages +
         node("it", "IteratorV2", {}, attr("shared_name", "s: ''") + attr("container", "s: ''") + types) +
         node("make", "MakeIterator", {last, "it"}) + node("next", "IteratorGetNext", {"it"}, types);
}

Session& DatasetTest::open_text(const std::string& nodes) {
  tensorflow::GraphDef def;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(nodes + library(), &def)) << nodes;
  session_ = *Session::open(*runtime_);
  const absl::Status created = session_->create(def);
  EXPECT_TRUE(created.ok()) << created;
  return *session_;
}

std::vector<int64_t> DatasetTest::numbers(size_t most) {
  const absl::Status made = run("make");
  EXPECT_TRUE(made.ok()) << made;
  std::vector<int64_t> all;
  while (all.size() < most) {
    const auto got = session_->run({}, {"next"});
    if (!got.ok()) {
      EXPECT_EQ(got.status().code(), absl::StatusCode::kOutOfRange) << got.status();
      EXPECT_THAT(std::string(got.status().message()), testing::HasSubstr("End of sequence"));
      break;
    }
    const auto values = (*got)[0].flat<int64_t>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace troupe::test
