#include <gmock/gmock.h>

#include <thread>

#include "proto/config.pb.h"
#include "proto/cost_graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

std::string text(const absl::Status& s) { return std::string(s.message()); }
Tensor f(float value) { return Tensor::scalar<float>(value); }

/// sum = a + b, twice = sum + sum.
class CallableTest : public SessionTest {
 protected:
  CallableTest() {
    int a = placeholder("a");
    int b = placeholder("b");
    int sum = add("sum", "TestAdd", {}, {{a, 0}, {b, 0}});
    add("twice", "TestAdd", {}, {{sum, 0}, {sum, 0}});
  }

  absl::StatusOr<float> run(Session& s, CallableHandle handle, std::vector<Tensor> feeds) {
    std::vector<Tensor> out(1);
    absl::Status status = s.run_callable(handle, feeds, out);
    if (!status.ok()) return status;
    return out[0].value<float>();
  }
};

TEST_F(CallableTest, runs_with_feeds_in_its_own_order) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"b:0", "a:0"};
  options.fetches = {"sum:0", "a:0"};
  EXPECT_FALSE(s.make_callable(options).ok()) << "a is fed and fetched";
  options.fetches = {"twice:0", "sum:0", "twice:0"};
  auto handle = s.make_callable(options);
  ASSERT_TRUE(handle.ok()) << handle.status();
  std::vector<Tensor> feeds{f(2), f(1)}, out(3);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(s.run_callable(*handle, feeds, std::span<Tensor>(out)).ok());
    EXPECT_EQ(out[0].value<float>(), 6);
    EXPECT_EQ(out[1].value<float>(), 3);
    EXPECT_EQ(out[2].value<float>(), 6);
  }
}

TEST_F(CallableTest, says_what_is_wrong_with_a_handle_or_its_feeds) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"a", "b"};
  options.fetches = {"sum"};
  auto handle = s.make_callable(options);
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_THAT(text(run(s, *handle, {f(1)}).status()), HasSubstr("Expected 2 feed tensors, but got 1"));
  EXPECT_THAT(text(run(s, *handle + 1, {f(1), f(2)}).status()), HasSubstr("No such callable handle"));
  EXPECT_EQ(run(s, *handle, {f(1), Tensor::scalar<int32_t>(1)}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(s.release_callable(*handle).ok());
  EXPECT_TRUE(s.release_callable(*handle).ok());
  EXPECT_FALSE(s.release_callable(*handle + 1).ok());
  EXPECT_THAT(text(run(s, *handle, {f(1), f(2)}).status()),
              HasSubstr("Attempted to run callable after handle was released"));
}

TEST_F(CallableTest, connects_one_tensor_to_another) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"a"};
  options.tensor_connections = {{"a:0", "b:0"}};
  options.fetches = {"sum:0"};
  auto handle = s.make_callable(options);
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto out = run(s, *handle, {f(4)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*out, 8);
}

TEST_F(CallableTest, s011_s012_s013_s014_s015_s016_refuses_connections_that_make_no_sense) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"a"};
  options.fetches = {"twice:0"};
  auto refused = [&](std::string from, std::string to,
                     absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
    options.tensor_connections.emplace_back(std::move(from), std::move(to));
    const absl::Status end = s.make_callable(options).status();
    options.tensor_connections.pop_back();
    EXPECT_EQ(end.code(), code) << end;
    return text(end);
  };
  EXPECT_THAT(refused("nobody:0", "b:0"), HasSubstr("unknown node"));
  EXPECT_THAT(refused("a:7", "b:0"), HasSubstr("unknown edge"));
  EXPECT_THAT(refused("a:0", "nobody:0", absl::StatusCode::kNotFound),
              HasSubstr("unable to find feed output"));
  EXPECT_THAT(refused("twice:0", "sum:0"), HasSubstr("would create a cycle"));
  EXPECT_THAT(refused("b:0", "a"), HasSubstr("fed more than once")) << "a is fed";
  options.tensor_connections = {{"a:0", "sum:0"}};
  EXPECT_TRUE(s.make_callable(options).ok());
  EXPECT_THAT(refused("b:0", "sum:0"), HasSubstr("fed more than once")) << "a is connected to it";
}

TEST_F(CallableTest, stays_compiled_when_signatures_are_evicted) {
  SessionOptions session_options;
  session_options.max_signatures = 1;
  Session& s = open(session_options);
  CallableOptions options;
  options.feeds = {"a", "b"};
  options.fetches = {"sum"};
  auto handle = s.make_callable(options);
  ASSERT_TRUE(handle.ok());
  ASSERT_TRUE(s.run({{"a", f(1)}, {"b", f(1)}}, {"twice"}).ok());
  const int64_t misses = s.counters().signature_misses;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(run(s, *handle, {f(1), f(2)}).ok());
  EXPECT_EQ(s.counters().signature_misses, misses);
}

