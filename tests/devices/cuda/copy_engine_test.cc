#include "devices/cuda/copy_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <random>

#include "tests/devices/cuda/test_machine.h"

namespace troupe::test {
namespace {

/// Elements of copies that take each way: staged on the compute stream, in one piece and in several beside it.
constexpr int64_t kSizes[] = {1, 1000, 16 << 10, (16 << 10) + 1, 100000, (3 << 20) + 7};

TEST(CopyEngine, goes_there_and_back_whatever_the_size) {
  for (const int64_t n : kSizes) {
    SCOPED_TRACE(n);
    TestMachine machine;
    const Tensor x = *machine.gpu().copies().to_device(counted_from(5, n), &machine.gpu().memory());
    const Tensor back = *machine.to_host(x);
    EXPECT_TRUE(is_counted_from(back, 5));
    EXPECT_TRUE(machine.pinned->owns(back.raw()));
    EXPECT_EQ(machine.driver.pageable_copies(), 0);
  }
}

TEST(CopyEngine, needs_the_source_no_longer_than_the_call) {
  for (const int64_t n : kSizes) {
    TestMachine machine;
    Tensor from = counted_from(0, n);
    const Tensor x = *machine.gpu().copies().to_device(from, &machine.gpu().memory());
    EXPECT_TRUE(from.unique());
    for (int32_t& element : from.flat<int32_t>()) element = -1;
    EXPECT_TRUE(is_counted_from(*machine.to_host(x), 0));
  }
}

/// Copies and kernels over memory that goes round, in orders of hundreds of seeds: nobody reads or writes too early or too late.
TEST(CopyEngine, keeps_the_order_with_kernels_whatever_the_seed) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.seed = seed}, size_t{2} << 20);
    CopyEngine& copies = machine.gpu().copies();
    std::mt19937_64 random(seed);
    std::vector<std::pair<std::future<absl::StatusOr<Tensor>>, int32_t>> fetches;
    for (int32_t i = 0; i < 12; ++i) {
      const int64_t n = random() % 2 == 0 ? 100 : 20000 + static_cast<int64_t>(random() % 1000);
      Tensor x = *copies.to_device(counted_from(i, n), &machine.gpu().memory());
      if (random() % 2 == 0) {
        Tensor y = machine.tensor(n);
        ASSERT_EQ(machine.add(x, y, 50), absl::OkStatus());
        x = y;
      } else {
        // Dropped before it has arrived, so that its place is used again.
        Tensor dropped = *copies.to_device(counted_from(-1, n), &machine.gpu().memory());
        dropped = Tensor();
        ASSERT_EQ(machine.add(x, x, 50), absl::OkStatus());
      }
      auto promise = std::make_shared<std::promise<absl::StatusOr<Tensor>>>();
      fetches.emplace_back(promise->get_future(), i + 50);
      copies.to_host(x, [promise](absl::StatusOr<Tensor> copy) { promise->set_value(std::move(copy)); });
    }
    for (auto& [fetch, first] : fetches) {
      const absl::StatusOr<Tensor> copy = fetch.get();
      ASSERT_TRUE(copy.ok()) << copy.status();
      EXPECT_TRUE(is_counted_from(*copy, first));
    }
  }
}

TEST(CopyEngine, lets_copies_pass_kernels_that_do_not_concern_them) {
  TestMachine machine;
  Tensor busy = machine.tensor(1);
  // New memory, which no kernel has used.
  ASSERT_EQ(machine.set(busy, 1), absl::OkStatus());
  const int64_t waits = machine.driver.calls("cuStreamWaitEvent");
  const Tensor x = *machine.gpu().copies().to_device(counted_from(0, 100000), &machine.gpu().memory());
  // The compute stream waits for the copy, and the copy for nobody.
  EXPECT_EQ(machine.driver.calls("cuStreamWaitEvent"), waits + 1);
}

TEST(CopyEngine, gives_staged_memory_back) {
  TestMachine machine;
  CopyEngine& copies = machine.gpu().copies();
  for (int i = 0; i < 2000; ++i) {
    const auto x = copies.to_device(counted_from(i, 1000), &machine.gpu().memory());
    ASSERT_TRUE(x.ok());
    machine.driver.work(10);
  }
  EXPECT_LT(machine.pinned->stats().peak_bytes_in_use, 500000);
}

