// What a run is given and what it gives back.
#include <thread>

#include "proto/config.pb.h"
#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor f(float value) { return Tensor::scalar<float>(value); }

/// The statistics of a run that asks for no more than TensorFlow's SOFTWARE_TRACE.
RunOptions software_trace() {
  tensorflow::RunOptions proto;
  proto.set_trace_level(tensorflow::RunOptions::SOFTWARE_TRACE);
  return *RunOptions::from_bytes(proto.SerializeAsString());
}

TEST_F(RunsTest, s003_fetches_from_one_device_with_a_target_on_another) {
  add_network({3, 2, -1, 0});
  Session& s = open_on_two();
  auto out = s.run({}, {"y:0"}, {"y_neg"});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 1u);
  ASSERT_TRUE((*out)[0].initialized());
  EXPECT_EQ(floats((*out)[0])[0], 5);
}

TEST_F(RunsTest, s017_feeds_what_is_no_placeholder) {
  add_network({1, 2, 3, 4});
  Session& s = open_on_two();
  auto out = s.run({{"x", column(5, 6)}}, {"y:0"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(floats((*out)[0]), ElementsAre(17, 39));
}

TEST_F(RunsTest, s019_runs_from_many_threads_at_once) {
  constexpr int kThreads = 4, kRuns = 1000;
  add_network({1, 2, 3, 4});
  Session& s = open_on_two();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRuns; ++i) {
        auto out = s.run({}, {"y:0"});
        right += out.ok() && out->size() == 1 && floats((*out)[0])[0] == 3;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(right, kThreads * kRuns);
}

TEST_F(RunsTest, s024_refuses_a_graph_with_a_device_that_does_not_exist) {
  add_network({1, 2, 3, 4});
  Graph moved = graph_.clone();
  graph_.node(graph_.find("y")->id).requested_device = "/cpu:2";
  SessionOptions options;
  options.device_count["CPU"] = 2;
  session_ = *Session::open(*runtime_, options);
  const absl::Status refused = session_->create(graph_.clone());
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_THAT(text(refused), HasSubstr("{{node y}} was explicitly assigned to /cpu:2"));
  moved.node(moved.find("y")->id).requested_device = "/cpu:1";
  ASSERT_EQ(session_->create(std::move(moved)), absl::OkStatus());
  auto out = session_->run({}, {"y:0"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(floats((*out)[0])[0], 3);
}

TEST_F(RunsTest, s025_collects_the_statistics_of_both_devices) {
  add_network({3, 2, -1, 0});
  Session& s = open_on_two();
  RunStats stats;
  auto out = s.run({}, {"y:0"}, {"y_neg"}, software_trace(), &stats);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(floats((*out)[0])[0], 5);
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  EXPECT_EQ(metadata.step_stats().dev_stats_size(), 2);
}

TEST_F(RunsTest, s026_collects_the_same_of_a_callable_that_asks_for_it) {
  add_network({3, 2, -1, 0});
  Session& s = open_on_two();
  tensorflow::CallableOptions proto;
  proto.add_fetch("y:0");
  proto.add_target("y_neg");
  proto.mutable_run_options()->set_trace_level(tensorflow::RunOptions::SOFTWARE_TRACE);
  auto options = CallableOptions::from_bytes(proto.SerializeAsString());
  ASSERT_TRUE(options.ok()) << options.status();
  auto handle = s.make_callable(*options);
  ASSERT_TRUE(handle.ok()) << handle.status();
  std::vector<Tensor> out(1);
  RunStats stats;
  ASSERT_EQ(s.run_callable(*handle, {}, std::span<Tensor>(out), &stats), absl::OkStatus());
  EXPECT_EQ(floats(out[0])[0], 5);
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  EXPECT_EQ(metadata.step_stats().dev_stats_size(), 2);
}

TEST_F(RunsTest, s028_keeps_a_variable_from_run_to_run) {
  const int v = add("v", "VariableV2", {{"shape", Shape{}}, {"dtype", DataType::kFloat}});
  add("assign", "Assign", {{"T", DataType::kFloat}}, {{v, 0}, {constant("twenty", f(20)), 0}});
  Session& s = open();
  ASSERT_TRUE(s.run({}, {}, {"assign"}).ok());
  auto out = s.run({}, {"v:0"});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].value<float>(), 20);
}

TEST_F(RunsTest, s050_refuses_to_assign_to_a_variable_that_is_fed) {
  const int v = add("v", "VariableV2", {{"shape", Shape{}}, {"dtype", DataType::kFloat}});
  add("assign", "Assign", {{"T", DataType::kFloat}}, {{v, 0}, {constant("twenty", f(20)), 0}});
  Session& s = open();
  const absl::Status refused = s.run({{"v:0", f(1)}}, {"assign"}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
  EXPECT_THAT(text(refused),
              HasSubstr("Input 0 of node assign was passed float from _arg_v_0_0:0 incompatible "
                        "with expected float_ref."));
  EXPECT_TRUE(s.run({}, {}, {"assign"}).ok()) << "the session stays usable";
}

TEST_F(RunsTest, s032_fetches_one_tensor_twice) {
  constant("seven", Tensor::scalar<int32_t>(7));
  Session& s = open();
  auto out = s.run({}, {"seven:0", "seven:0"});
  ASSERT_TRUE(out.ok()) << out.status();
  ASSERT_EQ(out->size(), 2u);
  EXPECT_EQ((*out)[0].value<int32_t>(), 7);
  EXPECT_EQ((*out)[1].value<int32_t>(), 7);
}

/// Two constants and an Identity of each.
class MultipleFeeds : public RunsTest {
 protected:
  MultipleFeeds() {
    for (const auto& [name, value] : {std::pair("first", 1.0F), std::pair("second", 2.0F)}) {
      const int c = constant(std::string(name) + "_value", f(value));
      add(name, "Identity", {{"T", DataType::kFloat}}, {{c, 0}});
    }
  }
  static std::vector<float> values(const absl::StatusOr<std::vector<Tensor>>& out) {
    EXPECT_TRUE(out.ok()) << out.status();
    std::vector<float> all;
    if (out.ok())
      std::ranges::transform(*out, std::back_inserter(all), [](const Tensor& t) { return t.value<float>(); });
    return all;
  }
  /// All orders of feeds and fetches, each run with the next of these options.
  void run_all_orders(Session& s, const std::vector<RunOptions>& options) {
    size_t runs = 0;
    auto run = [&](const std::vector<NamedTensor>& feeds, const std::vector<std::string>& fetches) {
      return s.run(feeds, fetches, {}, options[runs++ % options.size()]);
    };
    const NamedTensor one{"first_value", f(11)}, two{"second_value", f(22)};
    for (int round = 0; round < 2; ++round) {
      EXPECT_THAT(values(run({}, {"first", "second"})), ElementsAre(1, 2));
      EXPECT_THAT(values(run({}, {"second", "first"})), ElementsAre(2, 1));
      EXPECT_THAT(values(run({one, two}, {"first", "second"})), ElementsAre(11, 22));
      EXPECT_THAT(values(run({two, one}, {"first", "second"})), ElementsAre(11, 22));
      EXPECT_THAT(values(run({two, one}, {"second", "first"})), ElementsAre(22, 11));
      const absl::Status twice = run({one, one}, {"first", "second"}).status();
      EXPECT_EQ(twice.code(), absl::StatusCode::kInvalidArgument) << twice;
      EXPECT_THAT(text(twice), HasSubstr("fed more than once"));
      // Seven runs, so that each order meets each of two options.
      EXPECT_THAT(values(run({one}, {"second", "first"})), ElementsAre(2, 11));
    }
  }
};

TEST_F(MultipleFeeds, s029_may_be_in_any_order) { run_all_orders(open(), {RunOptions()}); }

TEST_F(MultipleFeeds, s033_may_be_in_any_order_in_runs_on_the_callers_thread_between_others) {
  RunOptions here;
  here.inter_op_pool = -1;
  run_all_orders(open(), {RunOptions(), here});
}

TEST_F(MultipleFeeds, s030_of_callables_are_in_the_order_of_their_options) {
  Session& s = open();
  auto run = [&](std::vector<std::string> feeds, const std::vector<Tensor>& values,
                 std::vector<std::string> fetches) -> absl::StatusOr<std::vector<Tensor>> {
    CallableOptions options;
    options.feeds = std::move(feeds);
    options.fetches = std::move(fetches);
    auto handle = s.make_callable(options);
    if (!handle.ok()) return handle.status();
    std::vector<Tensor> out(options.fetches.size());
    const absl::Status ran = s.run_callable(*handle, values, std::span<Tensor>(out));
    return ran.ok() ? absl::StatusOr<std::vector<Tensor>>(out) : ran;
  };
  const std::string one = "first_value", two = "second_value";
  EXPECT_THAT(values(run({}, {}, {"first", "second"})), ElementsAre(1, 2));
  EXPECT_THAT(values(run({}, {}, {"second", "first"})), ElementsAre(2, 1));
  EXPECT_THAT(values(run({one, two}, {f(11), f(22)}, {"first", "second"})), ElementsAre(11, 22));
  EXPECT_THAT(values(run({two, one}, {f(22), f(11)}, {"first", "second"})), ElementsAre(11, 22));
  EXPECT_THAT(values(run({two, one}, {f(22), f(11)}, {"second", "first"})), ElementsAre(22, 11));
  const absl::Status twice = run({one, one}, {f(11), f(11)}, {"first", "second"}).status();
  EXPECT_EQ(twice.code(), absl::StatusCode::kInvalidArgument) << twice;
  EXPECT_THAT(text(twice), HasSubstr("fed more than once"));
}

absl::Status set_nothing(KernelContext&) { return absl::OkStatus(); }

TEST_F(RunsTest, s043_names_a_kernel_that_sets_no_output) {
  constexpr OpRow kOps[] = {{"TestDarth", "x:float", "z:float", "", ""}};
  ASSERT_TRUE(ops_->add(kOps).ok());
  kernels_->add(KernelDef("TestDarth").fn(set_nothing));
  const int x = placeholder("x");
  add("y", "TestDarth", {}, {{x, 0}});
  Session& s = open();
  const absl::Status end = s.run({{"x", f(1)}}, {"y:0"}).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kInternal) << end;
  EXPECT_THAT(text(end), HasSubstr("Missing 0-th output from {{node y}}"));
}

}  // namespace
}  // namespace troupe::test
