// Random boxes and places: the numbers are TensorFlow 2.21's for the same inputs and seeds.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

AttrMap seeded(int64_t seed, int64_t seed2) {
  AttrMap attrs;
  attrs.set("seed", seed);
  attrs.set("seed2", seed2);
  return attrs;
}

Tensor picture(int64_t height, int64_t width) {
  Tensor t(DataType::kInt32, Shape{height, width, 1});
  int32_t next = 0;
  for (int32_t& v : t.flat<int32_t>()) v = next++;
  return t;
}

TEST(RandomCrop, cuts_where_the_generator_says) {
  auto out = run_kernel("RandomCrop", {picture(5, 6), Tensor::vector<int64_t>({2, 3})}, seeded(1, 2));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<int32_t>({2, 3, 1}, {21, 22, 23, 27, 28, 29}), 0, 0));
}

TEST(RandomCrop, refuses_sizes_that_do_not_fit) {
  auto status = [](int64_t height, int64_t width) {
    return run_kernel("RandomCrop", {picture(5, 6), Tensor::vector<int64_t>({height, width})}, seeded(1, 2))
        .status();
  };
  EXPECT_EQ(status(6, 6),
            absl::FailedPreconditionError("height must be >= target_height: height = 5, target_height = 6"));
  EXPECT_EQ(status(5, 7),
            absl::FailedPreconditionError("width must be >= target_width: width = 6, target_width = 7"));
  EXPECT_EQ(status(-1, 6),
            absl::InvalidArgumentError("Expected shape dimensions to be non-negative, got -1"));
}

const Tensor& two_boxes() {
  static const Tensor boxes = Tensor::from<float>({1, 2, 4}, {.1f, .2f, .6f, .7f, .3f, .3f, .9f, .9f});
  return boxes;
}

absl::StatusOr<std::vector<Tensor>> sample_box(int64_t seed, float covered, AttrMap attrs = {},
                                               const Tensor& boxes = two_boxes()) {
  return run_kernel("StatelessSampleDistortedBoundingBox",
                    {Tensor::vector<int32_t>({100, 150, 3}), boxes, Tensor::scalar(covered),
                     Tensor::vector<int64_t>({seed, seed + 7})},
                    std::move(attrs));
}

TEST(SampleBox, samples_by_seed) {
  auto out = sample_box(1, 0.1f);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(17, 18, 0));
  EXPECT_THAT(out->at(1).flat<int32_t>(), ElementsAre(46, 36, -1));
  EXPECT_TRUE(tensors_near(out->at(2), Tensor::from<float>({1, 1, 4}, {0.17f, 0.12f, 0.63f, 0.36f})));
  AttrMap attrs{{"area_range", std::vector<float>{.3f, .8f}},
                {"aspect_ratio_range", std::vector<float>{.5f, 2.f}}};
  out = sample_box(2, 0.7f, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(1, 7, 0));
  EXPECT_THAT(out->at(1).flat<int32_t>(), ElementsAre(88, 107, -1));
}

TEST(SampleBox, takes_the_whole_image_when_no_attempt_succeeds) {
  auto out = sample_box(1, 1, {{"area_range", std::vector<float>{.001f, .002f}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(1).flat<int32_t>(), ElementsAre(100, 150, -1));
}

TEST(SampleBox, stateful_forms_share_a_stream) {
  AttrMap attrs = seeded(3, 4);
  auto v1 =
      run_kernel("SampleDistortedBoundingBox", {Tensor::vector<int32_t>({100, 150, 3}), two_boxes()}, attrs);
  auto v2 = run_kernel("SampleDistortedBoundingBoxV2",
                       {Tensor::vector<int32_t>({100, 150, 3}), two_boxes(), Tensor::scalar(0.1f)}, attrs);
  ASSERT_TRUE(v1.ok() && v2.ok());
  EXPECT_THAT(v1->at(0).flat<int32_t>(), ElementsAre(14, 39, 0));
  EXPECT_THAT(v2->at(1).flat<int32_t>(), ElementsAre(83, 107, -1));
}

TEST(SampleBox, refuses_what_makes_no_box) {
  EXPECT_EQ(sample_box(1, -1).status(),
            absl::InvalidArgumentError("Min object covered must be non-negative: -1"));
  EXPECT_THAT(sample_box(1, 0, {{"max_attempts", int64_t{0}}}).status().message(),
              HasSubstr("Max attempts must be non-negative: 0"));
  EXPECT_THAT(sample_box(1, 0, {{"area_range", std::vector<float>{.5f, 2.f}}}).status().message(),
              HasSubstr("Area range must be less then or equal to 1.0: [0.5, 2]"));
  EXPECT_EQ(sample_box(1, 0, {}, Tensor::from<float>({1, 1, 4}, {0, 0, 1.2f, 1})).status(),
            absl::InvalidArgumentError("All bounding box coordinates must be in [0.0, 1.0]: 1.2"));
  EXPECT_THAT(sample_box(1, 0, {}, Tensor(DataType::kFloat, Shape{1, 0, 4})).status().message(),
              HasSubstr("No bounding boxes provided as input."));
}

}  // namespace
}  // namespace troupe::test
