// Steps, callables and partial runs of sessions at a server.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "actors/runtime_impl.h"
#include "proto/config.pb.h"
#include "tests/actors/grpc_client/client_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Fetched = absl::StatusOr<std::vector<Tensor>>;

std::string text_of(const absl::Status& status) { return std::string(status.message()); }

CallableOptions callable(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches) {
  CallableOptions options;
  options.feeds = feeds;
  options.fetches = fetches;
  return options;
}

class ClientRuns : public GrpcClientTest {
 protected:
  Session& open(const std::string& config_text = "") {
    serve();
    session_ = open_with_graph(config_text);
    return *session_;
  }
  /// What the only step waits for, as soon as it says so.
  std::vector<std::string> frontier() {
    const auto late = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < late) {
      const auto steps = session_->inspect();
      if (steps.ok() && steps->size() == 1 && !steps->front().frontier.empty())
        return steps->front().frontier;
    }
    return {};
  }
};

TEST_F(ClientRuns, s254_s256_answer_in_the_order_of_the_fetches_however_often) {
  Session& s = open();
  EXPECT_THAT(numbers(s.run(x(1), {"four:0", "twice:0", "four:0"})), ElementsAre(4, 2, 4));
  EXPECT_THAT(numbers(s.run(x(1), {"twice", "four", "twice:0"})), ElementsAre(2, 4, 2));
  EXPECT_THAT(numbers(s.run({{"twice:0", Tensor::scalar<float>(5)}}, {"four"})), ElementsAre(10));
  EXPECT_TRUE(s.run(x(1), {}, {"four"}).ok());
}

/// Elements that are not alike, of more bytes than go inside of messages.
Tensor large(float first) {
  Tensor t(DataType::kFloat, Shape{300, 100});
  float next = first;
  for (float& v : t.flat<float>()) v = next++;
  return t;
}

void expect_large(const absl::StatusOr<Tensor>& got) {
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->shape(), (Shape{300, 100}));
  const Tensor fed = large(1);
  for (int64_t i = 0; i < fed.num_elements(); ++i)
    ASSERT_EQ(got->flat<float>()[i], fed.flat<float>()[i]) << i;
}

absl::StatusOr<Tensor> nth(const Fetched& fetched, size_t i) {
  if (!fetched.ok()) return fetched.status();
  return (*fetched)[i];
}

TEST_F(ClientRuns, large_values_go_there_and_back_beside_small_ones) {
  Session& s = open();
  ASSERT_EQ(s.extend(graph_of(R"(
    node { name: 'big' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
    node { name: 'same' op: 'Identity' input: 'big' attr { key: 'T' value { type: DT_FLOAT } } }
    node { name: 'again' op: 'Identity' input: 'same' attr { key: 'T' value { type: DT_FLOAT } } })")),
            absl::OkStatus());
  const Fetched run = s.run({{"big", large(1)}}, {"one", "same", "again"});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)[0].value<float>(), 1);
  expect_large(nth(run, 1));
  expect_large(nth(run, 2));

  const auto handle = s.make_callable(callable({"big"}, {"again", "one"}));
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Tensor given[] = {large(1)};
  Tensor called[2];
  ASSERT_EQ(s.run_callable(*handle, given, called), absl::OkStatus());
  expect_large(called[0]);
  EXPECT_EQ(called[1].value<float>(), 1);

  const auto partial = s.partial_run_setup({"big"}, {"one", "again", "same"}, {});
  ASSERT_TRUE(partial.ok()) << partial.status();
  expect_large(nth(s.partial_run(*partial, {{"big", large(1)}}, {"same"}), 0));
  expect_large(nth(s.partial_run(*partial, {}, {"one", "again"}), 1));
}

