#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using Ints = std::vector<int64_t>;

Tensor counting(const Shape& shape) {
  Tensor t(DataType::kFloat, shape);
  float v = 0;
  for (float& x : t.flat<float>()) x = v++;
  return t;
}

AttrMap window(Ints ksize, Ints strides, const char* padding, const char* format = "NHWC") {
  return {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", format}};
}

TEST(MaxPool, takes_the_greatest_of_each_window) {
  auto out = run_kernel("MaxPool", {counting(Shape{1, 3, 3, 1})}, window({1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2, 2, 1}, {4, 5, 7, 8})));
}

TEST(MaxPool, reads_channels_first_images) {
  auto out = run_kernel("MaxPool", {counting(Shape{1, 2, 2, 2})},
                        window({1, 1, 2, 2}, {1, 1, 2, 2}, "VALID", "NCHW"));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2, 1, 1}, {3, 7})));
}

TEST(MaxPool, skips_not_a_number_and_bottoms_out_at_the_lowest_number) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  auto out = run_kernel("MaxPool", {Tensor::from<float>(Shape{1, 1, 6, 1}, {nan, 1, 2, nan, -inf, -inf})},
                        window({1, 1, 2, 1}, {1, 1, 2, 1}, "VALID"));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(
      out->at(0), Tensor::from<float>(Shape{1, 1, 3, 1}, {1, 2, std::numeric_limits<float>::lowest()})));
}

/// Every window by itself, of images [1, rows, columns, channels].
template <class Fold>
Tensor pooled(const Tensor& x, const Ints& kernel, const Ints& stride, const Shape& out, Ints before,
              Fold fold) {
  Tensor y(DataType::kFloat, out);
  auto at = y.flat<float>().begin();
  for (int64_t r = 0; r < out.dim(1); ++r) {
    for (int64_t c = 0; c < out.dim(2); ++c) {
      for (int64_t k = 0; k < out.dim(3); ++k) {
        std::vector<float> taps;
        for (int64_t i = r * stride[0] - before[0]; i < r * stride[0] - before[0] + kernel[0]; ++i) {
          for (int64_t j = c * stride[1] - before[1]; j < c * stride[1] - before[1] + kernel[1]; ++j) {
            if (i >= 0 && i < x.dim(1) && j >= 0 && j < x.dim(2))
              taps.push_back(x.flat<float>()[(i * x.dim(2) + j) * x.dim(3) + k]);
          }
        }
        *at++ = fold(taps);
      }
    }
  }
  return y;
}

TEST(Pooling, of_many_channels_is_that_of_each_window) {
  for (const int64_t channels : {1, 15, 16, 17, 40}) {
    for (const auto& [kernel, stride, before] : {std::tuple<Ints, Ints, Ints>{{3, 3}, {2, 2}, {1, 1}},
                                                 {{2, 2}, {2, 2}, {0, 0}},
                                                 {{3, 2}, {1, 1}, {1, 0}},
                                                 {{1, 1}, {2, 2}, {0, 0}},
                                                 {{7, 9}, {7, 9}, {0, 0}}}) {
      SCOPED_TRACE(testing::Message() << channels << " channels, windows " << testing::PrintToString(kernel)
                                      << ", steps " << testing::PrintToString(stride));
      Tensor x(DataType::kFloat, Shape{1, 7, 9, channels});
      float v = 0;
      for (float& e : x.flat<float>()) e = static_cast<float>(std::fmod(v++ * 37, 101) - 50);
      const AttrMap attrs = window({1, kernel[0], kernel[1], 1}, {1, stride[0], stride[1], 1}, "SAME");
      const auto most = run_kernel("MaxPool", {x}, attrs), mean = run_kernel("AvgPool", {x}, attrs);
      ASSERT_TRUE(most.ok() && mean.ok()) << most.status() << mean.status();
      EXPECT_TRUE(tensors_near(
          most->at(0), pooled(x, kernel, stride, most->at(0).shape(), before,
                              [](const auto& taps) { return *std::max_element(taps.begin(), taps.end()); })));
      EXPECT_TRUE(tensors_near(
          mean->at(0), pooled(x, kernel, stride, mean->at(0).shape(), before, [](const auto& taps) {
            return std::accumulate(taps.begin(), taps.end(), 0.0f) / static_cast<float>(taps.size());
          })));
    }
  }
}

