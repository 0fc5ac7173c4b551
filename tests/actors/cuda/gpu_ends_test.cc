// How steps on GPUs end: when their work is done, when they are cancelled, when a GPU is lost.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/actors/cuda/gpu_session.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// slow = x after 200 ms of the GPU's time; y = slow + slow.
class GpuEnds : public GpuSession {
 protected:
  GpuEnds() {
    x_ = b.placeholder(DataType::kFloat, {}, "x");
    Out slow = b.op("TestSlow", {x_}, {{"millis", 200}}, "slow");
    b.add(slow, slow, "y");
    b.add(x_, x_, "quick");
  }
  /// How long a run took to end after it was cancelled in the middle; it ends with Cancelled.
  Clock::duration cancelled_in_the_middle(const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets) {
    auto ended = session->run_async({{"x", scalar(1)}}, fetches, targets);
    while (driver->work_open() == 0) std::this_thread::yield();
    std::this_thread::sleep_for(20ms);
    const auto begin = Clock::now();
    EXPECT_TRUE(session->cancel("enough").ok());
    const absl::Status status = ended.get().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
    return Clock::now() - begin;
  }
  Out x_;
};

TEST_F(GpuEnds, come_when_what_was_enqueued_is_done) {
  open();
  const auto begin = Clock::now();
  ASSERT_TRUE(run({{"x", scalar(1)}}, {}, {"slow"}).ok());
  EXPECT_GE(Clock::now() - begin, 200ms);
  EXPECT_EQ(driver->work_open(), 0);
}

TEST_F(GpuEnds, come_at_once_where_the_environment_says_so) {
  setenv("TF_SYNC_ON_FINISH", "0", 1);
  open();
  unsetenv("TF_SYNC_ON_FINISH");
  const auto begin = Clock::now();
  ASSERT_TRUE(run({{"x", scalar(1)}}, {}, {"slow"}).ok());
  EXPECT_LT(Clock::now() - begin, 150ms);
  EXPECT_TRUE(becomes_idle());
}

TEST_F(GpuEnds, do_not_wait_for_the_gpu_when_steps_are_cancelled) {
  open();
  EXPECT_LT(cancelled_in_the_middle({"y"}, {}), 100ms) << "a copy is waited for";
  EXPECT_TRUE(becomes_idle());
  EXPECT_LT(cancelled_in_the_middle({}, {"slow"}), 100ms) << "the end is waited for";
  EXPECT_EQ(value({{"x", scalar(4)}}, "y"), 8) << "the session runs on";
  EXPECT_TRUE(becomes_idle());
}

TEST_F(GpuEnds, do_not_wait_for_the_gpu_when_time_is_up) {
  open();
  RunOptions options;
  options.timeout = 50ms;
  const auto begin = Clock::now();
  const absl::Status status = session->run({{"x", scalar(1)}}, {"y"}, {}, options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_LT(Clock::now() - begin, 180ms);
  EXPECT_TRUE(becomes_idle());
}

TEST_F(GpuEnds, are_the_errors_of_a_gpu_that_is_lost) {
  {
    auto on_cpu = b.device("/cpu:0");
    b.sub(x_, x_, "here");
  }
  open();
  EXPECT_EQ(value({{"x", scalar(3)}}, "quick"), 6);
  driver->lose(0);
  const absl::Status status = run({{"x", scalar(3)}}, {"quick"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("GPU"));
  EXPECT_FALSE(run({{"x", scalar(3)}}, {"quick"}).ok());
  EXPECT_EQ(value({{"x", scalar(3)}}, "here"), 0) << "the process lives";
}

TEST_F(GpuEnds, tell_what_failed_behind_the_last_node) {
  open();
  driver->fail_work(2);
  const absl::Status status = run({{"x", scalar(1)}}, {}, {"quick"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

TEST_F(GpuEnds, leave_nothing_behind_when_a_session_closes_in_the_middle) {
  open();
  auto ended = session->run_async({{"x", scalar(1)}}, {"y"}, {});
  while (driver->work_open() == 0) std::this_thread::yield();
  EXPECT_TRUE(session->close().ok());
  EXPECT_EQ(ended.get().status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace troupe::test
