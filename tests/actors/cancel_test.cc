#include <gmock/gmock.h>

#include <future>

#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// Runs a fetch on another thread until the test cancels it.
std::future<absl::Status> run_in_background(Session& s, const std::string& fetch, RunOptions options = {}) {
  return std::async(std::launch::async, [&s, fetch, options] {
    return s.run({{"x", Tensor::scalar<float>(1)}}, {fetch}, {}, options).status();
  });
}

void wait_until_running(Session& s, size_t steps) {
  while (s.counters().running_steps < static_cast<int64_t>(steps)) std::this_thread::yield();
  // Begun, not only counted in: the report lists it.
  while (true) {
    auto reports = s.inspect();
    ASSERT_TRUE(reports.ok());
    if (reports->size() >= steps) return;
    std::this_thread::yield();
  }
}

class CancelTest : public SessionTest, public testing::WithParamInterface<const char*> {};

TEST_P(CancelTest, ends_a_step_and_leaves_the_session_usable) {
  int x = placeholder("x");
  endless_loop("loop");
  add("sleep", "TestSleep", {{"micros", 60'000'000}}, {{x, 0}});
  add("hang", "TestHang", {}, {{x, 0}});
  add("fine", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
  Session& s = open();
  for (int i = 0; i < 5; ++i) {
    auto step = run_in_background(s, GetParam());
    wait_until_running(s, 1);
    auto cancelled = s.cancel("the test says so");
    ASSERT_TRUE(cancelled.ok());
    EXPECT_EQ(*cancelled, 1);
    absl::Status end = step.get();
    EXPECT_EQ(end.code(), absl::StatusCode::kCancelled) << end;
    EXPECT_THAT(std::string(end.message()), HasSubstr("the test says so"));
    EXPECT_TRUE(s.wait_idle(std::chrono::seconds(5)).ok());
    EXPECT_TRUE(s.run({{"x", Tensor::scalar<float>(1)}}, {"fine"}).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, CancelTest, testing::Values("loop", "sleep", "hang"));

TEST_F(SessionTest, s109_cancels_sixteen_steps_at_once) {
  int x = placeholder("x");
  add("hang", "TestHang", {}, {{x, 0}});
  Session& s = open();
  std::vector<std::future<absl::Status>> steps;
  for (int i = 0; i < 16; ++i) steps.push_back(run_in_background(s, "hang"));
  wait_until_running(s, 16);
  EXPECT_EQ(*s.cancel(), 16);
  for (auto& step : steps) EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
}

TEST_F(SessionTest, s111_cancels_a_run_that_has_only_just_begun) {
  endless_loop("loop");
  Session& s = open();
  // The first of these are caught while their signature is compiled.
  for (int i = 0; i < 50; ++i) {
    absl::Status ended;
    std::thread runner([&] { ended = s.run({}, {"loop"}).status(); });
    while (s.counters().running_steps == 0) std::this_thread::yield();
    EXPECT_TRUE(s.cancel("now").ok());
    runner.join();
    EXPECT_EQ(ended.code(), absl::StatusCode::kCancelled) << ended;
  }
}

TEST_F(SessionTest, s110_cancels_one_step_by_id) {
  int x = placeholder("x");
  add("hang", "TestHang", {}, {{x, 0}});
  Session& s = open();
  auto first = run_in_background(s, "hang");
  wait_until_running(s, 1);
  int64_t id = s.inspect()->at(0).step_id;
  auto second = run_in_background(s, "hang");
  wait_until_running(s, 2);
  EXPECT_TRUE(s.cancel_step(id).ok());
  EXPECT_EQ(first.get().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(s.counters().running_steps, 1);
  EXPECT_EQ(s.cancel_step(id).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(*s.cancel(), 1);
  EXPECT_EQ(second.get().code(), absl::StatusCode::kCancelled);
}

TEST_F(SessionTest, a_deadline_names_what_was_not_done) {
  int x = placeholder("x");
  int hang = add("hang", "TestHang", {}, {{x, 0}});
  int one = constant("one", Tensor::scalar<float>(1));
  add("after", "TestAdd", {}, {{hang, 0}, {one, 0}});
  Session& s = open();
  RunOptions options;
  options.timeout = std::chrono::milliseconds(30);
  absl::Status end = run_in_background(s, "after", options).get();
  EXPECT_EQ(end.code(), absl::StatusCode::kDeadlineExceeded) << end;
  EXPECT_THAT(std::string(end.message()), HasSubstr("Timed out waiting for notification"));
  EXPECT_THAT(std::string(end.message()), HasSubstr("hang (TestHang): running"));
  EXPECT_THAT(std::string(end.message()), HasSubstr("after (TestAdd): waits for hang"));
}

TEST_F(SessionTest, the_sessions_own_timeout_ends_sleeping_kernels) {
  int x = placeholder("x");
  add("sleep", "TestSleep", {{"micros", 60'000'000}}, {{x, 0}});
  SessionOptions options;
  options.operation_timeout = std::chrono::milliseconds(20);
  Session& s = open(options);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run_in_background(s, "sleep").get().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST_F(SessionTest, close_cancels_the_steps_that_run) {
  int x = placeholder("x");
  add("hang", "TestHang", {}, {{x, 0}});
  Session& s = open();
  auto step = run_in_background(s, "hang");
  wait_until_running(s, 1);
  EXPECT_TRUE(s.close().ok());
  EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
}

TEST_F(SessionTest, inspect_shows_what_a_step_waits_for) {
  int x = placeholder("x");
  int hang = add("hang", "TestHang", {}, {{x, 0}});
  int one = constant("one", Tensor::scalar<float>(1));
  add("after", "TestAdd", {}, {{hang, 0}, {one, 0}});
  Session& s = open();
  auto step = run_in_background(s, "after");
  wait_until_running(s, 1);
  std::vector<StepReport> reports = *s.inspect();
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_THAT(reports[0].fetches, testing::ElementsAre("after"));
  EXPECT_THAT(reports[0].frontier, testing::Contains(HasSubstr("hang (TestHang) on /job:localhost")));
  EXPECT_EQ(*s.cancel(), 1);
  EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace troupe::test
