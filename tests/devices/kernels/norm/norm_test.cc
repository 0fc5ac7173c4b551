// Biases, batch normalisation, local responses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

TEST(BiasAdd, adds_along_the_channels_of_either_layout) {
  Tensor x = zeros(DataType::kFloat, Shape{1, 2, 1, 2}), bias = Tensor::vector<float>({1, 2});
  auto last = run_kernel("BiasAdd", {x, bias});
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_TRUE(tensors_near(last->at(0), Tensor::from<float>(Shape{1, 2, 1, 2}, {1, 2, 1, 2})));
  auto first = run_kernel("BiasAdd", {x, bias}, {{"data_format", "NCHW"}});
  EXPECT_TRUE(tensors_near(first->at(0), Tensor::from<float>(Shape{1, 2, 1, 2}, {1, 1, 2, 2})));
}

TEST(BiasAdd, refuses_a_bias_of_another_length) {
  EXPECT_EQ(
      run_kernel("BiasAdd", {zeros(DataType::kFloat, Shape{2, 3}), Tensor::vector<float>({1, 2})}).status(),
      absl::InvalidArgumentError(
          "Must provide as many biases as the last dimension of the input tensor: [2] vs. [2,3]"));
  EXPECT_EQ(run_kernel("BiasAdd", {Tensor::vector<float>({1}), Tensor::vector<float>({1})}).status(),
            absl::InvalidArgumentError("Input tensor must be at least 2D: [1]"));
}

TEST(FusedBatchNorm, returns_the_variance_with_bessels_correction) {
  Tensor x = Tensor::from<float>(Shape{1, 1, 4, 1}, {1, 2, 3, 6}), one = Tensor::vector<float>({1}),
         none(DataType::kFloat, Shape{0});
  auto out = run_kernel("FusedBatchNormV3", {x, one, zeros(DataType::kFloat, Shape{1}), none, none},
                        {{"U", DataType::kFloat}, {"epsilon", 0.0f}});
  ASSERT_TRUE(out.ok()) << out.status();
  const float s = std::sqrt(3.5f);
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 1, 4, 1}, {-2 / s, -1 / s, 0, 3 / s})));
  EXPECT_FLOAT_EQ(out->at(1).flat<float>()[0], 3);
  EXPECT_FLOAT_EQ(out->at(2).flat<float>()[0], 14.0f / 3);
  EXPECT_FLOAT_EQ(out->at(4).flat<float>()[0], 3.5f);
}

TEST(FusedBatchNorm, finds_the_statistics_of_many_pixels_in_either_layout) {
  for (const int64_t channels : {0, 1, 3, 16, 300}) {
    SCOPED_TRACE(channels);
    const int64_t pixels = 40'000 / std::max<int64_t>(channels, 1) + 7;
    Tensor last(DataType::kFloat, Shape{1, 1, pixels, channels}),
        first(DataType::kFloat, Shape{1, channels, 1, pixels});
    std::vector<double> mean(static_cast<size_t>(channels), 0), variance = mean;
    const auto value = [](int64_t pixel, int64_t c) {
      return static_cast<float>(pixel * 31 % 97) + static_cast<float>(c);
    };
    for (int64_t p = 0; p < pixels; ++p) {
      for (int64_t c = 0; c < channels; ++c) {
        last.flat<float>()[p * channels + c] = first.flat<float>()[c * pixels + p] = value(p, c);
        mean[c] += value(p, c) / static_cast<double>(pixels);
      }
    }
    for (int64_t p = 0; p < pixels; ++p) {
      for (int64_t c = 0; c < channels; ++c)
        variance[c] += std::pow(value(p, c) - mean[c], 2) / static_cast<double>(pixels);
    }
    const Tensor ones = Tensor::from<float>(Shape{channels},
                                            std::vector<float>(static_cast<size_t>(channels), 1)),
                 none(DataType::kFloat, Shape{0});
    for (const char* format : {"NHWC", "NCHW"}) {
      const Tensor& x = format[1] == 'H' ? last : first;
      const auto out = run_kernel("FusedBatchNormV3", {x, ones, ones, none, none},
                                  {{"U", DataType::kFloat}, {"data_format", format}});
      ASSERT_TRUE(out.ok()) << out.status();
      for (int64_t c = 0; c < channels; ++c) {
        EXPECT_NEAR(out->at(3).flat<float>()[c], mean[c], 1e-4 * mean[c]);
        EXPECT_NEAR(out->at(4).flat<float>()[c], variance[c], 1e-4 * variance[c]);
      }
    }
  }
}

