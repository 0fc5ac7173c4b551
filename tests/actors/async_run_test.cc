// Runs that nobody waits for: Session::run_async.
#include <caf/all.hpp>
#include <gmock/gmock.h>

#include <future>
#include <mutex>
#include <thread>

#include "actors/runtime_impl.h"
#include "proto/config.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using Fetched = absl::StatusOr<std::vector<Tensor>>;

constexpr std::chrono::seconds kPatience{20};

std::vector<NamedTensor> x(float value = 1) { return {{"x", Tensor::scalar<float>(value)}}; }

/// Collects what runs end with, in the order of their ends.
class Ends {
 public:
  RunCallback callback() {
    return [this](Fetched fetched, const RunStats& stats) {
      std::lock_guard lock(mu_);
      ends_.push_back(std::move(fetched));
      stats_.push_back(stats);
      changed_.notify_all();
    };
  }
  /// Those that there are once there are `n`.
  std::vector<Fetched> await(size_t n) {
    std::unique_lock lock(mu_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&] { return ends_.size() >= n; }))
        << ends_.size() << " of " << n << " runs have ended";
    return ends_;
  }
  size_t count() {
    std::lock_guard lock(mu_);
    return ends_.size();
  }
  RunStats stats(size_t i) {
    std::lock_guard lock(mu_);
    return stats_.at(i);
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  std::vector<Fetched> ends_;
  std::vector<RunStats> stats_;
};

/// "twice" is x + x; "hang" waits until it is cancelled; "fail" fails; "far" is computed on another device.
class AsyncRunTest : public SessionTest {
 protected:
  AsyncRunTest() {
    const int x = placeholder("x");
    const int twice = add("twice", "TestAdd", {}, {{x, 0}, {x, 0}});
    add("hang", "TestHang", {}, {{x, 0}});
    add("fail", "TestFail", {}, {{x, 0}});
    add("far", "TestAdd", {}, {{twice, 0}, {twice, 0}}, {}, "/cpu:1");
  }
  Session& open() {
    SessionOptions options;
    options.device_count["CPU"] = 2;
    return SessionTest::open(options);
  }
  static void await_steps(Session& s, size_t n) {
    while (s.inspect()->size() < n) std::this_thread::yield();
  }
  Ends ends_;
};

TEST_F(AsyncRunTest, end_with_their_fetches) {
  Session& s = open();
  for (int i = 1; i <= 100; ++i) {
    const AsyncRun run = s.run_async(x(static_cast<float>(i)), {"twice", "far"}, {}, {}, ends_.callback());
    const Fetched fetched = ends_.await(static_cast<size_t>(i)).back();
    ASSERT_TRUE(fetched.ok()) << fetched.status();
    EXPECT_EQ(fetched->at(0).value<float>(), 2 * i);
    EXPECT_EQ(fetched->at(1).value<float>(), 4 * i);
    EXPECT_NE(run.step_id(), 0);
    EXPECT_TRUE(run.over());
    EXPECT_EQ(ends_.stats(static_cast<size_t>(i) - 1).step_id, run.step_id());
  }
  EXPECT_EQ(s.counters().runs, 100);
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
}

TEST_F(AsyncRunTest, may_be_waited_for_later) {
  Session& s = open();
  std::vector<std::future<Fetched>> futures;
  for (int i = 0; i < 200; ++i) futures.push_back(s.run_async(x(static_cast<float>(i)), {"twice"}));
  for (int i = 0; i < 200; ++i) {
    const Fetched fetched = futures[static_cast<size_t>(i)].get();
    ASSERT_TRUE(fetched.ok()) << fetched.status();
    EXPECT_EQ(fetched->at(0).value<float>(), 2 * i);
  }
}

TEST_F(AsyncRunTest, may_be_runs_of_a_callable) {
  Session& s = open();
  CallableOptions options;
  options.feeds = {"x"};
  options.fetches = {"twice"};
  const auto callable = *s.pin_callable(*s.make_callable(options));
  (void)s.run_async(*callable, {Tensor::scalar<float>(4)}, ends_.callback());
  EXPECT_EQ(ends_.await(1).back()->at(0).value<float>(), 8);
  const AsyncRun refused = s.run_async(*callable, {}, ends_.callback());
  EXPECT_TRUE(refused.over());
  EXPECT_EQ(ends_.await(2).back().status(),
            absl::InvalidArgumentError("Expected 1 feed tensors, but got 0."));
}

