// Steps, callables and partial runs of sessions at a node.
#include <gmock/gmock.h>

#include <caf/all.hpp>

#include <cmath>
#include <map>
#include <thread>

#include "actors/adopt_session.h"
#include "actors/ask.h"
#include "proto/config.pb.h"
#include "tests/actors/node/caf_client_fixture.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Fetched = absl::StatusOr<std::vector<Tensor>>;

class CafRuns : public CafClientTest {
 protected:
  Session& open(const std::string& config_text = "") {
    start_all(2);
    session_ = open_there(client_, config_text);
    return *session_;
  }
  static std::vector<float> numbers(const Fetched& fetched) {
    std::vector<float> out;
    EXPECT_TRUE(fetched.ok()) << fetched.status();
    for (size_t i = 0; fetched.ok() && i < fetched->size(); ++i) out.push_back((*fetched)[i].value<float>());
    return out;
  }
  static CallableOptions callable(const std::vector<std::string>& feeds,
                                  const std::vector<std::string>& fetches) {
    CallableOptions options;
    options.feeds = feeds;
    options.fetches = fetches;
    return options;
  }

  Client client_;
  std::unique_ptr<Session> session_;
};

TEST_F(CafRuns, answer_in_the_order_of_the_fetches_however_often) {
  Session& s = open();
  EXPECT_THAT(numbers(s.run(x(1), {"z:0", "y:0", "z:0"})), ElementsAre(4, 2, 4));
  EXPECT_THAT(numbers(s.run(x(1), {"y", "z", "y:0"})), ElementsAre(2, 4, 2));
  EXPECT_THAT(numbers(s.run({{"y:0", Tensor::scalar<float>(5)}}, {"z"})), ElementsAre(25));
  EXPECT_TRUE(s.run(x(1), {}, {"z"}).ok());
}

TEST_F(CafRuns, errors_are_the_nodes) {
  Session& s = open();
  const absl::Status failed = s.run(x(NAN), {"check"}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(failed)) << failed;
  EXPECT_THAT(text_of(failed), AllOf(HasSubstr("told to look"), HasSubstr("{{node check}}")));
  EXPECT_FALSE(s.run(x(1), {"none"}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(s.run({}, {"y"}).status())) << "x is not fed";
  EXPECT_FALSE(s.make_callable(callable({"none"}, {"z"})).ok());
  EXPECT_FALSE(s.partial_run_setup({"x"}, {"none"}).ok());
  EXPECT_THAT(numbers(s.run(x(1), {"z"})), ElementsAre(4)) << "the session goes on";
}

TEST_F(CafRuns, statistics_are_of_all_tasks) {
  Session& s = open();
  RunOptions options;
  options.collect_stats = true;
  RunStats stats;
  EXPECT_TRUE(s.run(x(1), {"z"}, {}, options, &stats).ok());
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(stats.metadata));
  std::vector<std::string> ran;
  for (const auto& device : metadata.step_stats().dev_stats()) {
    for (const auto& node : device.node_stats()) ran.push_back(node.node_name());
  }
  EXPECT_THAT(ran, AllOf(Contains("y"), Contains("z")));
}

TEST_F(CafRuns, large_values_go_both_ways_and_small_ones_pass_them) {
  Session& s = open();
  Tensor large(DataType::kFloat, Shape{3'000'001});
  for (int64_t i = 0; i < large.num_elements(); ++i) large.flat<float>()[i] = static_cast<float>(i % 1000);
  auto first = s.run_async({{"x", large}}, {"y"});
  EXPECT_THAT(numbers(s.run({}, {"one"})), ElementsAre(1));
  ASSERT_EQ(first.wait_for(30s), std::future_status::ready);
  const Fetched twice = first.get();
  ASSERT_TRUE(twice.ok()) << twice.status();
  ASSERT_EQ((*twice)[0].shape(), large.shape());
  for (int64_t i = 0; i < large.num_elements(); ++i)
    ASSERT_EQ((*twice)[0].flat<float>()[i], 2 * large.flat<float>()[i]) << i;
}

TEST_F(CafRuns, strings_go_both_ways) {
  Session& s = open();
  Tensor texts(DataType::kString, Shape{1000});
  for (size_t i = 0; i < 1000; ++i) texts.flat<TString>()[i].assign(std::string(i, 'a'));
  const Fetched same = s.run({{"text", texts}}, {"same"});
  ASSERT_TRUE(same.ok()) << same.status();
  for (size_t i = 0; i < 1000; ++i) ASSERT_EQ((*same)[0].flat<TString>()[i].str(), std::string(i, 'a'));
}