TEST_F(ClientRuns, errors_are_the_servers) {
  Session& s = open();
  const absl::Status failed = s.run(x(1), {"fail"}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(failed)) << failed;
  EXPECT_THAT(text_of(failed), AllOf(StartsWith("told to fail"), HasSubstr("[[{{node fail}}]]")));
  EXPECT_EQ(s.run(x(1), {"none"}).status(), absl::NotFoundError("FetchOutputs node none:0: not found"));
  EXPECT_EQ(s.run({{"none", Tensor::scalar<float>(1)}}, {"four"}).status(),
            absl::NotFoundError("FeedInputs: unable to find feed output none:0"));
  EXPECT_TRUE(absl::IsInvalidArgument(s.run({}, {"four"}).status()));
  EXPECT_THAT(numbers(s.run(x(1), {"four"})), ElementsAre(4)) << "the session goes on";
}

TEST_F(ClientRuns, statistics_are_the_servers) {
  Session& s = open();
  RunOptions options;
  options.collect_stats = true;
  RunStats stats;
  EXPECT_TRUE(s.run(x(1), {"four"}, {}, options, &stats).ok());
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  std::vector<std::string> ran;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) ran.push_back(node.node_name());
  }
  EXPECT_THAT(ran, Contains("four"));
}

TEST_F(ClientRuns, what_is_not_for_servers_is_unimplemented) {
  Session& s = open();
  RunOptions graphs;
  graphs.output_partition_graphs = true;
  EXPECT_TRUE(absl::IsUnimplemented(s.run(x(1), {"four"}, {}, graphs).status()));
  RunOptions watched;
  watched.debug.watches = {{"four", 0, {"DebugIdentity"}, {"file:///tmp/none"}, false}};
  EXPECT_TRUE(absl::IsUnimplemented(s.run(x(1), {"four"}, {}, watched).status()));
}

TEST_F(ClientRuns, any_number_of_threads_run_at_once) {
  Session& s = open();
  std::vector<std::future<bool>> all;
  for (int t = 0; t < 8; ++t) {
    all.push_back(std::async(std::launch::async, [&s, t] {
      bool good = true;
      for (int i = 0; i < 25; ++i) {
        const float fed = static_cast<float>(100 * t + i);
        const Fetched fetched = s.run(x(fed), {"four"});
        good = good && fetched.ok() && (*fetched)[0].value<float>() == 4 * fed;
      }
      return good;
    }));
  }
  for (auto& good : all) EXPECT_TRUE(good.get());
  EXPECT_EQ(s.counters().runs, 200);
}

