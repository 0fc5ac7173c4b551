// Control is heard while others labour: planning, importing and describing graphs take the compile pool, not the threads on
// which SESSIONs decide; and what is being compiled does not outlive the runtime.
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include <google/protobuf/text_format.h>

#include "proto/graph.pb.h"
#include "tests/actors/session_fixture.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

/// A session whose signatures hold0, hold1, ... take for ever to plan, and another, with steps that hang.
class ControlTest : public SessionTest {
 protected:
  static constexpr int kPlanners = 4;

  ControlTest() {
    const int c = constant("c", Tensor::scalar<float>(1));
    for (int i = 0; i < kPlanners; ++i) add("hold" + std::to_string(i), "TestHold", {}, {{c, 0}});
    const int x = placeholder("x");
    add("hang", "TestHang", {}, {{x, 0}});
    add("same", "Identity", {{"T", DataType::kFloat}}, {{x, 0}});
    open();
    other_ = *Session::open(*runtime_, {});
    EXPECT_TRUE(other_->create(graph_.clone()).ok());
    // Compiled now: the pool will be busy.
    EXPECT_EQ(begin(*other_, "hang", 1ms).get().code(), absl::StatusCode::kDeadlineExceeded);
  }

  ~ControlTest() override {
    let_go = true;
    planners_.clear();
    other_.reset();
  }

  /// As many signatures as there may be control threads, and more; returns when all that can be are being planned.
  void keep_planners_busy() {
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (int i = 0; i < kPlanners; ++i) {
      planners_.push_back(std::async(std::launch::async, [s = session_.get(), i] {
        return s->run({}, {"hold" + std::to_string(i)}).status();
      }));
    }
    while (held < std::min(kPlanners, threads) || session_->counters().running_steps < kPlanners) {
      std::this_thread::yield();
    }
  }

  static std::future<absl::Status> begin(Session& s, const std::string& fetch,
                                         std::chrono::milliseconds timeout = 0ms) {
    return std::async(std::launch::async, [&s, fetch, timeout] {
      RunOptions options;
      options.timeout = timeout;
      return s.run({{"x", Tensor::scalar<float>(1)}}, {fetch}, {}, options).status();
    });
  }

  std::unique_ptr<Session> other_;
  std::vector<std::future<absl::Status>> planners_;
};

TEST_F(ControlTest, a_deadline_is_heard_while_signatures_are_planned) {
  keep_planners_busy();
  auto step = begin(*other_, "hang", 20ms);
  const bool heard = step.wait_for(10s) == std::future_status::ready;
  EXPECT_TRUE(heard);
  let_go = true;
  if (heard) {
    EXPECT_EQ(step.get().code(), absl::StatusCode::kDeadlineExceeded);
  }
  for (auto& p : planners_) EXPECT_TRUE(p.get().ok());
}

TEST_F(ControlTest, a_cancel_is_heard_while_signatures_are_planned) {
  keep_planners_busy();
  auto step = begin(*other_, "hang");
  while (other_->counters().running_steps < 1) std::this_thread::yield();
  auto cancel = std::async(std::launch::async, [&] { return other_->cancel("enough").status(); });
  const bool heard = step.wait_for(10s) == std::future_status::ready;
  EXPECT_TRUE(heard);
  let_go = true;
  EXPECT_TRUE(cancel.get().ok());
  if (heard) {
    EXPECT_EQ(step.get().code(), absl::StatusCode::kCancelled);
  }
}