TEST_F(CafRuns, a_value_that_the_node_has_no_room_for_is_refused_alone) {
  options_.max_message_bytes = 3 << 20;
  Session& s = open();
  const absl::Status refused = s.run({{"x", Tensor(DataType::kFloat, Shape{2'000'000})}}, {"y"}).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(text_of(refused), HasSubstr(target(0)));
  EXPECT_THAT(numbers(s.run(x(1), {"z"})), ElementsAre(4));
}

TEST_F(CafRuns, any_number_of_threads_run_at_once) {
  Session& s = open();
  std::vector<std::future<bool>> all;
  for (int t = 0; t < 8; ++t) {
    all.push_back(std::async(std::launch::async, [&s, t] {
      bool good = true;
      for (int i = 0; good && i < 25; ++i) {
        const float fed = static_cast<float>(100 * t + i);
        good = only(s.run(x(fed), {"y"})) == 2 * fed;
      }
      return good;
    }));
  }
  for (auto& good : all) EXPECT_TRUE(good.get());
}

TEST_F(CafRuns, one_that_waits_holds_up_no_other) {
  Session& s = open();
  auto waiting = begin_waiting(s);
  for (int i = 1; i < 10; ++i) EXPECT_EQ(only(s.run(x(1), {"z"})), 4);
  EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(s.close(), absl::OkStatus());
  EXPECT_TRUE(absl::IsCancelled(end_of(waiting)));
  EXPECT_TRUE(comes_to_run(0));
}

TEST_F(CafRuns, one_that_nobody_waits_for_is_heard_at_once_after_one_that_somebody_did) {
  Session& s = open();
  EXPECT_EQ(only(s.run(x(1), {"y"})), 2);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    // Its own thread hears the first's answer; the caller's thread has left that to it.
    EXPECT_EQ(only(s.run(x(1), {"y"})), 2);
    EXPECT_EQ(only(s.run_async(x(2), {"y"}).get()), 4);
  }
  // A twentieth of a second each, if the second's answer lay until the caller's thread looks again.
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s);
}

TEST_F(CafRuns, one_that_is_waited_for_ends_with_its_node) {
  Session& s = open();
  EXPECT_EQ(only(s.run(x(1), {"y"})), 2);
  auto waiting = std::async(std::launch::async, [&s] { return s.run({}, {"wait"}); });
  ASSERT_TRUE(comes_to_run(1));
  stop(0);
  EXPECT_TRUE(absl::IsUnavailable(end_of(waiting)));
}

TEST_F(CafRuns, one_that_is_waited_for_is_cancelled_by_another_thread) {
  Session& s = open();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(only(s.run(x(1), {"y"})), 2);
    auto waiting = std::async(std::launch::async, [&s] { return s.run({}, {"wait"}); });
    ASSERT_TRUE(comes_to_run(1));
    EXPECT_EQ(*s.cancel("enough"), 1);
    EXPECT_TRUE(absl::IsCancelled(end_of(waiting)));
    ASSERT_TRUE(comes_to_run(0));
  }
}

// --- ends before the end ---

TEST_F(CafRuns, a_cancel_ends_the_step_there_too) {
  Session& s = open();
  std::promise<Fetched> end;
  AsyncRun run = s.run_async({}, {"wait"}, {}, {},
                             [&](Fetched fetched, const RunStats&) { end.set_value(std::move(fetched)); });
  ASSERT_TRUE(comes_to_run(1));
  EXPECT_TRUE(run.cancel("enough"));
  EXPECT_EQ(end.get_future().get().status(), absl::CancelledError("Run call was cancelled: enough"));
  EXPECT_TRUE(comes_to_run(0));
  EXPECT_EQ(only(s.run(x(1), {"z"})), 4);
}

TEST_F(CafRuns, a_deadline_ends_the_step_there_too) {
  Session& s = open();
  RunOptions soon;
  soon.timeout = 50ms;
  const absl::Status late = s.run({}, {"wait"}, {}, soon).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(late)) << late;
  EXPECT_TRUE(comes_to_run(0));
}

