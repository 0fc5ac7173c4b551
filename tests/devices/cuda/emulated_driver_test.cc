// The emulation itself: it sees what a real GPU forgives only most of the time.
#include "tests/devices/cuda/emulated_driver.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/devices/cuda/test_machine.h"

namespace troupe::test {
namespace {

TEST(EmulatedDriver, sees_copies_to_memory_that_was_given_back) {
  TestMachine machine;
  machine.expected_faults = {"given back"};
  Stream& stream = machine.gpu().compute();
  Gpu::Current current(*machine.physical[0]);
  const cuda::Driver& driver = *machine.driver.driver();
  void* pinned = nullptr;
  ASSERT_EQ(driver.cuMemHostAlloc(&pinned, 100, 0), cuda::CUDA_SUCCESS);
  Tensor x = machine.tensor(1);
  ASSERT_EQ(stream.copy_to_host(x.raw(), pinned, 4), absl::OkStatus());
  ASSERT_EQ(driver.cuMemFreeHost(pinned), cuda::CUDA_SUCCESS);
  EXPECT_EQ(stream.synchronize().code(), absl::StatusCode::kUnavailable);
}

TEST(EmulatedDriver, sees_events_of_streams_that_are_gone) {
  TestMachine machine;
  machine.expected_faults = {"a stream that is not there"};
  Gpu::Current current(*machine.physical[0]);
  const cuda::Driver& driver = *machine.driver.driver();
  cuda::CUstream stream = nullptr;
  cuda::CUevent event = nullptr;
  ASSERT_EQ(driver.cuStreamCreateWithPriority(&stream, cuda::kStreamNonBlocking, 0), cuda::CUDA_SUCCESS);
  ASSERT_EQ(driver.cuEventCreate(&event, 0), cuda::CUDA_SUCCESS);
  ASSERT_EQ(driver.cuStreamDestroy(stream), cuda::CUDA_SUCCESS);
  EXPECT_EQ(driver.cuEventRecord(event, stream), cuda::CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuEventDestroy(event), cuda::CUDA_SUCCESS);
}

TEST(EmulatedDriver, sees_what_is_left_when_a_context_ends) {
  TestMachine machine;
  machine.expected_faults = {"a context that ends with memory in use"};
  Gpu::Current current(*machine.physical[0]);
  cuda::CUdeviceptr block = 0;
  ASSERT_EQ(machine.driver.driver()->cuMemAlloc(&block, 100), cuda::CUDA_SUCCESS);
}

/// Memory that comes back is filled in the stream's order: who uses it afterwards reads nonsense.
TEST(EmulatedDriver, shows_use_after_free) {
  TestMachine machine;
  Tensor x = machine.tensor(4);
  Tensor y = machine.tensor(4);
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  auto* freed = static_cast<int32_t*>(x.raw());
  x = Tensor();
  ASSERT_EQ(machine.gpu().compute().copy(freed, y.raw(), 16), absl::OkStatus());
  EXPECT_TRUE(is_all(*machine.to_host(y), static_cast<int32_t>(0xcdcdcdcd)));
}

TEST(EmulatedDriver, does_nothing_until_somebody_asks_unless_it_works_alone) {
  TestMachine idle;
  Tensor x = idle.tensor(4);
  ASSERT_EQ(idle.set(x, 1), absl::OkStatus());
  EXPECT_EQ(idle.driver.work_open(), 1);
  EXPECT_EQ(idle.driver.work(10), 1);
  EXPECT_EQ(idle.driver.work_done(), 1);
}

TEST(EmulatedDriver, works_alone_when_told) {
  TestMachine machine({.works_alone = true});
  Tensor x = machine.tensor(4);
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  while (machine.driver.work_done() == 0) std::this_thread::yield();
}

}  // namespace
}  // namespace troupe::test
