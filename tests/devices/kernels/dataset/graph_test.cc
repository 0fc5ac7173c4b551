// Datasets as graphs and by the numbers of their elements. Through sessions. Orders and texts are TensorFlow 2.21's.

#include "proto/graph.pb.h"
#include "proto/summary.pb.h"
#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/support/graph_text.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Double(x) = x + x; Twice(x), the same under another name; Noise(x): a random number; Place(i) = (i / 2, i % 2);
/// Row(x) = [x, x + x].
std::string functions_text() {
  using namespace graph_text;
  const std::string twice = body("d", "AddV2", {"x", "x"}, kT64);
  const std::string by_two = body("two", "Const", {}, int64_attrs(2));
  return int64_function("Double", twice, "d:z:0") + int64_function("Twice", twice, "d:z:0") +
         "function { signature { name: 'Noise' " + arg("x", "DT_INT64") +
         "output_arg { name: 'y' type: DT_FLOAT } is_stateful: true } " +
         body("shape", "Const", {}, constant_attrs("DT_INT32", "dim { size: 0 }", "")) +
         body("r", "RandomUniform", {"shape:output:0"},
              attr("T", "type: DT_INT32") + attr("dtype", "type: DT_FLOAT")) +
         "ret { key: 'y' value: 'r:output:0' } } function { signature { name: 'Place' " +
         arg("i", "DT_INT64") +
         "output_arg { name: 'element' type: DT_INT64 } output_arg { name: 'offset' type: DT_INT64 } } " +
         by_two + body("q", "FloorDiv", {"i", "two:output:0"}, kT64) +
         body("m", "FloorMod", {"i", "two:output:0"}, kT64) +
         "ret { key: 'element' value: 'q:z:0' } ret { key: 'offset' value: 'm:z:0' } } " +
         int64_function("Row", twice + body("p", "Pack", {"x", "d:z:0"}, kT64 + attr("N", "i: 2")),
                        "p:output:0");
}

class DatasetGraphs : public DatasetKernels {
 protected:
  DatasetGraphs() { functions(functions_text()); }
  int map(int input, const std::string& function, DataType type = DataType::kInt64,
          const std::string& metadata = "") {
    return op("MapDataset",
              with(elements(type), {{"f", FunctionRef{function, std::make_shared<AttrMap>()}},
                                    {"Targuments", Types{}},
                                    {"metadata", metadata},
                                    {"preserve_cardinality", true}}),
              {{input}});
  }
  int batch(int input, int64_t size, bool drop) {
    const int flag = constant(absl::StrCat("b", graph_.num_ids()), Tensor::scalar<bool>(drop));
    return op("BatchDatasetV2", elements(DataType::kInt64, PartialShape{-1}),
              {{input}, {number(size)}, {flag}});
  }
  int global_shuffle(int input, int64_t seed, bool reshuffle = true, const AttrMap& components = elements()) {
    return op("GlobalShuffleDataset", with(components, {{"reshuffle_each_iteration", reshuffle}}),
              {{input},
               {number(87654321)},
               {number(seed)},
               {add(absl::StrCat("g", graph_.num_ids()), "DummySeedGenerator")}});
  }
  int repeat(int input, int64_t count) { return op("RepeatDataset", elements(), {{input}, {number(count)}}); }
  /// An element, or -1 for an error, which stands in `status_`.
  int64_t at(int dataset, int64_t index) {
    const std::string name = absl::StrCat("at", graph_.num_ids());
    add(name, "GetElementAtIndex", elements(), {{dataset}, {number(index)}});
    open();
    const auto got = session_->run({}, {name});
    status_ = got.status();
    return got.ok() ? (*got)[0].value<int64_t>() : -1;
  }
};

TEST_F(DatasetGraphs, hold_the_nodes_that_made_a_dataset_and_their_functions) {
  const int mapped = map(range(4), "Double");
  add("graph", "DatasetToGraphV2", {{"external_state_policy", 2}}, {{mapped}});
  open();
  const auto got = session_->run({}, {"graph"});
  ASSERT_TRUE(got.ok()) << got.status();
  pb::GraphDef graph;
  ASSERT_TRUE(graph.ParseFromString((*got)[0].value<TString>().str()));
  std::vector<std::string> ops;
  for (const auto& node : graph.node()) ops.push_back(node.op());
  EXPECT_THAT(ops, ElementsAre("Const", "Const", "Const", "RangeDataset", "MapDataset", "_Retval"));
  EXPECT_EQ(graph.node(5).name(), "dataset");
  ASSERT_EQ(graph.library().function_size(), 1) << "the ones that it needs";
  EXPECT_EQ(graph.library().function(0).signature().name(), "Double");
}