TEST_F(CafRuns, the_sessions_own_deadline_is_for_steps_and_turns) {
  Session& s = open("operation_timeout_in_ms: 500");
  EXPECT_TRUE(absl::IsDeadlineExceeded(s.run({}, {"wait"}).status()));
  EXPECT_TRUE(comes_to_run(0));
  const auto handle = s.partial_run_setup({}, {"wait"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(s.partial_run(*handle, {}, {"wait"}).status()));
  EXPECT_TRUE(comes_to_run(0));
}

// --- callables, partial runs, and messages ---

TEST_F(CafRuns, callables_run_until_they_are_released) {
  Session& s = open();
  const auto handle = s.make_callable(callable({"x"}, {"z", "y", "z"}));
  ASSERT_TRUE(handle.ok()) << handle.status();
  for (int i = 1; i <= 3; ++i) {
    const float fed = static_cast<float>(i);
    const Tensor given[] = {Tensor::scalar<float>(fed)};
    Tensor called[3];
    ASSERT_EQ(s.run_callable(*handle, given, called), absl::OkStatus());
    EXPECT_EQ(called[0].value<float>(), 4 * fed * fed);
    EXPECT_EQ(called[1].value<float>(), 2 * fed);
    EXPECT_EQ(called[2].value<float>(), 4 * fed * fed);
  }
  EXPECT_EQ(s.release_callable(*handle), absl::OkStatus());
  const Tensor given[] = {Tensor::scalar<float>(1)};
  Tensor called[3];
  EXPECT_TRUE(absl::IsInvalidArgument(s.run_callable(*handle, given, called)));
}

TEST_F(CafRuns, partial_runs_take_their_turns_on_all_tasks) {
  Session& s = open();
  const auto handle = s.partial_run_setup({"x"}, {"y", "z", "one"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  EXPECT_EQ(only(s.partial_run(*handle, {}, {"one"})), 1);
  EXPECT_EQ(only(s.partial_run(*handle, x(3), {"z"})), 36);
  EXPECT_EQ(only(s.partial_run(*handle, {}, {"y"})), 6);
  EXPECT_TRUE(absl::IsInvalidArgument(s.partial_run(*handle, {}, {"y"}).status())) << "it is over";
  EXPECT_THAT(*s.partial_runs(), IsEmpty());
}

TEST_F(CafRuns, a_partial_run_that_is_cancelled_ends_there) {
  Session& s = open();
  const auto handle = s.partial_run_setup({"x"}, {"wait"});
  ASSERT_TRUE(handle.ok()) << handle.status();
  auto turn = std::async(std::launch::async, [&] { return s.partial_run(*handle, {}, {"wait"}); });
  ASSERT_TRUE(comes_to_run(1));
  // Its turn may not have got there.
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(s.cancel_partial_run(*handle, "enough"), absl::OkStatus());
  EXPECT_EQ(turn.get().status(), absl::CancelledError("Run call was cancelled: enough"));
  EXPECT_TRUE(comes_to_run(0));
}

TEST_F(CafRuns, a_streamed_run_tells_each_fetch) {
  Session& s = open();
  std::promise<Fetched> end;
  std::map<size_t, float> heard;
  (void)s.run_streamed(
      x(1), {"y", "z"}, {}, [&](size_t at, const Tensor& value) { heard[at] = value.value<float>(); },
      [&](Fetched fetched, const RunStats&) { end.set_value(std::move(fetched)); });
  EXPECT_THAT(numbers(end.get_future().get()), ElementsAre(2, 4));
  EXPECT_EQ(heard, (std::map<size_t, float>{{0, 2}, {1, 4}}));
}

TEST_F(CafRuns, an_actor_asks_for_them_by_message) {
  start_all(2);
  caf::actor_system& system = client_.runtime->system();
  const auto opened =
      ask<SessionActor>(system, runtime_actor(*client_.runtime), OpenSession{options_there()});
  ASSERT_TRUE(opened.ok()) << opened.status();
  auto def = std::make_shared<tensorflow::GraphDef>();
  auto& node = *def->add_node();
  node.set_name("c");
  node.set_op("NoOp");
  ASSERT_TRUE(ask<Done>(system, *opened, CreateGraph{def, nullptr}).ok());
  const auto ran = ask<RunReply>(system, *opened, RunRequest{{}, {}, {"c"}, {}});
  EXPECT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(sessions_on(0), 1);
  ASSERT_TRUE(ask<Done>(system, *opened, CloseRequest{}).ok());
  EXPECT_TRUE(comes_to_have(0, 0));
  caf::anon_send_exit(*opened, caf::exit_reason::user_shutdown);
}

}  // namespace
}  // namespace troupe::test
