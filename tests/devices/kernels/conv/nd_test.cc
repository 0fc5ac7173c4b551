// Convolutions of any rank. The numbers are TensorFlow 2.21's for the same inputs.
#include <gmock/gmock.h>

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

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

AttrMap conv_attrs(std::vector<int64_t> strides, int64_t batch_dims = 1, int64_t groups = 1) {
  return {
      {"strides", std::move(strides)}, {"padding", "VALID"}, {"batch_dims", batch_dims}, {"groups", groups}};
}

TEST(Conv, is_that_of_images_and_volumes) {
  const Tensor image = ramp({2, 3, 4, 2}, 1), filter = ramp({2, 2, 2, 3}, 0.5f);
  auto want = run_kernel("Conv2D", {image, filter},
                         {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "VALID"}});
  auto got = run_kernel("Conv", {image, filter}, conv_attrs({1, 1, 1, 1}));
  ASSERT_TRUE(want.ok() && got.ok()) << got.status();
  EXPECT_TRUE(tensors_near(got->at(0), want->at(0)));
  const Tensor volume = ramp({1, 2, 3, 4, 2}, 1), box = ramp({2, 1, 2, 2, 3}, 0.5f);
  want = run_kernel("Conv3D", {volume, box},
                    {{"strides", std::vector<int64_t>{1, 1, 2, 1, 1}}, {"padding", "VALID"}});
  got = run_kernel("Conv", {volume, box}, conv_attrs({1, 1, 2, 1, 1}));
  ASSERT_TRUE(want.ok() && got.ok()) << got.status();
  EXPECT_TRUE(tensors_near(got->at(0), want->at(0)));
}

TEST(Conv, has_any_number_of_batch_dimensions) {
  const Tensor filter = ramp({2, 2, 2, 3}, 0.5f);
  auto flat = run_kernel("Conv", {ramp({6, 3, 4, 2}, 1), filter}, conv_attrs({1, 1, 1, 1}));
  auto nested = run_kernel("Conv", {ramp({2, 3, 3, 4, 2}, 1), filter}, conv_attrs({1, 1, 1, 1}, 2));
  ASSERT_TRUE(nested.ok()) << nested.status();
  EXPECT_EQ(nested->at(0).shape(), (Shape{2, 3, 2, 3, 3}));
  EXPECT_TRUE(tensors_near(nested->at(0).reshaped({6, 2, 3, 3}), flat->at(0)));
  auto single = run_kernel("Conv", {ramp({3, 4, 2}, 1), filter}, conv_attrs({1, 1, 1, 1}, 0));
  ASSERT_TRUE(single.ok()) << single.status();
  EXPECT_EQ(single->at(0).shape(), (Shape{2, 3, 3}));
}

TEST(Conv, convolves_groups_of_channels) {
  // Two groups of one channel: each has a filter of its own.
  auto out = run_kernel(
      "Conv",
      {Tensor::from<int32_t>({1, 1, 2, 2}, {1, 2, 3, 4}), Tensor::from<int32_t>({1, 1, 1, 2}, {10, 100})},
      conv_attrs({1, 1, 1, 1}, 1, 2));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<int32_t>(), ElementsAre(10, 200, 30, 400));
}

TEST(Conv, refuses_what_does_not_fit) {
  const Tensor image = ramp({2, 4, 5, 4}, 1);
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 2, 4}, 1)}, conv_attrs({1, 1, 1, 1}))),
            "Input depth must be equal to filter depth: 4 vs 2");
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 4}, 1)}, conv_attrs({1, 1, 1, 1}))),
            "The filter must be rank 4 or 5 but got 3");
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 4, 4}, 1)}, conv_attrs({1, 1, 1, 1}, 2))),
            "The input must have 2 or 3 spatial dimensions but got 1");
  EXPECT_EQ(message_of(run_kernel("Conv", {image, ramp({3, 2, 4, 4}, 1)}, conv_attrs({1, 1}))),
            "Sliding window strides field must specify 4 dimensions");
  EXPECT_THAT(message_of(run_kernel("Conv", {image, ramp({0, 2, 4, 4}, 1)}, conv_attrs({1, 1, 1, 1}))),
              HasSubstr("filter must not have zero elements"));
}

}  // namespace
}  // namespace troupe::test