TEST_F(ClientRuns, large_values_go_both_ways) {
  Session& s = open();
  ASSERT_EQ(s.extend(graph_of(R"(
    node { name: 'big' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
    node { name: 'same' op: 'Identity' input: 'big' attr { key: 'T' value { type: DT_FLOAT } } })")),
            absl::OkStatus());
  Tensor large(DataType::kFloat, Shape{2'000'000});
  for (int64_t i = 0; i < large.num_elements(); ++i) large.flat<float>()[i] = static_cast<float>(i % 1000);
  const Fetched same = s.run({{"big", large}}, {"same"});
  ASSERT_TRUE(same.ok()) << same.status();
  ASSERT_EQ((*same)[0].bytes(), large.bytes());
  EXPECT_EQ((*same)[0].flat<float>()[1'999'999], 999);
}

// --- ends before the end ---

TEST_F(ClientRuns, s272_a_deadline_ends_the_step_there_too) {
  Session& s = open();
  RunOptions soon;
  soon.timeout = 50ms;
  const absl::Status late = s.run(x(1), {"hang"}, {}, soon).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(late)) << late;
  EXPECT_TRUE(server_comes_to_rest());
}

TEST_F(ClientRuns, the_sessions_own_deadline_ends_the_step_there_too) {
  Session& s = open("operation_timeout_in_ms: 50");
  EXPECT_TRUE(absl::IsDeadlineExceeded(s.run(x(1), {"hang"}).status()));
  EXPECT_TRUE(server_comes_to_rest());
}

TEST_F(ClientRuns, a_cancel_ends_the_step_there_too) {
  Session& s = open();
  std::promise<Fetched> end;
  AsyncRun run = s.run_async(x(1), {"hang"}, {}, {},
                             [&](Fetched fetched, const RunStats&) { end.set_value(std::move(fetched)); });
  await_hung(1);
  EXPECT_THAT(frontier(), ElementsAre(server_->target() + ": running"));
  EXPECT_TRUE(run.cancel("enough"));
  const absl::Status cancelled = end.get_future().get().status();
  EXPECT_TRUE(absl::IsCancelled(cancelled)) << cancelled;
  EXPECT_EQ(text_of(cancelled), "Run call was cancelled: enough");
  EXPECT_TRUE(server_comes_to_rest());
}

TEST_F(ClientRuns, a_close_ends_the_steps_there_too) {
  Session& s = open();
  auto run = s.run_async(x(1), {"hang"});
  await_hung(1);
  EXPECT_EQ(s.close(), absl::OkStatus());
  EXPECT_TRUE(absl::IsCancelled(run.get().status()));
  EXPECT_TRUE(server_comes_to_rest());
}

TEST_F(ClientRuns, the_end_of_the_server_ends_them) {
  Session& s = open();
  auto run = s.run_async(x(1), {"hang"});
  await_hung(1);
  server_->stop();
  const absl::Status ended = run.get().status();
  EXPECT_TRUE(absl::IsAborted(ended) || absl::IsUnavailable(ended)) << ended;
}

TEST_F(ClientRuns, many_are_outstanding) {
  Session& s = open();
  std::vector<std::future<Fetched>> all;
  for (int i = 0; i < 100; ++i) all.push_back(s.run_async(x(static_cast<float>(i)), {"four"}));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(numbers(all[i].get()), ElementsAre(4 * i));
}

// --- callables ---

TEST_F(ClientRuns, s252_callables_run_again_and_again_until_they_are_released) {
  Session& s = open();
  for (int i = 0; i < 25; ++i) {
    const auto handle = s.make_callable(callable({"x:0"}, {"four:0", "twice:0"}));
    ASSERT_TRUE(handle.ok()) << handle.status();
    for (int k = 0; k < 2; ++k) {
      const Tensor feeds[] = {Tensor::scalar<float>(1)};
      Tensor fetches[2];
      ASSERT_EQ(s.run_callable(*handle, feeds, fetches), absl::OkStatus());
      EXPECT_EQ(fetches[0].value<float>(), 4);
      EXPECT_EQ(fetches[1].value<float>(), 2);
    }
    EXPECT_EQ(s.release_callable(*handle), absl::OkStatus());
    EXPECT_TRUE(absl::IsInvalidArgument(s.run_callable(*handle, {}, {})));
  }
}

TEST_F(ClientRuns, s253_callables_feed_and_fetch_the_hosts_memory_only) {
  Session& s = open();
  CallableOptions options = callable({"x:0"}, {"four:0"});
  options.fetch_devices = {{"four:0", "/job:localhost/replica:0/task:0/device:CPU:0"}};
  options.fetch_skip_sync = true;
  const auto refused = s.make_callable(options);
  EXPECT_TRUE(absl::IsUnimplemented(refused.status())) << refused.status();
  EXPECT_THAT(text_of(refused.status()), HasSubstr("when using a remote session"));
}

TEST_F(ClientRuns, callables_name_tensors_as_runs_do) {
  Session& s = open();
  const auto handle = s.make_callable(callable({"x"}, {"twice", "four:0", "twice:0"}));
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Tensor feeds[] = {Tensor::scalar<float>(1)};
  Tensor fetches[3];
  ASSERT_EQ(s.run_callable(*handle, feeds, fetches), absl::OkStatus());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(fetches[i].value<float>(), i == 1 ? 4 : 2);
}

TEST_F(ClientRuns, callables_are_judged_when_they_are_made) {
  Session& s = open();
  EXPECT_EQ(s.make_callable(callable({"x:0"}, {"none:0"})).status(),
            absl::NotFoundError("FetchOutputs node none:0: not found"));
  const auto failing = s.make_callable(callable({"x:0"}, {"fail:0"}));
  ASSERT_TRUE(failing.ok()) << failing.status();
  const Tensor feeds[] = {Tensor::scalar<float>(1)};
  Tensor fetches[1];
  EXPECT_THAT(text_of(s.run_callable(*failing, feeds, fetches)), StartsWith("told to fail"));
  EXPECT_EQ(s.run_callable(*failing, {}, fetches),
            absl::InvalidArgumentError("Expected 1 feed tensors, but got 0."));
}

TEST_F(ClientRuns, a_callable_takes_one_tensor_for_another) {
  Session& s = open();
  CallableOptions options = callable({}, {"four:0"});
  options.tensor_connections = {{"one:0", "twice:0"}};
  const auto handle = s.make_callable(options);
  ASSERT_TRUE(handle.ok()) << handle.status();
  Tensor fetches[1];
  ASSERT_EQ(s.run_callable(*handle, {}, fetches), absl::OkStatus());
  EXPECT_EQ(fetches[0].value<float>(), 2);
}

// --- partial runs ---

TEST_F(ClientRuns, a_partial_run_goes_in_turns) {
  Session& s = open();
  EXPECT_FALSE(s.partial_run_setup({"x"}, {"none"}).ok());
  const auto handle = s.partial_run_setup({"x"}, {"twice", "four"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const Fetched early = s.partial_run(*handle, {}, {"four"});
  EXPECT_TRUE(absl::IsInvalidArgument(early.status())) << early.status();
  auto report = s.inspect_partial_run(*handle);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->feeds_to_come, ElementsAre("x:0"));
  EXPECT_THAT(report->fetches_to_come, ElementsAre("four:0", "twice:0"));
  EXPECT_EQ(s.partial_runs()->size(), 1u);
  EXPECT_THAT(numbers(s.partial_run(*handle, x(5), {"four"})), ElementsAre(20));
  report = s.inspect_partial_run(*handle);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->feeds_to_come, IsEmpty());
  EXPECT_THAT(report->fetches_to_come, ElementsAre("twice:0"));
  EXPECT_TRUE(absl::IsUnimplemented(s.partial_run_fork(*handle).status()));
}

TEST_F(ClientRuns, a_partial_run_is_over_when_all_is_fed_and_fetched) {
  Session& s = open();
  const auto handle = s.partial_run_setup({"x"}, {"twice", "four"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_THAT(numbers(s.partial_run(*handle, x(1), {"twice"})), ElementsAre(2));
  EXPECT_THAT(numbers(s.partial_run(*handle, {}, {"four"})), ElementsAre(4));
  EXPECT_TRUE(absl::IsInvalidArgument(s.partial_run(*handle, {}, {"four"}).status()));
  EXPECT_THAT(*s.partial_runs(), IsEmpty());
}

TEST_F(ClientRuns, a_partial_run_that_is_cancelled_tells_the_next_who_takes_a_turn) {
  Session& s = open();
  const auto handle = s.partial_run_setup({"x"}, {"hang"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto turn = std::async(std::launch::async, [&] { return s.partial_run(*handle, x(1), {"hang"}); });
  await_hung(1);
  EXPECT_EQ(s.cancel_partial_run(*handle, "enough"), absl::OkStatus());
  EXPECT_EQ(turn.get().status(), absl::CancelledError("Run call was cancelled: enough"));
  EXPECT_TRUE(absl::IsCancelled(s.partial_run(*handle, {}, {"hang"}).status()));
  EXPECT_TRUE(server_comes_to_rest());
}

TEST_F(ClientRuns, a_turn_has_the_sessions_deadline) {
  Session& s = open("operation_timeout_in_ms: 50");
  const auto handle = s.partial_run_setup({"x"}, {"hang"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(s.partial_run(*handle, x(1), {"hang"}).status()));
  EXPECT_TRUE(server_comes_to_rest());
}

TEST_F(ClientRuns, a_streamed_run_tells_each_fetch) {
  Session& s = open();
  std::promise<Fetched> end;
  std::map<size_t, float> heard;
  (void)s.run_streamed(
      x(1), {"twice", "four"}, {}, [&](size_t at, const Tensor& value) { heard[at] = value.value<float>(); },
      [&](Fetched fetched, const RunStats&) { end.set_value(std::move(fetched)); });
  EXPECT_THAT(numbers(end.get_future().get()), ElementsAre(2, 4));
  EXPECT_EQ(heard, (std::map<size_t, float>{{0, 2}, {1, 4}}));
}

}  // namespace
}  // namespace troupe::test
