// A GPU that fails: its users hear of it, others and the process do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/devices/cuda/test_machine.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;

TEST(LostDevice, fails_what_waits_and_all_that_comes_after) {
  TestMachine machine;
  Tensor x = machine.tensor(10);
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  machine.driver.fail_work(1, cuda::CUDA_ERROR_ILLEGAL_ADDRESS);
  const absl::Status first = machine.to_host(x).status();
  EXPECT_EQ(first,
            absl::UnavailableError(
                "GPU 0 (Emulated GPU, 0000:0a:00.0) is lost: cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_TRUE(machine.physical[0]->is_lost());
  EXPECT_EQ(machine.set(x, 2), first);
  EXPECT_EQ(machine.gpu().copies().to_device(counted_from(0, 10), &machine.gpu().memory()).status(), first);
  EXPECT_EQ(machine.gpu().compute().record().status(), first);
  EXPECT_EQ(machine.gpu().compute().synchronize(), first);
  EXPECT_EQ(machine.gpu().memory().allocate(1), nullptr);
  absl::Status done;
  machine.gpu().when_done([&](absl::Status status) { done = std::move(status); });
  EXPECT_EQ(done, first);
}

TEST(LostDevice, does_not_reach_the_driver_again) {
  TestMachine machine;
  Tensor x = machine.tensor(10);
  ASSERT_EQ(machine.set(x, 1), absl::OkStatus());
  machine.driver.lose(0);
  EXPECT_THAT(std::string(machine.set(x, 1).message()),
              HasSubstr("is lost: cuLaunchKernel of test_set: CUDA_ERROR_ECC_UNCORRECTABLE"));
  const int64_t launches = machine.driver.calls("cuLaunchKernel");
  EXPECT_FALSE(machine.set(x, 1).ok());
  EXPECT_EQ(machine.driver.calls("cuLaunchKernel"), launches);
}

TEST(LostDevice, is_lost_at_any_piece_of_work_without_a_hang) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    TestMachine machine({.gpus = 2, .seed = seed});
    machine.driver.fail_work(static_cast<int64_t>(1 + seed % 8), cuda::CUDA_ERROR_LAUNCH_FAILED);
    std::vector<std::future<absl::StatusOr<Tensor>>> fetches;
    for (int i = 0; i < 4; ++i) {
      auto x = machine.gpu(0).copies().to_device(counted_from(i, i % 2 == 0 ? 10 : 20000),
                                                 &machine.gpu(0).memory());
      if (!x.ok()) continue;
      auto y = machine.gpu(0).copies().to_peer(*x, machine.gpu(1).copies(), &machine.gpu(1).memory());
      if (!y.ok()) continue;
      auto promise = std::make_shared<std::promise<absl::StatusOr<Tensor>>>();
      fetches.push_back(promise->get_future());
      machine.gpu(1).copies().to_host(
          *y, [promise](absl::StatusOr<Tensor> copy) { promise->set_value(std::move(copy)); });
    }
    for (auto& fetch : fetches) fetch.wait();
  }
}

TEST(LostDevice, leaves_other_gpus_alone) {
  TestMachine machine({.gpus = 2});
  machine.driver.lose(0);
  Tensor lost = machine.tensor(1, 1);
  EXPECT_FALSE(machine.gpu(0).compute().fill(lost.raw(), 0, 4).ok());
  Tensor x = machine.tensor(3, 1);
  ASSERT_EQ(machine.set(x, 4, 1), absl::OkStatus());
  ASSERT_EQ(machine.gpu(1).compute().synchronize(), absl::OkStatus());
  EXPECT_FALSE(machine.physical[1]->is_lost());
}

TEST(LostDevice, is_no_error_of_a_call_alone) {
  TestMachine machine;
  Tensor x = machine.tensor(1);
  machine.driver.fail("cuLaunchKernel", 1, cuda::CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(machine.set(x, 1),
            absl::InternalError("GPU 0 (Emulated GPU, 0000:0a:00.0): cuLaunchKernel of test_set: "
                                "CUDA_ERROR_INVALID_VALUE"));
  EXPECT_EQ(machine.set(x, 2), absl::OkStatus());
  EXPECT_TRUE(is_all(*machine.to_host(x), 2));
}

/// Each call that copies make fails in turn: an error, never a hang, and nothing is left.
TEST(LostDevice, any_call_of_a_copy_may_fail) {
  for (const char* call : {"cuEventRecord", "cuEventCreate", "cuStreamWaitEvent", "cuMemcpyHtoDAsync",
                           "cuMemcpyDtoHAsync", "cuMemAlloc", "cuMemHostAlloc"}) {
    for (int n = 1; n <= 4; ++n) {
      SCOPED_TRACE(std::string(call) + " " + std::to_string(n));
      TestMachine machine;
      machine.driver.fail(call, n, cuda::CUDA_ERROR_INVALID_VALUE);
      const auto x = machine.gpu().copies().to_device(counted_from(3, 20000), &machine.gpu().memory());
      if (!x.ok()) continue;
      const auto back = machine.to_host(*x);
      EXPECT_TRUE(!back.ok() || is_counted_from(*back, 3));
    }
  }
}

}  // namespace
}  // namespace troupe::test
