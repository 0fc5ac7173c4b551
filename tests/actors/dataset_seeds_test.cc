// Random numbers of functions that datasets call: they begin anew with each iterator.

#include "tests/actors/dataset_pipelines.h"

namespace troupe::test {
namespace {

using namespace graph_text;

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
