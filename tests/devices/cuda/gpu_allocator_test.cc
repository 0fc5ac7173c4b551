#include "devices/cuda/gpu_allocator.h"

#include <gtest/gtest.h>

#include <random>

#include "devices/memory/tracking_allocator.h"
#include "tests/devices/cuda/test_machine.h"

namespace troupe::test {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

/// Memory goes round while work on it is still enqueued; what is freed is filled with nonsense in the stream's order.
TEST(GpuAllocator, hands_out_again_what_enqueued_work_still_uses) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.seed = seed});
    std::mt19937_64 random(seed);
    std::vector<std::pair<Tensor, int32_t>> live;
    std::vector<std::pair<Tensor, int32_t>> fetched;
    for (int32_t i = 0; i < 30; ++i) {
      Tensor x = machine.tensor(1 + static_cast<int64_t>(random() % 100));
      ASSERT_EQ(machine.set(x, i), absl::OkStatus());
      live.emplace_back(x, i);
      if (random() % 3 != 0) continue;
      // Its input is given up at once.
      const size_t victim = random() % live.size();
      Tensor y = machine.tensor(live[victim].first.num_elements());
      ASSERT_EQ(machine.add(live[victim].first, y, 1000), absl::OkStatus());
      live[victim] = {y, live[victim].second + 1000};
      machine.driver.work(static_cast<int64_t>(random() % 10));
    }
    for (auto& [x, value] : live) fetched.emplace_back(*machine.to_host(x), value);
    live.clear();
    for (const auto& [x, value] : fetched) EXPECT_TRUE(is_all(x, value));
  }
}

TEST(GpuAllocator, has_a_limit_and_says_so_as_tensorflow) {
  TestMachine machine({}, 4 * kMiB);
  GpuAllocator& memory = machine.gpu().memory();
  EXPECT_FALSE(memory.is_host());
  const auto large = Tensor::make(DataType::kInt32, Shape({1024, 1025}), &memory);
  EXPECT_EQ(large.status(),
            absl::ResourceExhaustedError(
                "OOM when allocating tensor with shape[1024,1025] and type int32 by allocator GPU_bfc"));
  const auto all = Tensor::make(DataType::kInt32, Shape({1024, 1024}), &memory);
  EXPECT_TRUE(all.ok());
  EXPECT_EQ(memory.stats().bytes_limit, static_cast<int64_t>(4 * kMiB));
  EXPECT_EQ(memory.stats().bytes_in_use, static_cast<int64_t>(4 * kMiB));
}

TEST(GpuAllocator, has_no_more_than_the_driver) {
  TestMachine machine({.memory_bytes = 8 * kMiB}, 64 * kMiB);
  EXPECT_EQ(machine.gpu().memory().allocate(9 * kMiB), nullptr);
  machine.driver.fail("cuMemAlloc", 1, cuda::CUDA_ERROR_OUT_OF_MEMORY);
  // Asks again, for less.
  void* block = machine.gpu().memory().allocate(kMiB);
  ASSERT_NE(block, nullptr);
  machine.gpu().memory().deallocate(block, kMiB);
}

TEST(GpuAllocator, can_be_kept_account_of) {
  TestMachine machine;
  const auto tracking = TrackingAllocator::make(&machine.gpu().memory());
  const Tensor x = *Tensor::make(DataType::kInt32, Shape({10}), tracking.get());
  EXPECT_EQ(tracking->bytes().live, 40);
  EXPECT_GT(TrackingAllocator::allocation_id(*x.buffer()), 0);
}

TEST(GpuAllocator, keeps_objects_on_the_host) {
  TestMachine machine;
  Tensor x = *Tensor::make(DataType::kString, Shape({2}), &machine.gpu().memory());
  x.flat<TString>()[1] = TString("a string that is long enough for the heap");
  EXPECT_EQ(machine.gpu().memory().stats().bytes_in_use, 0);
}

TEST(PinnedAllocator, lives_as_long_as_its_tensors) {
  TestMachine machine;
  auto pinned = PinnedAllocator::make(machine.physical[0], kMiB);
  const std::weak_ptr<PinnedAllocator> watched = pinned;
  Tensor x = pinned->make_tensor(DataType::kInt32, Shape({100}));
  EXPECT_TRUE(pinned->owns(x.raw()));
  EXPECT_FALSE(pinned->make_tensor(DataType::kInt32, Shape({1 << 20})).initialized());
  pinned.reset();
  x.flat<int32_t>()[99] = 1;
  EXPECT_FALSE(watched.expired());
  x = Tensor();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace troupe::test
