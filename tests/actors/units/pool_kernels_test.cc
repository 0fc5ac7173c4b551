// Kernels on a pool: run, handed back to their executor, which goes on where they ended.
#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "actors/step/executor_state.h"
#include "actors/units/kernel_queue.h"
#include "actors/units/named_pool.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/kernels/register_kernels.h"
#include "tests/actors/units/jobs.h"

namespace troupe::test {
namespace {

using namespace std::chrono_literals;

constexpr OpRow kOps[] = {{"Slow", "x:int32", "y:int32", "", ""}};

absl::Status slow(KernelContext& c) {
  c.set_output(0, Tensor::scalar<int32_t>(c.input(0).value<int32_t>() + 1));
  return absl::OkStatus();
}

/// A step of two independent kernels, which go to a pool.
class PoolKernels : public testing::Test, public ExecutorHost {
 protected:
  explicit PoolKernels(int threads = 1) : pool_(&system_, "kernels", threads) {
    EXPECT_TRUE(ops_.add(kOps).ok());
    register_cpu_kernels(&kernels_);
    kernels_.add(KernelDef("Slow").fn(slow));
    const int c = add("c", "Const", {{"dtype", DataType::kInt32}, {"value", Tensor::scalar<int32_t>(1)}}, {});
    for (int i = 0; i < 2; ++i) {
      const int kernel = add("slow" + std::to_string(i), "Slow", {}, {{c, 0}});
      add("ret" + std::to_string(i), "_Retval", {{"T", DataType::kInt32}, {"index", i}}, {{kernel, 0}});
    }
    auto partition = CompiledPartition::compile(graph_, device_.get(), kernels_, nullptr);
    EXPECT_TRUE(partition.ok()) << partition.status();
    state_ = std::make_unique<ExecutorState>(*partition, this);
    step_.device = device_.get();
    step_.cancellation = &token_;
    step_.retvals = retvals_;
  }

  int add(const std::string& name, const std::string& op, AttrMap attrs, std::vector<Endpoint> in) {
    auto node = graph_.add_node(name, op, std::move(attrs), std::move(in), {});
    EXPECT_TRUE(node.ok()) << node.status();
    return node.ok() ? (*node)->id : -1;
  }

  void launch_kernels(std::vector<KernelTask*> tasks) override {
    queue_->push(this, tasks, owner_);
    pool_.run_kernels(queue_, tasks.size());
  }
  void wake() override {
    if (NamedPool::run_after_kernel(go_on_)) return;
    outside_ = true;
    tell();
  }
  void tell() {
    if (!told_.exchange(true)) woken_.set_value(std::this_thread::get_id());
  }

  OpRegistry ops_{&builtin_ops()};
  KernelRegistry kernels_;
  Graph graph_{&ops_};
  std::unique_ptr<Device> device_ =
      make_cpu_device("/job:localhost/replica:0/task:0", 0, plain_allocator(), serial_runner());
  CancellationToken token_;
  std::vector<Tensor> retvals_{2};
  StepState step_;
  Jobs jobs_;
  caf::actor_system_config config_;
  caf::actor_system system_{config_};
  /// What is woken goes on, once, when all are back.
  caf::resumable* go_on_ = jobs_.once([this] {
    // An actor has one turn at a time; two kernels that end at once would give this two.
    std::lock_guard turn(turn_mu_);
    if (state_->advance() == ExecutorState::Turn::kFinished) tell();
  });
  const std::shared_ptr<KernelQueue> queue_ = std::make_shared<KernelQueue>();
  /// Stands for the step.
  const std::shared_ptr<int> owner_ = std::make_shared<int>();
  bool outside_ = false;
  std::promise<std::thread::id> woken_;
  std::atomic<bool> told_{false};
  std::mutex turn_mu_;
  std::unique_ptr<ExecutorState> state_;
  NamedPool pool_;
};

TEST_F(PoolKernels, wake_their_executor_where_they_ended) {
  state_->start(&step_, false);
  // One thread, which must not come before `advance` is through.
  std::promise<void> begun;
  pool_.run([&] { begun.get_future().wait(); });
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  begun.set_value();
  auto woken = woken_.get_future();
  ASSERT_EQ(woken.wait_for(10s), std::future_status::ready) << "nobody went on";
  EXPECT_NE(woken.get(), std::this_thread::get_id());
  pool_.stop();
  EXPECT_FALSE(outside_) << "it was to be queued anew";
  EXPECT_EQ(pool_.kernels_run(), 2);
  EXPECT_EQ(retvals_[0].value<int32_t>(), 2);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 2);
}

TEST_F(PoolKernels, of_a_pool_that_has_ended_run_where_they_come_from) {
  pool_.stop();
  state_->start(&step_, false);
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kFinished) << "they are back when they have been sent";
  EXPECT_TRUE(outside_) << "no kernel ended on a thread of the pool";
  EXPECT_EQ(woken_.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(retvals_[1].value<int32_t>(), 2);
}

/// Of two threads, one of which is at work and the other asleep. The test's own waits for the step.
class OwnKernels : public PoolKernels {
 protected:
  explicit OwnKernels(bool welcomes_hands = true) : PoolKernels(2) {
    if (welcomes_hands) pool_.welcome_hands();
    std::promise<void> second;
    pool_.run([this] { work_.get_future().wait(); });
    pool_.run([&] { second.get_future().wait(); });
    await_busy(2);
    second.set_value();
    await_busy(1);
    state_->start(&step_, false);
  }
  /// While the step's host is whole.
  void TearDown() override {
    if (!released_) work_.set_value();
    pool_.stop();
  }