TEST(MaxPool, of_many_channels_skips_not_a_number) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Tensor x(DataType::kFloat, Shape{1, 2, 2, 20});
  for (int64_t i = 0; i < 80; ++i) x.flat<float>()[i] = i < 60 ? nan : static_cast<float>(i % 20);
  const auto out = run_kernel("MaxPool", {x}, window({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID"));
  ASSERT_TRUE(out.ok()) << out.status();
  for (int64_t c = 0; c < 20; ++c) EXPECT_EQ(out->at(0).flat<float>()[c], static_cast<float>(c));
}

TEST(MaxPool, pools_over_the_depth) {
  auto out =
      run_kernel("MaxPool", {counting(Shape{1, 1, 2, 4})}, window({1, 1, 1, 2}, {1, 1, 1, 2}, "VALID"));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 1, 2, 2}, {1, 3, 5, 7})));
}

TEST(MaxPool, refuses_bad_windows) {
  Tensor x = counting(Shape{1, 2, 2, 1});
  auto status = [&](const Tensor& in, Ints k, Ints s) {
    return run_kernel("MaxPool", {in}, window(k, s, "VALID")).status();
  };
  EXPECT_EQ(status(x, {2, 1, 1, 1}, {1, 1, 1, 1}).code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status(x, {1, 4, 4, 1}, {1, 1, 1, 1}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(status(x, {1, 3, 3, 1}, {1, 1, 1, 1}).ok()) << "one too large leaves nothing";
  EXPECT_EQ(status(x, {1, 0, 1, 1}, {1, 1, 1, 1}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status(x, {1, 1, 1, 1}, {1, 0, 1, 1}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status(counting(Shape{2, 2, 1}), {1, 1, 1, 1}, {1, 1, 1, 1}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(MaxPoolGrad, goes_to_the_first_of_equal_inputs) {
  Tensor x = Tensor::from<float>(Shape{1, 2, 2, 1}, {3, 3, 1, 3}),
         y = Tensor::from<float>(Shape{1, 1, 1, 1}, {3});
  auto out = run_kernel("MaxPoolGrad", {x, y, Tensor::from<float>(Shape{1, 1, 1, 1}, {5})},
                        window({1, 2, 2, 1}, {1, 1, 1, 1}, "VALID"));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2, 2, 1}, {5, 0, 0, 0})));
}

TEST(MaxPoolWithArgmax, numbers_inputs_within_their_image_or_the_batch) {
  AttrMap attrs = window({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
  attrs.erase("data_format");
  auto out = run_kernel("MaxPoolWithArgmax", {counting(Shape{2, 2, 2, 1})}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::from<int64_t>(Shape{2, 1, 1, 1}, {3, 3})));
  attrs.set("include_batch_in_index", true);
  out = run_kernel("MaxPoolWithArgmax", {counting(Shape{2, 2, 2, 1})}, attrs);
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::from<int64_t>(Shape{2, 1, 1, 1}, {3, 7})));
}

TEST(MaxPoolGradWithArgmax, refuses_indices_outside_the_input) {
  AttrMap attrs = window({1, 2, 2, 1}, {1, 2, 2, 1}, "VALID");
  attrs.erase("data_format");
  auto status = run_kernel("MaxPoolGradWithArgmax",
                           {counting(Shape{1, 2, 2, 1}), counting(Shape{1, 1, 1, 1}),
                            Tensor::from<int64_t>(Shape{1, 1, 1, 1}, {4})},
                           attrs)
                    .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
}

TEST(AvgPool, does_not_count_padding) {
  auto out = run_kernel("AvgPool", {counting(Shape{1, 3, 3, 1})}, window({1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2, 2, 1}, {2, 3.5f, 6.5f, 8})));
}

TEST(AvgPoolGrad, shares_the_gradient_out) {
  auto out = run_kernel(
      "AvgPoolGrad", {Tensor::vector<int32_t>({1, 1, 3, 1}), Tensor::from<float>(Shape{1, 1, 2, 1}, {4, 6})},
      window({1, 1, 2, 1}, {1, 1, 2, 1}, "SAME"));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 1, 3, 1}, {2, 2, 6})));
}

