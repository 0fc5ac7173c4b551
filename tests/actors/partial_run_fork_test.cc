// Partial runs that go on from one another.
#include <gmock/gmock.h>

#include <thread>

#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Tensor f(float value) { return Tensor::scalar<float>(value); }

/// a and b are fed; held = a, computed by a kernel that counts; sum = held + b; far = held + b on another device.
class PartialRunForkTest : public SessionTest {
 protected:
  PartialRunForkTest() {
    const int a = placeholder("a");
    const int b = placeholder("b");
    const int kept = add("held", "TestHold", {}, {{a, 0}});
    add("sum", "TestAdd", {}, {{kept, 0}, {b, 0}});
    add("far", "TestAdd", {}, {{kept, 0}, {b, 0}}, {}, "/cpu:1");
    held = 0;
    let_go = true;
  }

  Session& open_two(SessionOptions options = {}) {
    options.device_count = {{"CPU", 2}};
    return open(options);
  }
  static std::string begin(Session& s, const std::vector<std::string>& feeds,
                           const std::vector<std::string>& fetches) {
    auto handle = s.partial_run_setup(feeds, fetches);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.value_or("");
  }
  static std::string fork(Session& s, const std::string& handle) {
    auto forked = s.partial_run_fork(handle);
    EXPECT_TRUE(forked.ok()) << forked.status();
    return forked.value_or("");
  }
  /// The only fetch of a turn.
  static float turn(Session& s, const std::string& handle, const std::vector<NamedTensor>& feeds,
                    const std::string& fetch) {
    auto out = s.partial_run(handle, feeds, {fetch});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? out->at(0).value<float>() : -1;
  }
  static std::string error_of(const absl::Status& status) { return std::string(status.message()); }
};

TEST_F(PartialRunForkTest, share_what_was_computed_and_take_feeds_of_their_own) {
  Session& s = open_two();
  const std::string first = begin(s, {"a", "b"}, {"sum:0", "far:0"});
  ASSERT_TRUE(s.partial_run(first, {{"a", f(10)}}, {}).ok());
  const std::string second = fork(s, first);
  const std::string third = fork(s, second);
  EXPECT_NE(second, first);
  EXPECT_EQ(turn(s, third, {{"b", f(3)}}, "far:0"), 13);
  EXPECT_EQ(turn(s, first, {{"b", f(1)}}, "sum:0"), 11);
  EXPECT_EQ(turn(s, second, {{"b", f(2)}}, "sum:0"), 12);
  EXPECT_EQ(turn(s, first, {}, "far:0"), 11);
  EXPECT_EQ(turn(s, second, {}, "far:0"), 12);
  EXPECT_EQ(turn(s, third, {}, "sum:0"), 13);
  EXPECT_EQ(held, 1) << "the kernel before the fork must run once for all";
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRunForkTest, do_not_run_a_stateful_op_again) {
  const int v = add("v", "VarHandleOp",
                    {{"dtype", DataType::kFloat}, {"shape", Shape{}}, {"shared_name", std::string("v")}});
  const int zero = constant("zero", f(0));
  add("init", "AssignVariableOp", {{"dtype", DataType::kFloat}}, {{v, 0}, {zero, 0}});
  add("count", "AssignAddVariableOp", {{"dtype", DataType::kFloat}}, {{v, 0}, {graph_.find("a")->id, 0}});
  const int count = graph_.find("count")->id;
  add("value", "ReadVariableOp", {{"dtype", DataType::kFloat}}, {{v, 0}}, {count});
  add("after", "TestAdd", {}, {{graph_.find("value")->id, 0}, {graph_.find("b")->id, 0}});
  Session& s = open_two();
  ASSERT_TRUE(s.run({}, {}, {"init"}).ok());
  const std::string first = begin(s, {"a", "b"}, {"after:0"});
  ASSERT_TRUE(s.partial_run(first, {{"a", f(1)}}, {}).ok());
  std::vector<std::string> forks;
  for (int i = 0; i < 5; ++i) forks.push_back(fork(s, first));
  for (const std::string& handle : forks) EXPECT_EQ(turn(s, handle, {{"b", f(100)}}, "after:0"), 101);
  EXPECT_EQ(turn(s, first, {{"b", f(200)}}, "after:0"), 201);
}