TEST_F(AsyncRunTest, tell_errors_to_their_callback) {
  Session& s = open();
  (void)s.run_async(x(), {"fail"}, {}, {}, ends_.callback());
  EXPECT_THAT(std::string(ends_.await(1).back().status().message()), HasSubstr("told to fail"));
  (void)s.run_async(x(), {"nowhere"}, {}, {}, ends_.callback());
  EXPECT_EQ(ends_.await(2).back().status().code(), absl::StatusCode::kInvalidArgument);
  (void)s.run_async({{"x", Tensor::scalar<int32_t>(1)}}, {"twice"}, {}, {}, ends_.callback());
  EXPECT_THAT(std::string(ends_.await(3).back().status().message()), HasSubstr("Expects arg[0] to be float"));
  RunOptions elsewhere;
  elsewhere.inter_op_pool = 7;
  (void)s.run_async(x(), {"twice"}, {}, elsewhere, ends_.callback());
  EXPECT_EQ(ends_.await(4).back().status(), absl::InvalidArgumentError("Invalid inter_op_thread_pool: 7"));
  ASSERT_TRUE(s.close().ok());
  const AsyncRun run = s.run_async(x(), {"twice"}, {}, {}, ends_.callback());
  EXPECT_EQ(ends_.await(5).back().status(), absl::CancelledError("Session has been closed."));
  EXPECT_EQ(run.step_id(), 0);
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
}

TEST_F(AsyncRunTest, of_a_session_without_a_graph_are_refused) {
  const auto s = *Session::open(*runtime_);
  EXPECT_EQ(s->run_async({}, {"twice"}).get().status().message(),
            "Session was not created with a graph before Run()!");
}

TEST_F(AsyncRunTest, are_cancelled_one_by_one) {
  Session& s = open();
  std::vector<AsyncRun> runs;
  for (int i = 0; i < 3; ++i) runs.push_back(s.run_async(x(), {"hang"}, {}, {}, ends_.callback()));
  await_steps(s, 3);
  EXPECT_FALSE(runs[1].over());
  EXPECT_TRUE(runs[1].cancel("enough"));
  const Fetched end = ends_.await(1).back();
  EXPECT_EQ(end.status().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(end.status().message()), HasSubstr("Run call was cancelled: enough"));
  EXPECT_TRUE(runs[1].over());
  EXPECT_FALSE(runs[1].cancel());
  EXPECT_EQ(ends_.count(), 1U);
  // The others are under way, and are cancelled by the session's broadcast.
  EXPECT_FALSE(runs[0].over());
  EXPECT_EQ(*s.cancel(), 2);
  EXPECT_EQ(ends_.await(3).size(), 3U);
}

TEST_F(AsyncRunTest, are_cancelled_while_their_signature_is_compiled) {
  const int seven = constant("seven", Tensor::scalar<float>(7));
  add("held", "TestHold", {}, {{seven, 0}});
  let_go = false;
  Session& s = open();
  AsyncRun run = s.run_async({}, {"held"}, {}, {}, ends_.callback());
  while (held == 0) std::this_thread::yield();
  EXPECT_EQ(run.step_id(), 0);
  EXPECT_TRUE(run.cancel());
  EXPECT_EQ(ends_.await(1).back().status(), absl::CancelledError("Run call was cancelled"));
  let_go = true;
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
  EXPECT_EQ(s.run({}, {"held"})->at(0).value<float>(), 7);
  EXPECT_EQ(ends_.count(), 1U);
}

