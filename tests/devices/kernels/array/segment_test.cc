// Segments without members.
#include <gmock/gmock.h>

#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST(Segments, without_members_are_what_adds_nothing) {
  const Tensor x = Tensor::vector<float>({1, 2, 3}), ids = Tensor::vector<int32_t>({0, 0, 2});
  auto segments = [&](const char* op) {
    const Tensor out = run_kernel(op, {x, ids})->at(0);
    return std::vector<float>(out.flat<float>().begin(), out.flat<float>().end());
  };
  EXPECT_THAT(segments("SegmentSum"), ElementsAre(3, 0, 3));
  EXPECT_THAT(segments("SegmentMean"), ElementsAre(1.5f, 0, 3));
  EXPECT_THAT(segments("SegmentMax"), ElementsAre(2, 0, 3));
  EXPECT_THAT(segments("SegmentMin"), ElementsAre(1, 0, 3));
  EXPECT_THAT(segments("SegmentProd"), ElementsAre(2, 1, 3));
}

TEST(UnsortedSegments, leave_out_what_has_a_negative_number) {
  const Tensor x = Tensor::vector<float>({1, 2, 3}), three = Tensor::scalar<int32_t>(3);
  auto run = [&](const char* op, std::initializer_list<int32_t> ids) {
    return run_kernel(op, {x, Tensor::vector<int32_t>(ids), three});
  };
  constexpr float kMost = std::numeric_limits<float>::max();
  EXPECT_THAT(run("UnsortedSegmentSum", {0, -1, 2})->at(0).flat<float>(), ElementsAre(1, 0, 3));
  EXPECT_THAT(run("UnsortedSegmentMax", {0, -1, 2})->at(0).flat<float>(), ElementsAre(1, -kMost, 3));
  EXPECT_THAT(run("UnsortedSegmentMin", {0, -1, 2})->at(0).flat<float>(), ElementsAre(1, kMost, 3));
  EXPECT_THAT(run("UnsortedSegmentProd", {0, -1, 2})->at(0).flat<float>(), ElementsAre(1, 1, 3));
  const absl::Status outside = run("UnsortedSegmentSum", {0, 5, 2}).status();
  EXPECT_EQ(outside.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(outside.message()), HasSubstr("segment_ids[1] = 5 is out of range [0, 3)"));
}

}  // namespace
}  // namespace troupe::test