TEST_F(CallableTest, serves_many_threads_while_others_release) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"a", "b"};
  options.fetches = {"sum"};
  auto handle = s.make_callable(options);
  ASSERT_TRUE(handle.ok());
  std::atomic<int> wrong{0}, done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        auto out = run(s, *handle, {f(static_cast<float>(t)), f(static_cast<float>(i))});
        if (out.ok() && *out != static_cast<float>(t + i)) ++wrong;
        if (out.ok()) ++done;
      }
    });
  }
  while (done.load() < 100) std::this_thread::yield();
  EXPECT_TRUE(s.release_callable(*handle).ok());
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CallableTest, is_refused_after_close) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"a", "b"};
  options.fetches = {"sum"};
  auto handle = s.make_callable(options);
  ASSERT_TRUE(handle.ok());
  ASSERT_TRUE(s.close().ok());
  EXPECT_EQ(run(s, *handle, {f(1), f(2)}).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(s.make_callable(options).status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(s.release_callable(*handle).ok());
}

TEST_F(CallableTest, reports_what_ran_when_asked_for_statistics) {
  Session& s = open();
  RunOptions options;
  options.collect_stats = true;
  options.output_partition_graphs = true;
  RunStats stats;
  auto out = s.run({{"a", f(1)}, {"b", f(2)}}, {"twice"}, {}, options, &stats);
  ASSERT_TRUE(out.ok()) << out.status();
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  EXPECT_THAT(metadata.step_stats().dev_stats(0).device(), HasSubstr("/device:CPU:0"));
  bool found = false;
  for (const auto& n : metadata.step_stats().dev_stats(0).node_stats()) {
    if (n.node_name() != "twice") continue;
    found = true;
    EXPECT_GT(n.all_start_micros(), 0);
    EXPECT_GE(n.all_end_rel_nanos(), 0);
    EXPECT_THAT(n.timeline_label(), HasSubstr("twice = TestAdd(sum"));
    ASSERT_EQ(n.output_size(), 1);
    EXPECT_EQ(n.output(0).tensor_description().dtype(), tensorflow::DT_FLOAT);
  }
  EXPECT_TRUE(found);
  ASSERT_EQ(metadata.partition_graphs_size(), 1);
  EXPECT_GE(metadata.partition_graphs(0).node_size(), 5);
  ASSERT_TRUE(s.run({{"a", f(1)}, {"b", f(2)}}, {"twice"}, {}, {}, &stats).ok());
  EXPECT_EQ(stats.metadata, "") << "nothing was asked for";
}

TEST_F(CallableTest, models_the_cost_of_every_so_many_runs) {
  auto options =
      SessionOptions::from_config_text("graph_options { build_cost_model: 2 build_cost_model_after: 1 }");
  ASSERT_TRUE(options.ok());
  Session& s = open(*options);
  for (int i = 0; i < 6; ++i) {
    RunStats stats;
    ASSERT_TRUE(s.run({{"a", f(1)}, {"b", f(2)}}, {"twice"}, {}, {}, &stats).ok());
    tensorflow::RunMetadata metadata;
    ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
    ASSERT_EQ(metadata.has_cost_graph(), i == 2 || i == 4) << "run " << i;
    if (i != 2) continue;
    EXPECT_TRUE(metadata.has_step_stats());
    const auto& nodes = metadata.cost_graph().node();
    auto named = [](const std::string& name) { return [name](const auto& n) { return n.name() == name; }; };
    auto sum = std::find_if(nodes.begin(), nodes.end(), named("sum"));
    auto twice = std::find_if(nodes.begin(), nodes.end(), named("twice"));
    ASSERT_TRUE(sum != nodes.end() && twice != nodes.end());
    EXPECT_THAT(twice->device(), HasSubstr("/device:CPU:0"));
    ASSERT_EQ(twice->input_info_size(), 2);
    EXPECT_EQ(twice->input_info(0).preceding_node(), sum->id());
    EXPECT_EQ(twice->input_info(1).preceding_port(), 0);
    ASSERT_EQ(twice->output_info_size(), 1);
    EXPECT_EQ(twice->output_info(0).size(), 4);
    EXPECT_EQ(twice->output_info(0).dtype(), tensorflow::DT_FLOAT);
    EXPECT_FALSE(twice->output_info(0).shape().unknown_rank());
    EXPECT_GE(twice->compute_cost(), 0);
  }
}

}  // namespace
}  // namespace troupe::test