TEST(FusedBatchNorm, averages_statistics_over_steps) {
  Tensor x = Tensor::from<float>(Shape{1, 1, 2, 1}, {0, 2}), one = Tensor::vector<float>({1});
  auto out =
      run_kernel("FusedBatchNormV3", {x, one, one, Tensor::vector<float>({5}), Tensor::vector<float>({10})},
                 {{"U", DataType::kFloat}, {"exponential_avg_factor", 0.25f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ(out->at(1).flat<float>()[0], 0.75f * 5 + 0.25f * 1);
  EXPECT_FLOAT_EQ(out->at(2).flat<float>()[0], 0.75f * 10 + 0.25f * 2);
}

TEST(FusedBatchNormGrad, agrees_with_differences) {
  const Shape shape{2, 1, 3, 2};
  Tensor x(DataType::kFloat, shape), dy(DataType::kFloat, shape);
  for (int i = 0; i < 12; ++i) {
    x.flat<float>()[i] = static_cast<float>((i * 5) % 7) - 2;
    dy.flat<float>()[i] = static_cast<float>((i * 3) % 5) - 2;
  }
  Tensor scale = Tensor::vector<float>({1.5f, -0.5f}), offset = Tensor::vector<float>({0, 1}),
         none(DataType::kFloat, Shape{0});
  const AttrMap attrs = {{"U", DataType::kFloat}, {"epsilon", 0.1f}};
  auto forward = [&](const Tensor& in) {
    return *run_kernel("FusedBatchNormV3", {in, scale, offset, none, none}, attrs);
  };
  auto base = forward(x);
  auto grad = run_kernel("FusedBatchNormGradV3", {dy, x, scale, base[3], base[4], base[5]}, attrs);
  ASSERT_TRUE(grad.ok()) << grad.status();
  for (int i = 0; i < 12; ++i) {
    double sum[2];
    for (int side = 0; side < 2; ++side) {
      Tensor moved = x.deep_copy();
      moved.flat<float>()[i] += side == 0 ? -0.01f : 0.01f;
      auto out = forward(moved);
      sum[side] = 0;
      for (int j = 0; j < 12; ++j) sum[side] += out[0].flat<float>()[j] * dy.flat<float>()[j];
    }
    EXPECT_NEAR(grad->at(0).flat<float>()[i], (sum[1] - sum[0]) / 0.02, 5e-3) << i;
  }
}

TEST(FusedBatchNorm, refuses_a_scale_of_another_length) {
  Tensor x = zeros(DataType::kFloat, Shape{1, 2, 2, 3}), three = zeros(DataType::kFloat, Shape{3});
  EXPECT_EQ(
      run_kernel("FusedBatchNorm", {x, zeros(DataType::kFloat, Shape{2}), three, three, three}).status(),
      absl::InvalidArgumentError(
          "scale must have the same number of elements as the channels of x, got 2 and 3"));
}

TEST(FusedBatchNorm, answers_an_empty_batch_with_not_a_number) {
  Tensor c = zeros(DataType::kFloat, Shape{3});
  auto out = run_kernel("FusedBatchNorm", {Tensor(DataType::kFloat, Shape{0, 2, 2, 3}), c, c, c, c});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(std::isnan(out->at(1).flat<float>()[0]));
}

TEST(Lrn, divides_by_the_neighbourhood) {
  Tensor x = Tensor::from<float>(Shape{1, 1, 1, 3}, {1, 2, 3});
  auto out = run_kernel("LRN", {x}, {{"depth_radius", 1}, {"bias", 1.0f}, {"alpha", 1.0f}, {"beta", 1.0f}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(out->at(0), Tensor::from<float>(Shape{1, 1, 1, 3}, {1.0f / 6, 2.0f / 15, 3.0f / 14})));
  EXPECT_EQ(run_kernel("LRN", {Tensor::vector<float>({1})}).status(),
            absl::InvalidArgumentError("in must be 4-dimensional"));
}

}  // namespace
}  // namespace troupe::test
