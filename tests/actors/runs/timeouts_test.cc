// Steps whose time is over.
#include <thread>

#include "proto/config.pb.h"
#include "tests/actors/runs/runs_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

/// "dequeue" of a queue that stays empty.
class TimeoutsTest : public RunsTest {
 protected:
  TimeoutsTest() {
    const AttrMap types{{"component_types", std::vector<DataType>{DataType::kFloat}}};
    const int queue = add("queue", "FIFOQueueV2", types);
    add("dequeue", "QueueDequeueV2", types, {{queue, 0}});
  }
  static void expect_late(const absl::Status& end) {
    EXPECT_EQ(end.code(), absl::StatusCode::kDeadlineExceeded) << end;
    EXPECT_THAT(text(end), HasSubstr("Timed out waiting for notification"));
  }
  static RunOptions within(int64_t ms) {
    tensorflow::RunOptions proto;
    proto.set_timeout_in_ms(ms);
    return *RunOptions::from_bytes(proto.SerializeAsString());
  }
};

TEST_F(TimeoutsTest, s051_of_a_session_end_a_kernel_that_waits) {
  Session& s = open(from_text("operation_timeout_in_ms: 100"));
  expect_late(s.run({}, {"dequeue"}).status());
  EXPECT_TRUE(s.close().ok());
}

TEST_F(TimeoutsTest, s052_of_a_run_end_a_kernel_that_waits) {
  Session& s = open();
  expect_late(s.run({}, {"dequeue"}, {}, within(20)).status());
  EXPECT_TRUE(s.close().ok());
}

std::atomic<bool> begun, ended;

/// Looks whether it is cancelled, and takes its time to end when it is.
absl::Status poll(KernelContext& c) {
  begun = true;
  while (!c.cancellation().cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ended = true;
  return c.cancellation().reason();
}

TEST_F(TimeoutsTest, s053_do_not_return_before_the_kernels_have) {
  constexpr OpRow kOps[] = {{"TestPoll", "x:float", "z:float", "", ""}};
  ASSERT_TRUE(ops_->add(kOps).ok());
  kernels_->add(KernelDef("TestPoll").fn(poll));
  const int x = placeholder("x");
  add("poll", "TestPoll", {}, {{x, 0}});
  // Beside a second one it runs on another thread than its caller's.
  const auto others = add_threads(1, {x, 0});
  Session& s = open();
  for (int pool : {-1, 0}) {
    begun = ended = false;
    RunOptions options = within(50);
    options.inter_op_pool = pool;
    expect_late(s.run({{"x", Tensor::scalar<float>(1)}}, {"poll", others[0]}, {}, options).status());
    EXPECT_EQ(begun, ended) << "in pool " << pool;
    EXPECT_TRUE(begun);
  }
}

}  // namespace
}  // namespace troupe::test
