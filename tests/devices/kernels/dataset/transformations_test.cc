// Transformations of datasets, and their elements when they are packed. Through sessions.

#include "tests/devices/kernels/dataset/dataset_fixture.h"
#include "tests/devices/kernels/dataset/dataset_functions.h"
#include "tests/support/graph_text.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  functions(flatten_text());
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
  using namespace graph_text;
  functions(int64_function("Same", "", "x") +
            function("Upto", arg("x", "DT_INT64"), "DT_VARIANT",
                     body("c", "Const", {}, int64_attrs(1)) + body("r", "RangeDataset",
                                                                   {"c:output:0", "x", "c:output:0"},
                                                                   graph_text::elements("DT_INT64", "")),
                     "r:handle:0"));
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