TEST_F(DatasetGraphs, make_the_dataset_again) {
  const int mapped = map(range(4), "Double");
  iterate(op("DatasetFromGraph", {}, {{op("DatasetToGraph", {}, {{batch(mapped, 3, false)}})}}),
          elements(DataType::kInt64, PartialShape{-1}));
  const int wrong = op("DatasetFromGraph", {}, {{text("no graph")}});
  add("wrong", "DatasetCardinality", {}, {{wrong}});
  const int empty = op("DatasetFromGraph", {}, {{text("")}});
  add("empty", "DatasetCardinality", {}, {{empty}});
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 2, 4, 6)) << status_;
  EXPECT_EQ(run("wrong").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run("empty").code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(DatasetGraphs, hold_windows_as_their_elements) {
  const int flag = constant("drop", Tensor::scalar<bool>(true));
  const AttrMap window = {{"output_types", Types{DataType::kVariant}}, {"output_shapes", Shapes{kScalar}}};
  const int windows =
      op("WindowDataset", window, {{range(4)}, {number(2)}, {number(2)}, {number(1)}, {flag}});
  const int first =
      op("DatasetToSingleElement", window, {{op("TakeDataset", window, {{windows}, {number(1)}})}});
  iterate(op("DatasetFromGraph", {}, {{op("DatasetToGraph", {}, {{first}})}}));
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 1)) << status_;
}

TEST_F(DatasetGraphs, refuse_functions_with_state_when_they_are_told_to) {
  const int noise = map(range(4), "Noise", DataType::kFloat);
  add("fail", "DatasetToGraphV2", {{"external_state_policy", 2}}, {{noise}});
  add("warn", "DatasetToGraphV2", {{"external_state_policy", 0}}, {{noise}});
  add("old", "DatasetToGraph", {{"allow_stateful", false}}, {{noise}});
  add("allow", "DatasetToGraph", {{"allow_stateful", true}}, {{noise}});
  iterate(noise, elements(DataType::kFloat));
  const int it = graph_.find("it")->id;
  add("save", "SerializeIterator", {{"external_state_policy", 2}}, {{it}});
  add("save_it", "SerializeIterator", {{"external_state_policy", 1}}, {{it}});
  open();
  for (const char* target : {"fail", "old"}) {
    EXPECT_EQ(run(target).code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(run(target).message()),
                HasSubstr("Failed to serialize the input pipeline graph: RandomUniform is stateful."));
  }
  EXPECT_TRUE(run("warn").ok());
  EXPECT_TRUE(run("allow").ok());
  ASSERT_TRUE(run("make").ok());
  EXPECT_THAT(std::string(run("save").message()), HasSubstr("RandomUniform is stateful."));
  EXPECT_TRUE(run("save_it").ok());
}

TEST_F(DatasetGraphs, have_fingerprints_of_what_they_compute) {
  const auto of = [this](const std::string& name, int dataset) {
    add(name, "DatasetFingerprint", {}, {{dataset}});
  };
  of("a", map(range(4), "Double", DataType::kInt64, "\n\3one"));
  of("b", map(range(4), "Twice", DataType::kInt64, "\n\3two"));
  of("c", map(range(5), "Double"));
  of("d", map(range(4), "Row"));
  open();
  const auto got = session_->run({}, {"a", "b", "c", "d"});
  ASSERT_TRUE(got.ok()) << got.status();
  const auto print = [&got](size_t i) { return (*got)[i].value<uint64_t>(); };
  EXPECT_EQ(print(0), print(1)) << "names do not matter";
  EXPECT_NE(print(0), print(2)) << "constants do";
  EXPECT_NE(print(0), print(3)) << "functions do";
}

// --- global shuffles ---

TEST_F(DatasetGraphs, are_shuffled_all_at_once) {
  iterate(global_shuffle(range(6), 3));
  open();
  EXPECT_THAT(walk(), ElementsAre(4, 0, 2, 3, 1, 5));
}

TEST_F(DatasetGraphs, are_shuffled_all_at_once_behind_other_transformations) {
  const AttrMap batches = elements(DataType::kInt64, PartialShape{-1});
  iterate(global_shuffle(batch(range(7), 2, true), 3, true, batches), batches);
  open();
  EXPECT_THAT(walk(), ElementsAre(2, 3, 0, 1, 4, 5));
}

TEST_F(DatasetGraphs, are_shuffled_anew_in_each_round) {
  iterate(repeat(global_shuffle(range(5), 3), 2));
  open();
  EXPECT_THAT(walk(), ElementsAre(4, 0, 2, 3, 1, 1, 2, 0, 4, 3));
}

TEST_F(DatasetGraphs, are_shuffled_alike_in_each_round_when_told_to) {
  iterate(repeat(global_shuffle(range(5), 3, false), 2));
  open();
  EXPECT_THAT(walk(), ElementsAre(3, 1, 0, 4, 2, 3, 1, 0, 4, 2));
}

