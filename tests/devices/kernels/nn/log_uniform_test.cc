// The log-uniform sampler.
#include <gtest/gtest.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

Tensor ints(std::initializer_list<int64_t> values) { return Tensor::vector<int64_t>(values); }

Tensor floats(std::initializer_list<float> values) { return Tensor::vector<float>(values); }

void expect_outputs(const absl::StatusOr<std::vector<Tensor>>& got, const std::vector<Tensor>& want) {
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(tensors_near(got->at(i), want[i], 1e-4)) << "output " << i;
}

TEST(CandidateSampler, draws_what_its_seeds_say) {
  Tensor classes = Tensor::from<int64_t>(Shape{2, 2}, {1, 2, 3, 4});
  AttrMap attrs = {{"num_true", int64_t{2}},   {"num_sampled", int64_t{3}}, {"unique", true},
                   {"range_max", int64_t{10}}, {"seed", int64_t{1}},        {"seed2", int64_t{2}}};
  expect_outputs(run_kernel("UniformCandidateSampler", {classes}, attrs),
                 {ints({9, 6, 7}), Tensor::from<float>(Shape{2, 2}, {0.3f, 0.3f, 0.3f, 0.3f}),
                  floats({0.3f, 0.3f, 0.3f})});
  expect_outputs(run_kernel("LogUniformCandidateSampler", {classes}, attrs),
                 {ints({0, 1, 8}),
                  Tensor::from<float>(Shape{2, 2}, {0.603937f, 0.472186f, 0.386383f, 0.326589f}),
                  floats({0.818386f, 0.603937f, 0.201217f})});
  expect_outputs(run_kernel("ComputeAccidentalHits", {classes, ints({2, 5, 3})}, {{"num_true", int64_t{2}}}),
                 {Tensor::vector<int32_t>({0, 1}), ints({0, 2})});
}

}  // namespace
}  // namespace troupe::test
