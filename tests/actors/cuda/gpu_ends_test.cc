// How steps on GPUs end: when their work is done, when they are cancelled, when a GPU is lost.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <thread>

#include "tests/actors/cuda/gpu_session.h"
#include "tests/actors/cuda/held_kernels.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;
using Ended = std::future<absl::StatusOr<std::vector<Tensor>>>;

/// held = x, when the test lets the GPU go on; y = held + held; quick = x + x, and here = x - x on the CPU.
class GpuEnds : public GpuSession {
 protected:
  GpuEnds() {
    gpu_holds = 0;
    gpu_may_go_on = false;
    Out x = b.placeholder(DataType::kFloat, {}, "x");
    Out held = b.op("TestGpuHold", {x}, {}, "held");
    b.add(held, held, "y");
    b.add(x, x, "quick");
    auto on_cpu = b.device("/cpu:0");
    b.sub(x, x, "here");
  }
  ~GpuEnds() override { gpu_may_go_on = true; }

  /// When the GPU has begun with the held kernel.
  Ended begin(const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
              const RunOptions& options = {}) {
    gpu_holds = 0;
    gpu_may_go_on = false;
    Ended ended = session->run_async({{"x", scalar(1)}}, fetches, targets, options);
    while (gpu_holds == 0) std::this_thread::yield();
    return ended;
  }
  bool let_go() {
    gpu_may_go_on = true;
    return becomes_idle();
  }
};

TEST_F(GpuEnds, come_when_what_was_enqueued_is_done) {
  open();
  Ended ended = begin({}, {"held"});
  EXPECT_EQ(ended.wait_for(30ms), std::future_status::timeout);
  gpu_may_go_on = true;
  EXPECT_TRUE(ended.get().ok());
  EXPECT_EQ(driver->work_open(), 0);
}

TEST_F(GpuEnds, come_at_once_where_the_environment_says_so) {
  setenv("TF_SYNC_ON_FINISH", "0", 1);
  open();
  unsetenv("TF_SYNC_ON_FINISH");
  EXPECT_TRUE(begin({}, {"held"}).get().ok());
  EXPECT_GT(driver->work_open(), 0);
  EXPECT_TRUE(let_go());
}

TEST_F(GpuEnds, do_not_wait_for_the_gpu_when_steps_are_cancelled) {
  open();
  for (const bool fetched : {true, false}) {
    SCOPED_TRACE(fetched ? "a copy is waited for" : "the end is waited for");
    Ended ended = fetched ? begin({"y"}, {}) : begin({}, {"held"});
    EXPECT_TRUE(session->cancel("enough").ok());
    EXPECT_EQ(ended.get().status().code(), absl::StatusCode::kCancelled);
    EXPECT_GT(driver->work_open(), 0) << "the GPU is still at it";
    EXPECT_TRUE(let_go());
  }
  EXPECT_EQ(value({{"x", scalar(4)}}, "y"), 8) << "the session runs on";
}

TEST_F(GpuEnds, do_not_wait_for_the_gpu_when_time_is_up) {
  open();
  RunOptions options;
  options.timeout = 50ms;
  EXPECT_EQ(begin({"y"}, {}, options).get().status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(let_go());
}

TEST_F(GpuEnds, do_not_wait_for_the_gpu_when_the_session_closes) {
  open();
  Ended ended = begin({"y"}, {});
  EXPECT_TRUE(session->close().ok());
  EXPECT_EQ(ended.get().status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(let_go());
}

TEST_F(GpuEnds, are_the_errors_of_a_gpu_that_is_lost) {
  open();
  EXPECT_EQ(value({{"x", scalar(3)}}, "quick"), 6);
  driver->lose(0);
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = run({{"x", scalar(3)}}, {"quick"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("GPU 0 (Emulated GPU, 0000:0a:00.0) is lost"));
  }
  EXPECT_EQ(value({{"x", scalar(3)}}, "here"), 0) << "the process lives";
}

/// The first value there is makes the GPU's pool ask for memory.
TEST_F(GpuEnds, say_that_a_gpu_is_lost_where_it_is_to_give_memory) {
  open();
  driver->fail("cuMemAlloc", 1, cuda::CUDA_ERROR_ECC_UNCORRECTABLE);
  const absl::Status status = run({{"x", scalar(3)}}, {"quick"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("GPU 0 (Emulated GPU, 0000:0a:00.0) is lost"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("OOM")));
  EXPECT_EQ(value({{"x", scalar(3)}}, "here"), 0) << "the process lives";
}

TEST_F(GpuEnds, tell_what_failed_behind_the_last_node) {
  open();
  driver->fail_work(2);
  const absl::Status status = run({{"x", scalar(1)}}, {}, {"quick"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
}

}  // namespace
}  // namespace troupe::test