TEST(FractionalMaxPool, repeats_tensorflows_pooling_sequences) {
  AttrMap attrs = {{"pooling_ratio", std::vector<float>{1, 1.5f, 1.7f, 1}},
                   {"deterministic", true},
                   {"seed", 1},
                   {"seed2", 2}};
  auto out = run_kernel("FractionalMaxPool", {counting(Shape{1, 7, 9, 1})}, attrs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::vector<int64_t>({0, 1, 3, 5, 7})));
  EXPECT_TRUE(tensors_near(out->at(2), Tensor::vector<int64_t>({0, 2, 4, 6, 7, 9})));
  attrs.set("pseudo_random", true);
  out = run_kernel("FractionalMaxPool", {counting(Shape{1, 7, 9, 1})}, attrs);
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::vector<int64_t>({0, 2, 3, 5, 7})));
  EXPECT_TRUE(tensors_near(out->at(2), Tensor::vector<int64_t>({0, 2, 3, 5, 7, 9})));
}

TEST(FractionalPool, refuses_ratios_above_what_is_there) {
  const auto why = [](const char* op, const Shape& shape, std::vector<float> ratio) {
    return run_kernel(op, {zeros(DataType::kFloat, shape)}, {{"pooling_ratio", std::move(ratio)}}).status();
  };
  EXPECT_EQ(why("FractionalAvgPool", {2, 7, 9, 2}, {1, 8, 1.5f, 1}),
            absl::InvalidArgumentError(
                "Pooling ratio is higher than input dimension size for dimension 1. Input dim "
                "size: 7 pooling ratio: 8"));
  EXPECT_EQ(why("FractionalMaxPool", {0, 7, 9, 2}, {1, 1.5f, 1.5f, 1}),
            absl::InvalidArgumentError(
                "Pooling ratio is higher than input dimension size for dimension 0. Input dim "
                "size: 0 pooling ratio: 1"));
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  Tensor t(dtype_of<T>(), Shape{static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.flat<T>().begin());
  return t;
}

TEST(FractionalPoolGrad, refuses_sequences_that_are_none) {
  const auto why = [](const Shape& grad, std::vector<int64_t> rows,
                      std::vector<int64_t> shape = {2, 6, 8, 2}) {
    auto out = run_kernel("FractionalAvgPoolGrad", {vector_of(shape), zeros(DataType::kFloat, grad),
                                                    vector_of(rows), Tensor::vector<int64_t>({0, 2, 5, 8})});
    return std::string(out.status().message());
  };
  EXPECT_EQ(why({2, 3, 3, 2}, {0, 2, 4, 6}), "");
  EXPECT_EQ(why({2, 3, 3, 2}, {0, 2, 4}),
            "Given out_backprop shape [2,3,3,2], row_seq_tensor must have at least 4 elements, but got 3");
  EXPECT_EQ(why({2, 3, 3, 2}, {0, -2, 4, 6}),
            "Row sequence tensor values must not be negative, got 0 -2 4 6");
  EXPECT_EQ(why({2, 3, 3, 2}, {0, 2, 4, 0}), "Row sequence tensor values must not be negative, got 0 2 4 0");
  // What lies beyond the input is cut off.
  EXPECT_EQ(why({2, 3, 3, 2}, {0, 2, 4, 100}), "");
  EXPECT_EQ(why({2, 3, 3, 2}, {7, 8, 9, INT64_MAX}), "");
  EXPECT_EQ(why({2, 3, 3, 2}, {0, 2, 4, 6}, {2, 6, 8}),
            "original input tensor shape must be1-dimensional and 4 elements");
  EXPECT_THAT(why({2, 0, 3, 2}, {0}),
              testing::HasSubstr("out_backprop must be positive for all dimension, got:0"));
}

TEST(FractionalMaxPoolGrad, refuses_an_output_that_is_not_the_inputs) {
  const Tensor in = counting(Shape{1, 4, 4, 1}), at = Tensor::vector<int64_t>({0, 2, 4});
  const Tensor ones = Tensor::from<float>({1, 2, 2, 1}, {1, 1, 1, 1});
  EXPECT_EQ(run_kernel("FractionalMaxPoolGrad", {in, ones, ones, at, at}).status(),
            absl::InvalidArgumentError("tensor_out_dup is not the same as tensor_out"));
}

}  // namespace
}  // namespace troupe::test