TEST_F(AsyncRunTest, keep_their_deadlines) {
  Session& s = open();
  RunOptions options;
  options.timeout = std::chrono::milliseconds(20);
  (void)s.run_async(x(), {"hang"}, {}, options, ends_.callback());
  EXPECT_EQ(ends_.await(1).back().status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(AsyncRunTest, end_with_their_session) {
  Session& s = open();
  std::vector<AsyncRun> runs;
  for (int i = 0; i < 8; ++i) runs.push_back(s.run_async(x(), {"hang"}, {}, {}, ends_.callback()));
  await_steps(s, 8);
  session_.reset();
  EXPECT_EQ(*runtime_->impl().live_slots, 0) << "handles of runs hold nothing of the session";
  for (const Fetched& end : ends_.await(8)) EXPECT_EQ(end.status().code(), absl::StatusCode::kCancelled);
  for (AsyncRun& run : runs) {
    EXPECT_TRUE(run.over());
    EXPECT_FALSE(run.cancel());
  }
  EXPECT_EQ(ends_.count(), 8U);
}

TEST_F(AsyncRunTest, end_when_the_session_actor_dies) {
  const int seven = constant("seven", Tensor::scalar<float>(7));
  add("held", "TestHold", {}, {{seven, 0}});
  let_go = false;
  Session& s = open();
  // One that runs, one that waits for the compiler, and one that SESSION never hears of.
  (void)s.run_async(x(), {"hang"}, {}, {}, ends_.callback());
  await_steps(s, 1);
  (void)s.run_async({}, {"held"}, {}, {}, ends_.callback());
  while (held == 0) std::this_thread::yield();
  caf::anon_send_exit(runtime_->impl().live_sessions().at(0)->actor, caf::exit_reason::kill);
  for (const Fetched& end : ends_.await(2)) EXPECT_EQ(end.status().code(), absl::StatusCode::kCancelled);
  let_go = true;
  (void)s.run_async(x(), {"twice"}, {}, {}, ends_.callback());
  EXPECT_EQ(ends_.await(3).back().status().code(), absl::StatusCode::kCancelled);
}

TEST_F(AsyncRunTest, ten_thousand_are_outstanding_from_one_thread) {
  constexpr size_t kRuns = 10'000;
  Session& s = open();
  for (size_t i = 0; i < kRuns; ++i) (void)s.run_async(x(), {"hang"}, {}, {}, ends_.callback());
  while (s.counters().running_steps < static_cast<int64_t>(kRuns)) std::this_thread::yield();
  EXPECT_EQ(ends_.count(), 0U);
  EXPECT_EQ(s.run(x(3), {"twice"})->at(0).value<float>(), 6);
  EXPECT_EQ(*s.cancel(), static_cast<int>(kRuns));
  EXPECT_EQ(ends_.await(kRuns).size(), kRuns);
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
  // What they ran on goes when it has not been needed for a while.
  const auto begin = std::chrono::steady_clock::now();
  while (s.counters().step_slots > 70 && std::chrono::steady_clock::now() - begin < kPatience)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(s.counters().step_slots, 70);
}

TEST_F(AsyncRunTest, may_begin_others_from_their_callback) {
  constexpr int kRuns = 2000;
  Session& s = open();
  std::promise<float> last;
  int left = kRuns;
  std::function<void(float)> next = [&](float value) {
    (void)s.run_async(x(value), {"twice"}, {}, {}, [&](Fetched fetched, const RunStats&) {
      if (!fetched.ok()) return last.set_exception(std::make_exception_ptr(std::runtime_error("failed")));
      if (--left == 0) return last.set_value(fetched->at(0).value<float>());
      next(fetched->at(0).value<float>() > 1e6F ? 1 : fetched->at(0).value<float>());
    });
  };
  next(1);
  EXPECT_GT(last.get_future().get(), 0);
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
}

TEST_F(AsyncRunTest, whose_callback_waits_for_another_run_hold_up_nothing) {
  Session& s = open();
  // By their EXECUTOR, by their STEP: both have let go of the slot that the other run begins on.
  for (const std::string fetch : {"twice", "far"}) {
    for (int i = 0; i < 20; ++i) {
      std::promise<float> inner;
      (void)s.run_async(x(), {fetch}, {}, {}, [&](const Fetched& fetched, const RunStats&) {
        const Fetched again = s.run(x(fetched.ok() ? fetched->at(0).value<float>() : -1), {fetch});
        inner.set_value(again.ok() ? again->at(0).value<float>() : -1);
      });
      auto ended = inner.get_future();
      ASSERT_EQ(ended.wait_for(kPatience), std::future_status::ready) << fetch << ", run " << i;
      EXPECT_EQ(ended.get(), fetch == "far" ? 16 : 4);
    }
  }
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
}

TEST_F(AsyncRunTest, whose_callback_throws_leave_the_session_as_it_was) {
  Session& s = open();
  for (const std::string fetch : {"twice", "twice", "twice", "far", "far", "far"}) {
    (void)s.run_async(x(), {fetch}, {}, {},
                      [](const Fetched&, const RunStats&) { throw std::runtime_error("not mine"); });
  }
  EXPECT_TRUE(s.wait_idle(kPatience).ok());
  EXPECT_EQ(s.run(x(3), {"far"})->at(0).value<float>(), 12);
}

TEST_F(AsyncRunTest, bring_statistics_and_partition_graphs) {
  Session& s = open();
  RunOptions options;
  options.collect_stats = true;
  options.output_partition_graphs = true;
  (void)s.run_async(x(), {"far"}, {}, options, ends_.callback());
  ASSERT_TRUE(ends_.await(1).back().ok());
  tensorflow::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(ends_.stats(0).metadata));
  EXPECT_EQ(metadata.step_stats().dev_stats_size(), 2);
  EXPECT_EQ(metadata.partition_graphs_size(), 2);
}

}  // namespace
}  // namespace troupe::test
