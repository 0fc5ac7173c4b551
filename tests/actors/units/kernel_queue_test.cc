#include "actors/units/kernel_queue.h"

#include <gtest/gtest.h>

#include <vector>

#include "devices/cpu/cpu_device.h"

namespace troupe::test {
namespace {

/// Steps of two sessions, each with tasks that can be told apart.
class KernelQueueTest : public testing::Test {
 protected:
  static constexpr const char* kOne = "one session";
  static constexpr const char* kOther = "another";

  std::vector<KernelTask*> tasks(int n, CancellationToken* token = nullptr) {
    std::vector<KernelTask*> out;
    for (int i = 0; i < n; ++i) {
      tasks_.push_back(std::make_unique<KernelTask>());
      tasks_.back()->node = i;
      if (token != nullptr) {
        steps_.push_back(std::make_unique<StepState>());
        steps_.back()->cancellation = token;
        tasks_.back()->context.emplace(steps_.back().get(), &node_, std::span<Value>(), std::span<Value>());
      }
      out.push_back(tasks_.back().get());
    }
    return out;
  }
  std::vector<KernelTask*> pop_all() {
    std::vector<KernelTask*> out;
    while (auto next = queue_.pop()) out.push_back(next->task);
    return out;
  }

  KernelNode node_;
  std::vector<std::unique_ptr<StepState>> steps_;
  std::vector<std::unique_ptr<KernelTask>> tasks_;
  KernelQueue queue_;
};

TEST_F(KernelQueueTest, serves_the_kernels_of_a_session_as_they_come) {
  const auto first = tasks(2);
  const auto second = tasks(1);
  queue_.push(kOne, first, nullptr);
  queue_.push(kOne, second, nullptr);
  EXPECT_EQ(queue_.size(), 3u);
  EXPECT_EQ(pop_all(), (std::vector<KernelTask*>{first[0], first[1], second[0]}));
  EXPECT_EQ(queue_.size(), 0u);
  EXPECT_FALSE(queue_.pop());
}

TEST_F(KernelQueueTest, gives_a_step_its_kernel_when_it_is_next) {
  const auto step = std::make_shared<int>(), other = std::make_shared<int>();
  const auto one = tasks(1);
  const auto two = tasks(1);
  EXPECT_FALSE(queue_.pop_of(step.get()));
  queue_.push(kOne, one, step);
  queue_.push(kOne, two, other);
  EXPECT_FALSE(queue_.pop_of(other.get()));
  const auto next = queue_.pop_of(step.get());
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->task, one[0]);
  EXPECT_EQ(pop_all(), two);
}

TEST_F(KernelQueueTest, lets_sessions_take_turns) {
  const auto many = tasks(4);
  const auto few = tasks(2);
  queue_.push(kOne, many, nullptr);
  queue_.push(kOther, few, nullptr);
  EXPECT_EQ(pop_all(), (std::vector<KernelTask*>{many[0], few[0], many[1], few[1], many[2], many[3]}));
  // Who comes back comes last.
  queue_.push(kOther, few, nullptr);
  queue_.push(kOne, many, nullptr);
  EXPECT_EQ(queue_.pop()->task, few[0]);
  EXPECT_EQ(queue_.pop()->task, many[0]);
}

TEST_F(KernelQueueTest, serves_higher_priorities_first_and_sessions_in_turn_among_equals) {
  const auto low = tasks(2), other_low = tasks(2), high = tasks(2), other_high = tasks(1), least = tasks(1);
  queue_.push(kOne, least, nullptr, -1);
  queue_.push(kOne, low, nullptr);
  queue_.push(kOne, high, nullptr, 5);
  queue_.push(kOther, other_low, nullptr);
  queue_.push(kOther, other_high, nullptr, 5);
  EXPECT_EQ(pop_all(), (std::vector<KernelTask*>{high[0], other_high[0], high[1], low[0], other_low[0],
                                                 low[1], other_low[1], least[0]}));
  EXPECT_EQ(queue_.size(), 0u);
}

TEST_F(KernelQueueTest, keeps_a_step_while_its_kernels_wait) {
  auto step = std::make_shared<int>(0);
  queue_.push(kOne, tasks(2), step);
  EXPECT_EQ(step.use_count(), 3);
  (void)queue_.pop();
  (void)queue_.pop();
  EXPECT_EQ(step.use_count(), 1);
}

TEST_F(KernelQueueTest, takes_back_what_a_cancelled_step_has_queued_and_no_more) {
  CancellationToken tripped, running;
  auto slot = std::make_shared<int>(0);
  auto other_slot = std::make_shared<int>(0);
  const auto mine = tasks(2, &tripped);
  const auto later = tasks(1, &running);
  const auto others = tasks(1, &tripped);
  queue_.push(kOne, mine, slot);
  queue_.push(kOne, later, slot);
  queue_.push(kOther, others, other_slot);
  tripped.cancel(absl::CancelledError("enough"));
  const auto taken = queue_.take_back(slot.get());
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].task, mine[0]);
  EXPECT_EQ(taken[1].task, mine[1]);
  EXPECT_EQ(queue_.size(), 2u);
  EXPECT_EQ(queue_.pop()->task, later[0]) << "of a later step of the same slot";
  EXPECT_EQ(queue_.pop()->task, others[0]);
  queue_.push(kOther, others, other_slot);
  EXPECT_EQ(queue_.take_back(other_slot.get()).size(), 1u);
  EXPECT_FALSE(queue_.pop()) << "a line that is empty is gone";
}

TEST_F(KernelQueueTest, takes_back_kernels_of_every_priority) {
  CancellationToken tripped;
  auto slot = std::make_shared<int>(0);
  const auto low = tasks(1, &tripped), high = tasks(1, &tripped), others = tasks(1);
  queue_.push(kOne, low, slot);
  queue_.push(kOne, high, slot, 1);
  tripped.cancel(absl::CancelledError("enough"));
  EXPECT_EQ(queue_.take_back(slot.get()).size(), 2u);
  queue_.push(kOne, others, nullptr, 1);
  EXPECT_EQ(pop_all(), others);
}

}  // namespace
}  // namespace troupe::test