TEST_F(PartialRunForkTest, have_the_fetches_that_nobody_took_and_not_those_taken) {
  Session& s = open_two();
  const std::string first = begin(s, {"a", "b"}, {"held:0", "a:0", "sum:0"});
  EXPECT_EQ(turn(s, first, {{"a", f(10)}}, "a:0"), 10);
  const std::string second = fork(s, first);
  EXPECT_EQ(turn(s, second, {}, "held:0"), 10);
  EXPECT_EQ(turn(s, first, {}, "held:0"), 10);
  for (const std::string& handle : {first, second}) {
    EXPECT_THAT(error_of(s.partial_run(handle, {}, {"a:0"}).status()), HasSubstr("has already been fetched"));
    EXPECT_THAT(error_of(s.partial_run(handle, {{"a", f(1)}}, {}).status()),
                HasSubstr("has already been fed"));
  }
}

TEST_F(PartialRunForkTest, go_on_when_the_first_has_ended_or_failed) {
  Session& s = open_two();
  const std::string first = begin(s, {"a", "b"}, {"sum:0"});
  ASSERT_TRUE(s.partial_run(first, {{"a", f(10)}}, {}).ok());
  const std::string second = fork(s, first);
  const std::string third = fork(s, first);
  EXPECT_EQ(turn(s, first, {{"b", f(1)}}, "sum:0"), 11);
  ASSERT_TRUE(s.cancel_partial_run(second, "enough").ok());
  EXPECT_THAT(error_of(s.partial_run(second, {}, {}).status()), HasSubstr("enough"));
  EXPECT_EQ(turn(s, third, {{"b", f(3)}}, "sum:0"), 13);
}

TEST_F(PartialRunForkTest, of_a_run_whose_step_is_over_have_its_fetches) {
  Session& s = open_two();
  const std::string first = begin(s, {"a", "b"}, {"sum:0", "held:0"});
  EXPECT_EQ(turn(s, first, {{"a", f(10)}, {"b", f(1)}}, "held:0"), 10);
  const std::string second = fork(s, first);
  EXPECT_EQ(turn(s, first, {}, "sum:0"), 11);
  EXPECT_EQ(turn(s, second, {}, "sum:0"), 11);
  EXPECT_EQ(held, 1);
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRunForkTest, of_what_has_ended_or_never_was_is_refused) {
  Session& s = open_two();
  const std::string first = begin(s, {"a", "b"}, {"sum:0"});
  EXPECT_EQ(turn(s, first, {{"a", f(1)}, {"b", f(1)}}, "sum:0"), 2);
  for (const std::string& handle : {first, std::string("nonsense")}) {
    const absl::Status refused = s.partial_run_fork(handle).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << refused;
    EXPECT_THAT(error_of(refused), HasSubstr("Must run 'setup' before performing partial runs!"));
    EXPECT_THAT(error_of(refused), HasSubstr(handle));
  }
  ASSERT_TRUE(s.close().ok());
  EXPECT_FALSE(s.partial_run_fork(first).ok());
}

TEST_F(PartialRunForkTest, of_a_cancelled_run_hears_why) {
  Session& s = open_two();
  const std::string first = begin(s, {"a", "b"}, {"sum:0"});
  ASSERT_TRUE(s.cancel_partial_run(first, "enough").ok());
  EXPECT_THAT(error_of(s.partial_run_fork(first).status()), HasSubstr("enough"));
}

TEST_F(PartialRunForkTest, wait_until_the_step_is_at_rest) {
  let_go = false;
  Session& s = open_two();
  const std::string first = begin(s, {"a", "b"}, {"sum:0"});
  ASSERT_TRUE(s.partial_run(first, {{"a", f(10)}}, {}).ok());
  while (held == 0) std::this_thread::yield();
  absl::StatusOr<std::string> second;
  std::thread forking([&] { second = s.partial_run_fork(first); });
  while (s.inspect_partial_run(first)->forks_waiting == 0) std::this_thread::yield();
  let_go = true;
  forking.join();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(turn(s, *second, {{"b", f(1)}}, "sum:0"), 11);
  EXPECT_EQ(turn(s, first, {{"b", f(2)}}, "sum:0"), 12);
  EXPECT_EQ(held, 1);
}

