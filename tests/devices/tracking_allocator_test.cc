#include "devices/memory/tracking_allocator.h"

#include <gtest/gtest.h>

#include "devices/memory/failing_allocator.h"
#include "devices/memory/step_allocations.h"
#include "graph/tensor/tensor.h"

namespace troupe {
namespace {

/// Every block of `memory_` is back at its end.
class TrackingAllocatorTest : public testing::Test {
 protected:
  ~TrackingAllocatorTest() override { EXPECT_EQ(memory_.live(), 0); }
  static Tensor floats(Allocator* allocator, int64_t n) {
    return *Tensor::make(DataType::kFloat, Shape({n}), allocator);
  }

  FailingAllocator memory_{plain_allocator()};
};

TEST_F(TrackingAllocatorTest, counts_the_bytes_of_elements_in_total_at_most_and_live) {
  const auto tracking = TrackingAllocator::make(&memory_);
  Tensor first = floats(tracking.get(), 10);
  first = Tensor();
  Tensor second = floats(tracking.get(), 5);
  const TrackedBytes bytes = tracking->bytes();
  EXPECT_EQ(bytes.total, 60);
  EXPECT_EQ(bytes.peak, 40);
  EXPECT_EQ(bytes.live, 20);
  const auto records = tracking->records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].bytes, 40);
  EXPECT_EQ(records[1].bytes, -40);
  EXPECT_EQ(records[2].bytes, 20);
  EXPECT_GT(records[0].micros, 0);
  EXPECT_GE(records[2].micros, records[0].micros);
}

TEST_F(TrackingAllocatorTest, lives_until_its_last_block_is_back) {
  auto tracking = TrackingAllocator::make(&memory_);
  const std::weak_ptr<TrackingAllocator> watched = tracking;
  Tensor one = floats(tracking.get(), 1);
  Tensor two = floats(tracking.get(), 1);
  tracking.reset();
  one = Tensor();
  EXPECT_FALSE(watched.expired());
  two = Tensor();
  EXPECT_TRUE(watched.expired());
}

TEST_F(TrackingAllocatorTest, numbers_blocks_so_that_shared_memory_shows) {
  const auto tracking = TrackingAllocator::make(&memory_);
  const auto other = TrackingAllocator::make(&memory_);
  const Tensor a = floats(tracking.get(), 4);
  const Tensor same = a.reshaped(Shape({2, 2}));
  const Tensor b = floats(other.get(), 4);
  const Tensor untracked = floats(&memory_, 4);
  const int64_t id = TrackingAllocator::allocation_id(*a.buffer());
  EXPECT_GT(id, 0);
  EXPECT_EQ(TrackingAllocator::allocation_id(*same.buffer()), id);
  EXPECT_NE(TrackingAllocator::allocation_id(*b.buffer()), id);
  EXPECT_EQ(TrackingAllocator::allocation_id(*untracked.buffer()), 0);
}

TEST_F(TrackingAllocatorTest, tells_whose_memory_it_hands_out) {
  const auto tracking = TrackingAllocator::make(&memory_);
  EXPECT_EQ(TrackingAllocator::source_of(tracking.get()), &memory_);
  EXPECT_EQ(TrackingAllocator::source_of(&memory_), &memory_);
  EXPECT_EQ(TrackingAllocator::source_of(nullptr), nullptr);
  EXPECT_EQ(tracking->name(), memory_.name());
}

TEST_F(TrackingAllocatorTest, counts_nothing_that_it_did_not_get) {
  const auto tracking = TrackingAllocator::make(&memory_);
  memory_.set_fail_at(1);
  EXPECT_FALSE(Tensor::make(DataType::kFloat, Shape({4}), tracking.get()).ok());
  EXPECT_EQ(tracking->bytes().total, 0);
  EXPECT_TRUE(tracking->records().empty());
}

TEST_F(TrackingAllocatorTest, reports_live_memory_by_node_the_largest_first) {
  StepAllocations step;
  auto allocate = [&](const std::string& node, const std::string& device, int64_t n) {
    return floats(step.track(node, device, &memory_).get(), n);
  };
  const Tensor mid = allocate("mid", "/cpu:0", 10'000);
  const Tensor big = allocate("big", "/cpu:0", 1'000'000);
  const Tensor mid2 = allocate("mid2", "/cpu:0", 10'000);
  const Tensor elsewhere = allocate("elsewhere", "/cpu:1", 1'000);
  allocate("gone", "/cpu:0", 10'000'000);
  EXPECT_EQ(step.usage("/cpu:0", "failing"),
            "Current usage from device: /cpu:0, allocator: failing\n"
            "  3.81MiB from big\n"
            "  39.1KiB from mid\n"
            "  Remaining 1 nodes with 39.1KiB\n");
  EXPECT_EQ(step.usage("/cpu:0", "other"), "Current usage from device: /cpu:0, allocator: other\n");
}

TEST_F(TrackingAllocatorTest, reports_the_executions_of_one_node_together) {
  StepAllocations step;
  std::vector<Tensor> held;
  for (int i = 0; i < 5000; ++i) {
    const auto tracking = step.track("loop", "/cpu:0", &memory_);
    if (i % 1000 == 0) held.push_back(floats(tracking.get(), 25));
  }
  EXPECT_EQ(step.usage("/cpu:0", "failing"),
            "Current usage from device: /cpu:0, allocator: failing\n  500B from loop\n");
}

TEST(HumanReadableBytes, are_as_tensorflow_writes_them) {
  EXPECT_EQ(human_readable_bytes(0), "0B");
  EXPECT_EQ(human_readable_bytes(1023), "1023B");
  EXPECT_EQ(human_readable_bytes(40'000), "39.1KiB");
  EXPECT_EQ(human_readable_bytes(4'000'000), "3.81MiB");
  EXPECT_EQ(human_readable_bytes(int64_t{5} << 30), "5.00GiB");
}

}  // namespace
}  // namespace troupe