TEST(CopyEngine, does_without_pinned_memory) {
  TestMachine machine({}, size_t{32} << 20, 0);
  Tensor from = counted_from(1, 1000);
  const Tensor x = *machine.gpu().copies().to_device(from, &machine.gpu().memory());
  EXPECT_TRUE(is_counted_from(*machine.to_host(x), 1));
  EXPECT_EQ(machine.driver.pageable_copies(), 2);
  machine.poller->drain(machine.gpu().copies().in());
  EXPECT_TRUE(from.unique());
}

TEST(CopyEngine, copies_pinned_memory_as_it_lies) {
  TestMachine machine;
  Tensor from = machine.pinned->make_tensor(DataType::kInt32, Shape({100000}));
  std::fill_n(static_cast<int32_t*>(from.raw()), 100000, 7);
  const Tensor x = *machine.gpu().copies().to_device(from, &machine.gpu().memory());
  EXPECT_FALSE(from.unique());
  EXPECT_TRUE(is_all(*machine.to_host(x), 7));
  machine.poller->drain(machine.gpu().copies().in());
  EXPECT_TRUE(from.unique());
}

TEST(CopyEngine, passes_objects_and_nothing_on) {
  TestMachine machine;
  CopyEngine& copies = machine.gpu().copies();
  const Tensor text = Tensor::string_scalar("text");
  EXPECT_TRUE(copies.to_device(text, &machine.gpu().memory())->shares_buffer_with(text));
  EXPECT_TRUE(machine.to_host(text)->shares_buffer_with(text));
  const Tensor nothing = *copies.to_device(counted_from(0, 0), &machine.gpu().memory());
  EXPECT_EQ(machine.to_host(nothing)->shape(), Shape({0}));
  EXPECT_EQ(machine.driver.work_done() + machine.driver.work_open(), 0);
}

TEST(CopyEngine, copies_between_gpus_whatever_the_seed) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.gpus = 2, .seed = seed, .peers = seed % 2 == 0});
    for (int32_t i = 0; i < 4; ++i) {
      Tensor x = machine.tensor(50, 0);
      ASSERT_EQ(machine.set(x, i, 0), absl::OkStatus());
      Tensor y = *machine.gpu(0).copies().to_peer(x, machine.gpu(1).copies(), &machine.gpu(1).memory());
      x = Tensor();
      ASSERT_EQ(machine.add(y, y, 10, 1), absl::OkStatus());
      const Tensor back =
          *machine.gpu(1).copies().to_peer(y, machine.gpu(0).copies(), &machine.gpu(0).memory());
      y = Tensor();
      EXPECT_TRUE(is_all(*machine.to_host(back, 0), i + 10));
    }
  }
}

TEST(CopyEngine, waits_for_kernels_of_the_other_gpu_that_still_read_what_was_there) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.gpus = 2, .seed = seed});
    Tensor x = machine.tensor(50, 0);
    ASSERT_EQ(machine.set(x, 1, 0), absl::OkStatus());
    Tensor before = machine.tensor(50, 1);
    Tensor sum = machine.tensor(50, 1);
    ASSERT_EQ(machine.set(before, 2, 1), absl::OkStatus());
    ASSERT_EQ(machine.add(before, sum, 3, 1), absl::OkStatus());
    const void* place = before.raw();
    before = Tensor();
    const Tensor copy =
        *machine.gpu(0).copies().to_peer(x, machine.gpu(1).copies(), &machine.gpu(1).memory());
    ASSERT_EQ(copy.raw(), place);
    EXPECT_TRUE(is_all(*machine.to_host(sum, 1), 5));
    EXPECT_TRUE(is_all(*machine.to_host(copy, 1), 1));
  }
}

TEST(CopyEngine, says_when_there_is_no_memory) {
  TestMachine machine({}, size_t{2} << 20);
  EXPECT_EQ(
      machine.gpu().copies().to_device(counted_from(0, 1 << 20), &machine.gpu().memory()).status().code(),
      absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace troupe::test
