#include <gmock/gmock.h>

#include <thread>

#include "tests/actors/node/cluster_fixture.h"

namespace troupe::test {
namespace {

using ::testing::HasSubstr;
using namespace graph_text;
using std::chrono::milliseconds;

/// A queue on task 1 that nobody fills, what waits for it, and what does not.
std::string waiting() {
  return node("q", "FIFOQueueV2", {}, attr("component_types", "list { type: DT_FLOAT }") + on_task(1)) +
         node("wait", "QueueDequeueV2", {"q"},
              attr("component_types", "list { type: DT_FLOAT }") + on_task(1)) +
         node("y", "Neg", {"wait"}, attr("T", "type: DT_FLOAT") + on_task(0)) +
         node("size", "QueueSizeV2", {"q"}, on_task(1)) +
         node("z", "Neg", {"size"}, attr("T", "type: DT_INT32") + on_task(0));
}

class ClusterFaultsTest : public ClusterTest {
 protected:
  /// Begins a run of "y", which waits on task 1, and returns when it is there.
  std::future<absl::StatusOr<std::vector<Tensor>>> begin_waiting(Session& s) {
    auto run = s.run_async({}, {"y"});
    for (int i = 0; i < 500; ++i) {
      auto steps = s.inspect();
      if (steps.ok() && !steps->empty() &&
          testing::PrintToString((*steps)[0].frontier).find("wait") != std::string::npos)
        return run;
      std::this_thread::sleep_for(milliseconds(10));
    }
    ADD_FAILURE() << "the step does not wait on the other task";
    return run;
  }
  /// Whether the only step comes to have left nothing to do on task 2, while it waits on task 1.
  static bool waits_on_task_1_alone(Session& s) {
    for (int i = 0; i < 500; ++i) {
      auto steps = s.inspect();
      if (steps.ok() && steps->size() == 1) {
        const std::string left = testing::PrintToString((*steps)[0].frontier);
        if (left.find("wait (QueueDequeueV2)") != std::string::npos &&
            left.find(task_name(2)) == std::string::npos)
          return true;
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
};

absl::Status end_of(std::future<absl::StatusOr<std::vector<Tensor>>>& run) {
  if (run.wait_for(std::chrono::seconds(20)) != std::future_status::ready)
    return absl::UnknownError("it hangs");
  return run.get().status();
}

TEST_F(ClusterFaultsTest, a_cancel_reaches_the_other_task) {
  start_all(2);
  auto s = open(waiting());
  auto run = begin_waiting(*s);
  ASSERT_TRUE(s->cancel("enough").ok());
  const absl::Status end = end_of(run);
  EXPECT_EQ(end.code(), absl::StatusCode::kCancelled) << end;
  EXPECT_THAT(std::string(end.message()), HasSubstr("enough"));
  // The session goes on.
  EXPECT_TRUE(s->run({}, {"z"}).ok());
}

TEST_F(ClusterFaultsTest, a_deadline_ends_the_step_on_all_tasks) {
  start_all(2);
  auto s = open(waiting());
  RunOptions options;
  options.timeout = milliseconds(100);
  const absl::Status end = s->run({}, {"y"}, {}, options).status();
  EXPECT_EQ(end.code(), absl::StatusCode::kDeadlineExceeded) << end;
  EXPECT_TRUE(s->run({}, {"z"}).ok());
}

TEST_F(ClusterFaultsTest, a_step_whose_task_is_lost_ends_and_names_it) {
  start_all(2);
  auto s = open(waiting());
  auto run = begin_waiting(*s);
  stop(1);
  const absl::Status end = end_of(run);
  EXPECT_EQ(end.code(), absl::StatusCode::kUnavailable) << end;
  EXPECT_THAT(std::string(end.message()), HasSubstr(task_name(1)));
  const absl::Status next = s->run({}, {"z"}).status();
  EXPECT_EQ(next.code(), absl::StatusCode::kUnavailable) << next;
  EXPECT_THAT(std::string(next.message()), HasSubstr(task_name(1)));
}

TEST_F(ClusterFaultsTest, a_step_ends_with_a_task_whose_part_has_ended_well) {
  start_all(3);
  const std::string floats = attr("T", "type: DT_FLOAT");
  // What task 2 does is soon done; what it has sent may be lost with it for all that the others know.
  auto s = open(waiting() + node("x", "Placeholder", {}, attr("dtype", "type: DT_FLOAT") + on_task(2)) +
                node("done", "Neg", {"x"}, floats + on_task(2)) +
                node("both", "AddN", {"y", "done"}, floats + attr("N", "i: 2") + on_task(0)));
  auto run = s->run_async({{"x", Tensor::scalar<float>(1)}}, {"both"});
  ASSERT_TRUE(waits_on_task_1_alone(*s));
  stop(2);
  const absl::Status end = end_of(run);
  EXPECT_EQ(end.code(), absl::StatusCode::kUnavailable) << end;
  EXPECT_THAT(std::string(end.message()), HasSubstr(task_name(2)));
}

TEST_F(ClusterFaultsTest, after_a_restart_what_the_task_had_is_aborted) {
  start_all(2);
  auto s = open(waiting());
  ASSERT_TRUE(s->run({}, {"z"}).ok());
  stop(1);
  start(1);
  absl::Status next;
  // Until the loss is noticed it may be said to be lost.
  for (int i = 0; i < 100; ++i) {
    next = s->run({}, {"z"}).status();
    if (absl::IsAborted(next)) break;
    EXPECT_EQ(next.code(), absl::StatusCode::kUnavailable) << next;
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(next.code(), absl::StatusCode::kAborted) << next;
  EXPECT_THAT(std::string(next.message()), HasSubstr(task_name(1)));
  // A new session has the new life.
  auto again = open(waiting());
  EXPECT_TRUE(again->run({}, {"z"}).ok());
}

TEST_F(ClusterFaultsTest, a_session_that_closes_leaves_nothing_on_other_tasks) {
  start_all(2);
  auto s = open(waiting());
  auto run = begin_waiting(*s);
  s = nullptr;
  EXPECT_EQ(end_of(run).code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(comes_to_have(1, 0));
}

TEST_F(ClusterFaultsTest, a_session_whose_master_is_lost_ends_on_other_tasks) {
  start_all(3);
  auto on_one = machines_[1]->node->open_session();
  ASSERT_TRUE(on_one.ok()) << on_one.status();
  machines_[1]->node = nullptr;
  EXPECT_TRUE(comes_to_have(2, 0));
  on_one->reset();
}

TEST_F(ClusterFaultsTest, a_session_that_one_task_refuses_stays_on_none) {
  start_all(3);
  machines_[2]->runtime->shutdown();
  const absl::Status refused = machines_[0]->node->open_session().status();
  EXPECT_FALSE(refused.ok());
  EXPECT_THAT(std::string(refused.message()), HasSubstr(task_name(2) + " does not open the session"));
  // Task 1 has opened it, and is told, though the master's node goes on.
  EXPECT_TRUE(comes_to_have(1, 0));
}

TEST_F(ClusterFaultsTest, a_session_waits_for_tasks_and_says_for_whom) {
  options_.open_patience = milliseconds(300);
  plan(2);
  start(0);
  auto session = machines_[0]->node->open_session();
  EXPECT_EQ(session.status().code(), absl::StatusCode::kDeadlineExceeded) << session.status();
  EXPECT_THAT(std::string(session.status().message()), HasSubstr(task_name(1)));
  start(1);
  EXPECT_TRUE(machines_[0]->node->open_session().ok());
}

TEST_F(ClusterFaultsTest, a_node_without_tls_listens_on_loopback_only) {
  Machine machine;
  ClusterNodeOptions options;
  ASSERT_TRUE(options.cluster.add({"worker", 0}, "192.0.2.1:0").ok());
  options.task = {"worker", 0};
  const absl::Status refused = ClusterNode::start(*machine.runtime, options).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("192.0.2.1"));
  // Told to do without, it tries: no machine has this address.
  options.insecure = true;
  EXPECT_EQ(ClusterNode::start(*machine.runtime, options).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ClusterFaultsTest, a_port_in_use_is_an_error) {
  plan(1);
  start(0);
  Machine other;
  ClusterNodeOptions options = options_;
  options.task = {"worker", 0};
  EXPECT_EQ(ClusterNode::start(*other.runtime, options).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace troupe::test