  void await_busy(int threads) {
    while (pool_.load().busy != threads) std::this_thread::yield();
  }

  std::promise<void> work_;
  bool released_ = false;
};

TEST_F(OwnKernels, run_on_the_thread_that_waits_for_the_step) {
  NamedPool::Hand hand;
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  for (int i = 0; i < 2; ++i) {
    const auto kernel = hand.take(pool_, owner_.get());
    ASSERT_TRUE(kernel.has_value()) << i;
    hand.run(*kernel);
  }
  EXPECT_EQ(woken_.get_future().get(), std::this_thread::get_id());
  EXPECT_FALSE(outside_);
  EXPECT_FALSE(hand.take(pool_, owner_.get()));
  EXPECT_EQ(pool_.kernels_run(), 2);
  EXPECT_EQ(retvals_[1].value<int32_t>(), 2);
}

TEST_F(OwnKernels, are_the_pools_when_the_thread_lets_go) {
  auto woken = woken_.get_future();
  NamedPool::Hand hand;
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  EXPECT_EQ(woken.wait_for(20ms), std::future_status::timeout) << "who brings kernels looks for one first";
  NamedPool::hand_over();
  ASSERT_EQ(woken.wait_for(10s), std::future_status::ready) << "nobody was waked";
  EXPECT_NE(woken.get(), std::this_thread::get_id());
}

TEST_F(OwnKernels, are_the_pools_when_a_thread_waits_in_one_for_something_else) {
  auto woken = woken_.get_future();
  NamedPool::Hand outer;
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  // As when a run begins inside a turn.
  const NamedPool::Hand inner;
  EXPECT_EQ(woken.wait_for(10s), std::future_status::ready);
}

class OwnKernelsOfOthers : public OwnKernels {
 protected:
  OwnKernelsOfOthers() : OwnKernels(false) {}
};

TEST_F(OwnKernelsOfOthers, are_not_taken_from_a_pool_that_was_asked_for) {
  NamedPool::Hand hand;
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  EXPECT_FALSE(hand.take(pool_, owner_.get()));
}

TEST_F(OwnKernels, are_not_taken_before_another_steps_that_came_first) {
  NamedPool::Hand hand;
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  const auto other = std::make_shared<int>();
  EXPECT_FALSE(hand.take(pool_, other.get()));
}

TEST_F(OwnKernels, wait_while_as_many_threads_are_at_work_as_there_may) {
  auto woken = woken_.get_future();
  std::promise<void> second;
  pool_.run([&] { second.get_future().wait(); });
  await_busy(2);
  NamedPool::Hand hand;
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  EXPECT_FALSE(hand.take(pool_, owner_.get()));
  hand.let_go();
  second.set_value();
  ASSERT_EQ(woken.wait_for(10s), std::future_status::ready);
}

TEST_F(OwnKernels, leave_the_others_a_thread_less) {
  NamedPool::Hand hand;
  ASSERT_EQ(state_->advance(), ExecutorState::Turn::kWaiting);
  const auto kernel = hand.take(pool_, owner_.get());
  ASSERT_TRUE(kernel.has_value());
  // One thread works, and this one: the second kernel waits for either.
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(queue_->size(), 1u);
  work_.set_value();
  released_ = true;
  auto woken = woken_.get_future();
  while (queue_->size() != 0) std::this_thread::yield();
  await_busy(0);
  hand.run(*kernel);
  ASSERT_EQ(woken.wait_for(10s), std::future_status::ready);
}

}  // namespace
}  // namespace troupe::test