TEST_F(PartialRunForkTest, wait_no_longer_than_the_session_lets_an_operation_wait) {
  add("hang", "TestHang", {}, {{graph_.find("a")->id, 0}});
  SessionOptions options;
  options.operation_timeout = std::chrono::milliseconds(50);
  Session& s = open_two(options);
  const std::string first = begin(s, {"a", "b"}, {"hang:0", "sum:0"});
  ASSERT_TRUE(s.partial_run(first, {{"a", f(10)}}, {}).ok());
  EXPECT_EQ(s.partial_run_fork(first).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(turn(s, first, {{"b", f(2)}}, "sum:0"), 12) << "the run itself goes on";
}

TEST_F(PartialRunForkTest, are_refused_where_nodes_keep_resources_in_the_step) {
  const int size = constant("size", Tensor::scalar<int32_t>(1));
  const int array = add("array", "TensorArrayV3", {{"dtype", DataType::kFloat}}, {{size, 0}});
  const int a = graph_.find("a")->id;
  add("flow", "TestAdd", {}, {{array, 1}, {a, 0}});
  Session& s = open_two();
  const std::string first = begin(s, {"a"}, {"flow:0"});
  const absl::Status refused = s.partial_run_fork(first).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnimplemented) << refused;
  EXPECT_THAT(error_of(refused), HasSubstr("TensorArrays"));
  EXPECT_TRUE(s.partial_run(first, {{"a", f(10)}}, {"flow:0"}).ok()) << "the run itself goes on";
}

TEST_F(PartialRunForkTest, are_right_while_others_take_turns) {
  Session& s = open_two();
  for (int round = 0; round < 30; ++round) {
    const std::string first = begin(s, {"a", "b"}, {"held:0", "sum:0", "far:0"});
    std::thread feeding([&] { EXPECT_EQ(turn(s, first, {{"a", f(10)}}, "held:0"), 10); });
    const std::string second = fork(s, first);
    feeding.join();
    // The fork was made before the turn or after it, not in the middle.
    const auto report = s.inspect_partial_run(second);
    ASSERT_TRUE(report.ok()) << report.status();
    const bool before = report->feeds_to_come.size() == 2;
    if (before) {
      EXPECT_EQ(turn(s, second, {{"a", f(20)}}, "held:0"), 20);
    }
    EXPECT_EQ(turn(s, second, {{"b", f(1)}}, "far:0"), before ? 21 : 11);
    EXPECT_EQ(turn(s, second, {}, "sum:0"), before ? 21 : 11);
    EXPECT_EQ(turn(s, first, {{"b", f(2)}}, "far:0"), 12);
    EXPECT_EQ(turn(s, first, {}, "sum:0"), 12);
  }
  EXPECT_EQ(s.counters().running_steps, 0);
}

TEST_F(PartialRunForkTest, are_listed_with_what_is_to_come) {
  Session& s = open_two();
  EXPECT_THAT(*s.partial_runs(), IsEmpty());
  const auto lease = std::chrono::milliseconds(60'000);
  const std::string first = *s.partial_run_setup({"a", "b"}, {"sum:0", "held:0"}, {}, lease);
  EXPECT_EQ(turn(s, first, {{"a", f(10)}}, "held:0"), 10);
  const std::string second = fork(s, first);
  EXPECT_EQ(s.partial_runs()->size(), 2U);
  for (const std::string& handle : {first, second}) {
    const auto report = s.inspect_partial_run(handle);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->handle, handle);
    EXPECT_THAT(report->feeds_to_come, ElementsAre("b"));
    EXPECT_THAT(report->fetches_to_come, ElementsAre("sum:0"));
    EXPECT_GT(report->step_id, 0);
    EXPECT_EQ(report->turns_waiting, 0);
    EXPECT_EQ(report->lease, lease);
    EXPECT_TRUE(report->status.ok());
  }
  EXPECT_NE(s.inspect_partial_run(first)->step_id, s.inspect_partial_run(second)->step_id);
  EXPECT_EQ(turn(s, first, {{"b", f(1)}}, "sum:0"), 11);
  EXPECT_EQ(s.inspect_partial_run(first).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(s.partial_runs()->size(), 1U);
}

}  // namespace
}  // namespace troupe::test
