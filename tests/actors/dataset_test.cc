// Whole pipelines of datasets, through sessions. Random orders are TensorFlow 2.21's.

#include "tests/actors/dataset_pipelines.h"

namespace troupe::test {
namespace {

using namespace graph_text;
using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace troupe::test