TEST_F(DatasetGraphs, are_shuffled_all_at_once_only_where_elements_have_numbers) {
  add("batch", "DatasetCardinality", {}, {{global_shuffle(batch(range(7), 2, false), 3)}});
  add("forever", "DatasetCardinality", {}, {{global_shuffle(repeat(range(3), -1), 3)}});
  const int unique = op("UniqueDataset", elements(), {{range(3)}});
  add("unique", "DatasetCardinality", {}, {{global_shuffle(unique, 3)}});
  add("empty", "DatasetCardinality", {}, {{global_shuffle(range(0), 3)}});
  open();
  const auto text_of = [this](const char* name) { return std::string(run(name).message()); };
  EXPECT_THAT(text_of("batch"),
              HasSubstr("BatchDatasetV2 does not support global shuffling with `drop_remainder=False`."));
  EXPECT_THAT(text_of("forever"), HasSubstr("`repeat(-1)` does not support random access"));
  EXPECT_THAT(text_of("unique"), HasSubstr("UniqueDataset does not support random access."));
  EXPECT_EQ(run("unique").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(text_of("empty"), HasSubstr("non-empty finite cardinality. Got cardinality 0"));
}

// --- elements by their numbers ---

TEST_F(DatasetGraphs, give_single_elements) {
  EXPECT_EQ(at(map(repeat(range(3), 2), "Double"), 5), 4);
  EXPECT_EQ(at(op("SkipDataset", elements(), {{range(9)}, {number(4)}}), 2), 6);
  const int shuffled = op("ShuffleDataset", with(elements(), {{"reshuffle_each_iteration", true}}),
                          {{range(6)}, {number(3)}, {number(87654321)}, {number(1)}});
  EXPECT_EQ(at(shuffled, 0), 3);
  EXPECT_EQ(at(shuffled, 2), 0);
  EXPECT_EQ(at(range(6), 50), -1);
  EXPECT_THAT(std::string(status_.message()), HasSubstr("Index out of range [0, 6):50"));
  EXPECT_EQ(at(op("IgnoreErrorsDataset", elements(), {{range(6)}}), 1), -1);
}

TEST_F(DatasetGraphs, are_flattened_by_numbers) {
  const AttrMap attrs =
      with(elements(), {{"map_func", FunctionRef{"Row", std::make_shared<AttrMap>()}},
                        {"index_map_func", FunctionRef{"Place", std::make_shared<AttrMap>()}},
                        {"Tmap_func_args", Types{}},
                        {"Tindex_map_func_args", Types{}}});
  const int flat = op("IndexFlatMapDataset", attrs, {{range(3)}, {number(6)}});
  iterate(flat);
  EXPECT_EQ(at(flat, 5), 4) << status_;
  EXPECT_THAT(walk(), ElementsAre(0, 0, 1, 2, 2, 4)) << status_;
}

TEST_F(DatasetGraphs, are_joined_in_shares) {
  const auto weight = [this](double w) {
    return constant(absl::StrCat("w", graph_.num_ids()), Tensor::scalar<double>(w));
  };
  const AttrMap two = with(elements(), {{"N", 2}, {"M", 2}});
  iterate(op("WeightedFlatMapDataset", two, {{range(100)}, {range(3)}, {weight(0.25)}, {weight(0.75)}}));
  const int endless = repeat(range(2), -1);
  add("endless", "DatasetCardinality", {},
      {{op("WeightedFlatMapDataset", two, {{endless}, {range(3)}, {weight(0.5)}, {weight(0.5)}})}});
  add("zero", "DatasetCardinality", {},
      {{op("WeightedFlatMapDataset", two, {{range(2)}, {range(3)}, {weight(0)}, {weight(0.5)}})}});
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 0, 1, 2)) << status_;
  EXPECT_EQ(run("endless").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run("zero").code(), absl::StatusCode::kInvalidArgument);
}

// --- statistics ---

TEST_F(DatasetGraphs, tell_how_large_their_elements_are) {
  const int stats = add("stats", "StatsAggregatorHandle", {{"container", ""}, {"shared_name", ""}});
  const int sized = op("BytesProducedStatsDataset", elements(), {{range(3)}, {text("bytes")}});
  const int timed = op("LatencyStatsDataset", elements(), {{sized}, {text("time")}});
  iterate(op("SetStatsAggregatorDataset", elements(), {{timed}, {stats}, {text("in")}, {text("")}}));
  add("summary", "StatsAggregatorSummary", {}, {{stats}});
  open();
  EXPECT_THAT(walk(), ElementsAre(0, 1, 2)) << status_;
  const auto got = session_->run({}, {"summary"});
  ASSERT_TRUE(got.ok()) << got.status();
  pb::Summary summary;
  ASSERT_TRUE(summary.ParseFromString((*got)[0].value<TString>().str()));
  ASSERT_EQ(summary.value_size(), 2);
  EXPECT_EQ(summary.value(0).tag(), "in::bytes");
  EXPECT_EQ(summary.value(0).histo().num(), 3);
  EXPECT_EQ(summary.value(0).histo().sum(), 24);
  EXPECT_EQ(summary.value(1).tag(), "in::time");
  EXPECT_EQ(summary.value(1).histo().num(), 3);
}

}  // namespace
}  // namespace troupe::test
