// What those hear who have subscribed to a session's steps.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "actors/runtime_impl.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using Kind = StepEvent::Kind;
using namespace std::chrono_literals;

class StepEventsTest : public SessionTest {
 protected:
  StepEventsTest() {
    const int x = placeholder("x");
    add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("hang", "TestHang", {}, {{x, 0}});
    add("fail", "TestFail", {}, {{x, 0}});
  }
  static std::vector<NamedTensor> x() { return {{"x", Tensor::scalar<float>(1)}}; }
  StepSubscription::Hear hear() {
    return [this](const StepEvent& event) {
      std::lock_guard lock(mu_);
      events_.push_back(event);
      changed_.notify_all();
    };
  }
  std::vector<StepEvent> await(size_t n) {
    std::unique_lock lock(mu_);
    EXPECT_TRUE(changed_.wait_for(lock, 20s, [&] { return events_.size() >= n; }))
        << events_.size() << " of " << n << " events";
    return events_;
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::vector<StepEvent> events_;
};

TEST_F(StepEventsTest, tell_of_each_begin_and_end) {
  Session& s = open();
  const auto subscription = s.subscribe(hear());
  ASSERT_TRUE(subscription.ok()) << subscription.status();
  RunStats stats;
  ASSERT_TRUE(s.run(x(), {"twice"}, {"twice"}, {}, &stats).ok());
  EXPECT_FALSE(s.run(x(), {"fail"}).ok());
  const std::vector<StepEvent> events = await(4);
  EXPECT_EQ(events[0].kind, Kind::kBegun);
  EXPECT_EQ(events[0].step_id, stats.step_id);
  EXPECT_THAT(events[0].fetches, testing::ElementsAre("twice"));
  EXPECT_EQ(events[0].targets.size(), 1U);
  EXPECT_EQ(events[1].kind, Kind::kEnded);
  EXPECT_EQ(events[1].step_id, stats.step_id);
  EXPECT_EQ(events[2].kind, Kind::kBegun);
  EXPECT_EQ(events[3].kind, Kind::kFailed);
  EXPECT_EQ(events[3].step_id, events[2].step_id);
  EXPECT_THAT(std::string(events[3].status.message()), testing::HasSubstr("told to fail"));
  EXPECT_EQ(events[3].session_id, events[0].session_id);
}

TEST_F(StepEventsTest, tell_of_callables_runs_by_message_and_partial_runs) {
  Session& s = open();
  const auto subscription = s.subscribe(hear());
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"twice"};
  std::vector<Tensor> feeds{Tensor::scalar<float>(1)}, fetches(1);
  ASSERT_TRUE(s.run_callable(*s.make_callable(options), feeds, std::span<Tensor>(fetches)).ok());
  (void)await(2);
  (void)s.run_async(x(), {"twice"}).get();
  (void)await(4);
  const std::string handle = *s.partial_run_setup({"x"}, {"twice:0"});
  ASSERT_TRUE(s.partial_run(handle, x(), {"twice:0"}).ok());
  const std::vector<StepEvent> events = await(6);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(events[i].kind, i % 2 == 0 ? Kind::kBegun : Kind::kEnded) << i;
}

TEST_F(StepEventsTest, tell_once_of_a_step_that_is_slow) {
  Session& s = open();
  const auto subscription = s.subscribe(hear(), 5ms);
  auto run = s.run_async(x(), {"hang"});
  const std::vector<StepEvent> slow = await(2);
  EXPECT_EQ(slow[1].kind, Kind::kSlow);
  EXPECT_EQ(slow[1].step_id, slow[0].step_id);
  EXPECT_GE(slow[1].age, 5ms);
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(await(2).size(), 2U) << "once";
  ASSERT_EQ(*s.cancel(), 1);
  EXPECT_EQ(run.get().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(await(3)[2].kind, Kind::kFailed);
  // The next of the same slot is another step.
  auto next = s.run_async(x(), {"hang"});
  EXPECT_EQ(await(5)[4].kind, Kind::kSlow);
  EXPECT_EQ(*s.cancel(), 1);
  (void)next.get();
}

TEST_F(StepEventsTest, stop_with_the_subscription) {
  Session& s = open();
  {
    const auto subscription = s.subscribe(hear());
    ASSERT_TRUE(s.run(x(), {"twice"}).ok());
    (void)await(2);
  }
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(s.run(x(), {"twice"}).ok());
  EXPECT_EQ(await(2).size(), 2U);
}

TEST_F(StepEventsTest, may_end_their_subscription_and_may_throw) {
  Session& s = open();
  StepSubscription once;
  std::atomic<int> heard = 0;
  once = *s.subscribe([&](const StepEvent&) {
    ++heard;
    once = StepSubscription();
    throw std::runtime_error("not mine");
  });
  const auto other = s.subscribe(hear());
  ASSERT_TRUE(s.run(x(), {"twice"}).ok());
  ASSERT_TRUE(s.run(x(), {"twice"}).ok());
  (void)await(4);
  while (heard == 0) std::this_thread::yield();
  EXPECT_EQ(heard, 1);
}

TEST_F(StepEventsTest, outlive_the_session_without_harm) {
  Session& s = open();
  const auto subscription = s.subscribe(hear(), 1ms);
  auto run = s.run_async(x(), {"hang"});
  (void)await(1);
  session_.reset();
  EXPECT_FALSE(run.get().ok());
  EXPECT_EQ(await(2).back().kind == Kind::kFailed || await(3).back().kind == Kind::kFailed, true);
}

TEST_F(StepEventsTest, refuse_what_makes_no_sense) {
  Session& s = open();
  EXPECT_EQ(s.subscribe(nullptr).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(s.subscribe(hear(), -1ms).status(),
            absl::InvalidArgumentError("Subscribe: slow_after is below zero."));
  ASSERT_TRUE(s.run(x(), {"twice"}).ok());
}

}  // namespace
}  // namespace troupe::test
