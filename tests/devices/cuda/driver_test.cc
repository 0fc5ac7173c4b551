#include "devices/cuda/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/devices/cuda/emulated_driver.h"

namespace troupe::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Driver, says_why_there_is_none) {
  const auto driver = load_driver("libno-such-driver.so.1");
  ASSERT_EQ(driver.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(driver.status().message()), StartsWith("no driver: libno-such-driver.so.1: "));
}

TEST(Driver, names_what_a_library_lacks) {
  const auto driver = load_driver("libc.so.6");
  EXPECT_THAT(std::string(driver.status().message()), HasSubstr("libc.so.6 has no cu"));
}

TEST(Driver, of_the_machine_is_there_or_says_why_always_the_same) {
  const auto first = machine_driver();
  const auto second = machine_driver();
  EXPECT_EQ(first.status(), second.status());
  if (first.ok()) {
    EXPECT_EQ(*first, *second);
  } else {
    EXPECT_THAT(std::string(first.status().message()), StartsWith("no driver: "));
  }
}

TEST(Driver, that_does_not_start_says_why) {
  EmulatedDriver emulated;
  emulated.fail("cuInit", 1, cuda::CUDA_ERROR_NO_DEVICE);
  const absl::Status status = start_driver(*emulated.driver());
  EXPECT_EQ(status, absl::UnavailableError("no driver: cuInit: CUDA_ERROR_NO_DEVICE"));
  EXPECT_EQ(start_driver(*emulated.driver()), absl::OkStatus());
}

TEST(Driver, turns_results_into_codes_with_cudas_names) {
  EmulatedDriver emulated;
  const auto status = [&](cuda::CUresult result) { return driver_status(*emulated.driver(), result, "cuX"); };
  EXPECT_EQ(status(cuda::CUDA_SUCCESS), absl::OkStatus());
  EXPECT_EQ(status(cuda::CUDA_ERROR_OUT_OF_MEMORY),
            absl::ResourceExhaustedError("cuX: CUDA_ERROR_OUT_OF_MEMORY: out of memory"));
  EXPECT_EQ(status(cuda::CUDA_ERROR_ILLEGAL_ADDRESS),
            absl::UnavailableError("cuX: CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_EQ(status(cuda::CUDA_ERROR_INVALID_VALUE), absl::InternalError("cuX: CUDA_ERROR_INVALID_VALUE"));
  EXPECT_EQ(status(static_cast<cuda::CUresult>(12345)), absl::InternalError("cuX: error 12345"));
}

}  // namespace
}  // namespace troupe::test