TEST_F(ControlTest, a_session_answers_while_its_graph_is_imported) {
  keep_planners_busy();
  std::unique_ptr<Session> third;
  auto opened = std::async(std::launch::async, [&] { third = *Session::open(*runtime_, {}); });
  ASSERT_EQ(opened.wait_for(10s), std::future_status::ready);
  // Waits for a thread of the pool: as good as an import that takes long.
  auto created = std::async(std::launch::async, [&] { return third->create(graph_.clone()); });
  auto devices = std::async(std::launch::async, [&] { return third->list_devices(); });
  EXPECT_EQ(devices.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(third->run({}, {"same"}).status().code(), absl::StatusCode::kInvalidArgument) << "no graph yet";
  EXPECT_EQ(created.wait_for(0s), std::future_status::timeout);
  let_go = true;
  EXPECT_TRUE(created.get().ok());
  EXPECT_TRUE(begin(*third, "same").get().ok());
}

TEST_F(ControlTest, closing_answers_whoever_waits_for_a_graph_or_a_plan) {
  keep_planners_busy();
  auto extended = std::async(std::launch::async, [&] { return session_->extend(graph_.clone()); });
  auto described = std::async(std::launch::async, [&] {
    RunOptions options;
    options.output_partition_graphs = true;
    return session_->run({{"x", Tensor::scalar<float>(1)}}, {"same"}, {}, options).status();
  });
  while (session_->counters().running_steps < kPlanners + 1) std::this_thread::yield();
  EXPECT_TRUE(session_->close().ok());
  for (auto& p : planners_) EXPECT_EQ(p.get().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(extended.get().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(described.get().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(let_go) << "planning ends when nobody wants the plan";
}

TEST_F(ControlTest, a_runtime_may_go_while_signatures_are_planned) {
  keep_planners_busy();
  EXPECT_TRUE(session_->close().ok());
  session_.reset();
  other_.reset();
  runtime_.reset();
  for (auto& p : planners_) EXPECT_EQ(p.get().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(let_go);
}

/// A function that takes for ever to plan, and is called when it is known which: as `which` says.
class FunctionCompileTest : public SessionTest {
 protected:
  FunctionCompileTest() {
    tensorflow::GraphDef proto;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
      library { function {
        signature { name: 'Held' input_arg { name: 'x' type: DT_FLOAT } output_arg { name: 'y' type: DT_FLOAT } }
        node_def { name: 'c' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } }
                   attr { key: 'value' value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
        node_def { name: 'held' op: 'TestHold' input: 'c:output:0' }
        node_def { name: 'sum' op: 'AddV2' input: 'x' input: 'held:z:0' attr { key: 'T' value { type: DT_FLOAT } } }
        ret { key: 'y' value: 'sum:z:0' }
        attr { key: '_noinline' value { b: true } } } }
      node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
      node { name: 'call' op: 'Held' input: 'x' })",
                                                              &proto));
    session_ = *Session::open(*runtime_, {});
    EXPECT_TRUE(session_->create(proto).ok());
  }

  std::future<absl::StatusOr<std::vector<Tensor>>> call(std::chrono::milliseconds timeout = 0ms) {
    return std::async(std::launch::async, [this, timeout] {
      RunOptions options;
      options.timeout = timeout;
      return session_->run({{"x", Tensor::scalar<float>(2)}}, {"call"}, {}, options);
    });
  }
};

TEST_F(FunctionCompileTest, a_step_does_not_wait_for_a_function_when_it_is_cancelled) {
  auto first = call();
  while (held == 0) std::this_thread::yield();
  auto second = call(20ms);
  ASSERT_EQ(second.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(second.get().status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(session_->cancel("enough").ok());
  ASSERT_EQ(first.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(first.get().status().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(let_go);
  // The function is compiled all the same, and of use to the next step.
  auto third = call();
  let_go = true;
  const auto result = third.get();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ((*result)[0].value<float>(), 3);
}

TEST_F(ControlTest, a_graph_that_changes_is_planned_as_it_was_or_as_it_is) {
  let_go = true;
  std::atomic<bool> done{false};
  auto runs = std::async(std::launch::async, [&] {
    absl::Status status;
    for (int i = 0; !done && status.ok(); ++i) {
      const std::vector<std::string> targets(static_cast<size_t>(i % 7), "same");
      status = session_->run({{"x", Tensor::scalar<float>(1)}}, {"same"}, targets).status();
    }
    return status;
  });
  for (int i = 0; i < 200; ++i) {
    add("more" + std::to_string(i), "Identity", {{"T", DataType::kFloat}}, {{0, 0}});
    ASSERT_TRUE(session_->extend(graph_.clone()).ok());
    EXPECT_TRUE(session_->run({}, {"more" + std::to_string(i)}).ok());
  }
  done = true;
  EXPECT_TRUE(runs.get().ok());
}

TEST_F(SessionTest, a_runtime_that_was_shut_down_opens_no_session) {
  runtime_->shutdown();
  const absl::Status status = Session::open(*runtime_, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("has been shut down"));
}

int threads_of_process() {
  int n = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

TEST_F(SessionTest, the_threads_of_a_sessions_own_pool_end_with_it) {
  const int x = placeholder("x");
  add("hang", "TestHang", {}, {{x, 0}});
  add("sleep", "TestSleep", {{"micros", 1000}}, {{x, 0}});
  SessionOptions options;
  options.inter_op_threads = 7;
  Session& s = open(options);
  const int before = threads_of_process();
  ASSERT_TRUE(s.run({{"x", Tensor::scalar<float>(1)}}, {"sleep"}).ok());
  RunOptions soon;
  soon.timeout = 1ms;
  EXPECT_FALSE(s.run({{"x", Tensor::scalar<float>(1)}}, {"hang"}, {}, soon).ok());
  session_.reset();
  const auto late = std::chrono::steady_clock::now() + 10s;
  while (threads_of_process() >= before + 7 && std::chrono::steady_clock::now() < late)
    std::this_thread::sleep_for(1ms);
  EXPECT_LT(threads_of_process(), before + 7);
}

}  // namespace
}  // namespace troupe::test
