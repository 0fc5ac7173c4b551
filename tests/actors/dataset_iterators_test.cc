// Iterators of datasets: handles, and walks that are cancelled.

#include <chrono>
#include <future>
#include <thread>

#include "tests/actors/dataset_pipelines.h"

namespace troupe::test {
namespace {

using namespace graph_text;
using testing::HasSubstr;

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

}  // namespace
}  // namespace troupe::test
