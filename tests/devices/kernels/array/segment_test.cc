// Segments without members.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

Tensor ramp(const Shape& shape, float step) {
  Tensor t(DataType::kFloat, shape);
  float next = 0;
  for (float& v : t.flat<float>()) v = step * next++;
  return t;
}

TEST(SparseSegmentSumGrad, has_no_rows_to_look_at_in_an_empty_result) {
  const Tensor one = Tensor::vector<int32_t>({1}), zero = Tensor::vector<int32_t>({0});
  auto out = run_kernel("SparseSegmentSumGrad", {ramp({2, 2}, 1), one, zero, Tensor::scalar<int32_t>(0)});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{0, 2}));
}

}  // namespace
}  // namespace troupe::test
