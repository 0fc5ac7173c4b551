// Partitions that are copied while they wait.

#include <map>
#include <string>

#include "tests/actors/step/executor_state_fixture.h"

namespace troupe::test {
namespace {

/// Keeps who waits until the test hands over a value.
class ManualRendezvous final : public Rendezvous {
 public:
  absl::Status send(const std::string&, Tensor, bool) override { return absl::OkStatus(); }
  void recv(const std::string& key, RecvDone done) override { waits[key] = std::move(done); }
  /// To the only one who waits.
  void answer(int32_t value) {
    ASSERT_EQ(waits.size(), 1U);
    auto done = std::move(waits.begin()->second);
    waits.clear();
    done(absl::OkStatus(), Tensor::scalar<int32_t>(value), false);
  }
  std::map<std::string, RecvDone> waits;
};

/// A second step beside that of the fixture, over the same partition.
class ExecutorCopyTest : public ExecutorStateTest {
 protected:
  int receive(const std::string& name, std::vector<int> control = {}) {
    const std::string cpu = "/job:localhost/replica:0/task:0/device:CPU:0";
    return add(name, "_Recv",
               {{"tensor_type", DataType::kInt32},
                {"tensor_name", name},
                {"send_device", cpu},
                {"send_device_incarnation", int64_t{1}},
                {"recv_device", cpu}},
               {}, std::move(control));
  }
  void begin() {
    step_.rendezvous = &here_;
    start();
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  }
  /// Lets the other go on from where the first is.
  void copy() {
    ASSERT_TRUE(state_->at_rest());
    const auto snapshot = state_->copy();
    other_ = std::make_unique<ExecutorState>(partition_, &other_host_);
    other_retvals_.assign(fetches_, Tensor());
    other_step_.device = device_.get();
    other_step_.cancellation = &token_;
    other_step_.retvals = other_retvals_;
    other_step_.rendezvous = &there_;
    other_->start_from(&other_step_, false, *snapshot);
  }
  ExecutorState::Turn advance_other() {
    ExecutorState::Turn turn;
    do {
      turn = other_->advance();
    } while (turn == ExecutorState::Turn::kYield);
    return turn;
  }
  void compile_shared() {
    auto p = CompiledPartition::compile(graph_, device_.get(), kernels_, nullptr);
    ASSERT_TRUE(p.ok()) << p.status();
    partition_ = *p;
    state_ = std::make_unique<ExecutorState>(partition_, &host_);
  }

  std::shared_ptr<const CompiledPartition> partition_;
  ManualRendezvous here_, there_;
  ManualHost other_host_;
  StepState other_step_;
  std::vector<Tensor> other_retvals_;
  std::unique_ptr<ExecutorState> other_;
};

TEST_F(ExecutorCopyTest, goes_on_with_values_of_its_own) {
  const int x = add("x", "CountUp", {}, {{constant("one", 1), 0}});
  const int r = receive("r");
  fetch({add("sum", "Plus", {}, {{x, 0}, {r, 0}}), 0}, 0);
  compile_shared();
  begin();
  copy();
  EXPECT_EQ(advance_other(), ExecutorState::Turn::kWaiting);
  here_.answer(10);
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(retvals_[0].value<int32_t>(), 12);
  there_.answer(20);
  EXPECT_EQ(advance_other(), ExecutorState::Turn::kFinished);
  EXPECT_EQ(other_retvals_[0].value<int32_t>(), 22);
  EXPECT_EQ(other_->nodes_run(), 3) << "the receive, the sum and the fetch: `x` is not computed again";
}

TEST_F(ExecutorCopyTest, goes_on_in_the_middle_of_a_loop) {
  fetch(loop("f", {constant("zero", 0), 0}, 4), 0);
  // Each iteration waits for a value before it counts.
  const int r = receive("r", {graph_.find("f/merge")->id});
  graph_.node(graph_.find("f/body")->id).control_inputs.push_back(r);
  compile_shared();
  begin();
  for (int i = 0; i < 2; ++i) {
    here_.answer(0);
    EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  }
  copy();
  EXPECT_EQ(advance_other(), ExecutorState::Turn::kWaiting);
  EXPECT_EQ(here_.waits.begin()->first, there_.waits.begin()->first) << "of the same frame and iteration";
  int left = 0;
  auto turn = ExecutorState::Turn::kWaiting;
  for (; turn == ExecutorState::Turn::kWaiting && left < 10; ++left) {
    there_.answer(0);
    turn = advance_other();
  }
  EXPECT_EQ(turn, ExecutorState::Turn::kFinished);
  EXPECT_EQ(left, 3) << "two iterations, and the last test of the condition";
  EXPECT_EQ(other_retvals_[0].value<int32_t>(), 4);
  token_.cancel(absl::CancelledError("enough"));
  here_.waits.begin()->second(absl::CancelledError("enough"), Tensor(), false);
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
}

TEST_F(ExecutorCopyTest, of_a_partition_that_is_through_is_through) {
  fetch({constant("one", 1), 0}, 0);
  compile_shared();
  start();
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
  copy();
  EXPECT_EQ(advance_other(), ExecutorState::Turn::kFinished);
  EXPECT_FALSE(other_retvals_[0].initialized()) << "it has been fetched";
}

TEST_F(ExecutorCopyTest, is_not_at_rest_while_a_kernel_is_out) {
  const int c = constant("c", 1);
  fetch({add("later", "Later", {}, {{c, 0}}), 0}, 0);
  compile_shared();
  start();
  EXPECT_FALSE(state_->at_rest()) << "it has not begun";
  EXPECT_EQ(advance(), ExecutorState::Turn::kWaiting);
  EXPECT_FALSE(state_->at_rest());
  std::exchange(Later::out, {}).at(0)(absl::CancelledError("enough"));
  EXPECT_FALSE(state_->at_rest()) << "its answer has not been looked at";
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
}

TEST_F(ExecutorCopyTest, that_nobody_takes_is_freed_with_its_frames) {
  fetch(loop("f", {constant("zero", 0), 0}, 4), 0);
  const int r = receive("r", {graph_.find("f/merge")->id});
  graph_.node(graph_.find("f/body")->id).control_inputs.push_back(r);
  compile_shared();
  begin();
  const auto value = state_->waiting_bytes();
  EXPECT_GT(value, 0);
  EXPECT_NE(state_->copy(), nullptr);
  token_.cancel(absl::CancelledError("enough"));
  here_.waits.begin()->second(absl::CancelledError("enough"), Tensor(), false);
  EXPECT_EQ(advance(), ExecutorState::Turn::kFinished);
}

}  // namespace
}  // namespace troupe::test
