// Samples that are drawn again until they fit.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

TEST(ParameterizedTruncatedNormal, fails_where_no_sample_is_found) {
  const auto f = [](float v) { return Tensor::scalar<float>(v); };
  EXPECT_EQ(run_kernel("ParameterizedTruncatedNormal",
                       {Tensor::vector<int32_t>({3}), f(std::nanf("")), f(1), f(-1), f(1)},
                       {{"seed", int64_t{1}}, {"seed2", int64_t{2}}})
                .status(),
            absl::InternalError(
                "TruncatedNormal exponential distribution rejection sampler failed to accept a sample."));
}

}  // namespace
}  // namespace troupe::test
