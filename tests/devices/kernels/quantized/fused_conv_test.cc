// Quantised convolutions with what follows them. Expected values are TensorFlow 2.21's, with oneDNN.
#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "tests/devices/kernels/quantized/quantized_tensors.h"

namespace troupe::test {
namespace {

constexpr DataType kU8 = DataType::kQuint8, kS8 = DataType::kQint8, kS32 = DataType::kQint32,
                   kFloat = DataType::kFloat, kNone = DataType::kInvalid;

/// Two-dimensional or, by its name, depthwise. `filter_low`: the lower ends of the filter's ranges, whose upper ones
/// are 2; `high`: the upper ends of the output's, whose lower ones lie as far below zero. Where the op requantises, the
/// output's range is asked for: -30 to 40.
void expect_conv(const char* op, DataType input, DataType output, const std::vector<float>& filter_low,
                 DataType bias, int64_t stride, const char* padding, const std::vector<int64_t>& want,
                 const std::vector<double>& high, const std::vector<int64_t>& padding_list = {}) {
  SCOPED_TRACE(op);
  const bool requantize = absl::StrContains(op, "Requantize");
  const bool depthwise = absl::StrContains(op, "Depthwise");
  std::vector<Tensor> in = {
      quantized(input, Shape{1, 4, 4, 2}, ring(32, 37, 256, input == DataType::kQint8 ? 128 : 0)),
      depthwise ? quantized<QInt8>(Shape{2, 2, 2, 1}, {90, -20, -35, 64, 110, 25, 7, -50})
                : quantized<QInt8>(Shape{2, 2, 2, 3}, ring(24, 53, 255, 127))};
  const int64_t depth = depthwise ? 2 : 3;
  if (bias == DataType::kFloat) in.push_back(Tensor::from<float>(Shape{3}, {1, -2, 3}).slice_rows(0, depth));
  if (bias == DataType::kQint32)
    in.push_back(quantized<QInt32>(Shape{3}, {1000, -2000, 3000}).slice_rows(0, depth));
  for (float end : {-3.0f, 10.0f}) in.push_back(Tensor::scalar(end));
  in.push_back(floats(filter_low));
  in.push_back(floats(std::vector<float>(filter_low.size(), 2)));
  if (requantize) {
    for (float end : {-30.0f, 40.0f}) in.push_back(Tensor::scalar(end));
  }
  AttrMap attrs = {{"strides", std::vector<int64_t>{1, stride, stride, 1}},
                   {"padding", std::string(padding)},
                   {"out_type", output}};
  if (!padding_list.empty()) attrs.set("padding_list", padding_list);
  auto out = run(op, std::move(in), std::move(attrs));
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).dtype(), output);
  expect_near(out->at(0), want, bias == DataType::kInvalid && filter_low.size() == 1 ? 0 : 1);
  std::vector<double> low = high;
  for (double& end : low) end = requantize ? -30 : -end;
  for (size_t end = 0; end < 2; ++end) {
    EXPECT_EQ(out->at(1 + end).rank(), high.size() == 1 ? 0 : 1);
    expect_near(out->at(1 + end), end == 0 ? low : high, 0.5);
  }
}

TEST(QuantizedConv, computes_what_tensorflow_does) {
  expect_conv("QuantizedConv2D", kU8, kS32, {-2.0}, kNone, 2, "VALID",
              {1418, 5125, -1368, -49902, 3393, 8748, -9302, 7925, -5448, -27342, -14799, -5316},
              {1724087.5});
  expect_conv("QuantizedConv2D", kU8, kS32, {-2.0}, kNone, 3, "SAME",
              {1418, 5125, -1368, -32275, -17753, -3996, -687, -22386, -25215, -6986, 4091, -16197},
              {1724087.5});
  expect_conv("QuantizedConv2DPerChannel", kU8, kS32, {-2.0, -1.0, -3.0}, kNone, 2, "VALID",
              {945, 3417, -1368, -33268, 2262, 8748, -6201, 5283, -5448, -18228, -9866, -5316},
              {1724087.5, 1293065.625, 2155109.5});
  expect_conv("QuantizedConv2DAndRelu", kU8, kS32, {-2.0}, kNone, 2, "VALID",
              {1418, 5125, 0, 0, 3393, 8748, 0, 7925, 0, 0, 0, 0}, {1724087.5});
  expect_conv("QuantizedConv2DAndRelu", kU8, kS32, {-2.0}, kNone, 3, "VALID",
              {0, 0, 0, 0, 19499, 9213, 0, 0, 0, 0, 3603, 8442}, {1724087.5}, {0, 0, 1, 2, 2, 1, 0, 0});
  expect_conv("QuantizedConv2DAndRequantize", kU8, kS8, {-2.0}, kNone, 2, "VALID",
              {3, 10, -3, -98, 7, 17, -18, 16, -11, -54, -29, -10}, {40.0});
  expect_conv("QuantizedConv2DAndReluAndRequantize", kU8, kU8, {-2.0}, kNone, 2, "VALID",
              {6, 20, 0, 0, 13, 34, 0, 31, 0, 0, 0, 0}, {40.0});
  expect_conv("QuantizedConv2DWithBias", kU8, kS32, {-2.0}, kFloat, 2, "VALID",
              {3037, 1887, 3490, -48283, 155, 13606, -7683, 4686, -590, -25723, -18038, -458}, {1724087.5});
  expect_conv("QuantizedConv2DWithBias", kS8, kS32, {-2.0}, kFloat, 2, "VALID",
              {19376, -968, 7579, -31944, -2700, 17695, 8656, 1832, 3499, -9384, -20892, 3631},
              {1730875.375});
  expect_conv("QuantizedConv2DWithBiasAndRelu", kU8, kS32, {-2.0, -1.0, -3.0}, kFloat, 2, "VALID",
              {2025, 1258, 1870, 0, 103, 11986, 0, 3124, 0, 0, 0, 0}, {1724087.5, 1293065.625, 2155109.5});
  expect_conv("QuantizedConv2DWithBiasAndRequantize", kU8, kS8, {-2.0}, kFloat, 2, "VALID",
              {6, 4, 7, -95, 0, 27, -15, 9, -1, -50, -35, -1}, {40.0});
  expect_conv("QuantizedConv2DWithBiasAndRequantize", kS8, kS8, {-2.0, -1.0, -3.0}, kS32, 2, "VALID",
              {77, -5, 48, -125, -12, 108, 35, 6, 24, -36, -84, 25}, {40.0});
  expect_conv("QuantizedConv2DWithBiasAndReluAndRequantize", kU8, kU8, {-2.0}, kS32, 2, "VALID",
              {10, 12, 6, 0, 5, 46, 0, 23, 0, 0, 0, 0}, {40.0});
  expect_conv("QuantizedConv2DWithBiasAndReluAndRequantize", kU8, kU8, {-2.0, -1.0, -3.0}, kFloat, 2, "VALID",
              {12, 7, 11, 0, 1, 71, 0, 18, 0, 0, 0, 0}, {40.0});
  expect_conv("QuantizedDepthwiseConv2D", kU8, kS32, {-2.0}, kNone, 2, "VALID",
              {2608, 739, 26272, -33, 16368, 2259, 20832, 207}, {1724087.5});
  expect_conv("QuantizedDepthwiseConv2DWithBias", kU8, kS32, {-2.0, -1.0}, kFloat, 2, "VALID",
              {4227, -2499, 27891, -3271, 17987, -979, 22451, -3031}, {1724087.5, 1293065.625});
  expect_conv("QuantizedDepthwiseConv2DWithBiasAndRelu", kU8, kS32, {-2.0}, kFloat, 2, "SAME",
              {4227, 0, 27891, 0, 17987, 0, 22451, 0}, {1724087.5});
  expect_conv("QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize", kU8, kU8, {-2.0}, kS32, 2, "VALID",
              {14, 0, 107, 0, 68, 1, 86, 0}, {40.0});
}

/// The ops that add a summand crash in TensorFlow 2.21; what is added here are real values.
TEST(QuantizedConv, adds_a_summand_before_relu) {
  for (const char* op :
       {"QuantizedConv2DWithBiasSumAndRelu", "QuantizedConv2DWithBiasSumAndReluAndRequantize",
        "QuantizedConv2DWithBiasSignedSumAndReluAndRequantize"}) {
    SCOPED_TRACE(op);
    const bool requantize = absl::StrContains(op, "Requantize"), is_signed = absl::StrContains(op, "Signed");
    std::vector<Tensor> in = {quantized<QUInt8>(Shape{1, 1, 2, 1}, {100, 10}),
                              quantized<QInt8>(Shape{1, 1, 1, 2}, {127, -127}),
                              Tensor::vector<float>({1, 2})};
    for (float end : {0.0f, 255.0f, -1.0f, 1.0f}) in.push_back(Tensor::scalar(end));
    if (requantize) {
      for (float end : {0.0f, 510.0f}) in.push_back(Tensor::scalar(end));
    }
    // Worth 20, 200, -20, 4 each; in steps of 2 where the summand is quantised.
    const Shape shape{1, 1, 2, 2};
    if (!requantize) {
      in.push_back(Tensor::from<float>(shape, {20, 200, -20, 4}));
    } else {
      in.push_back(is_signed ? quantized<QInt8>(shape, {10, 100, -10, 2})
                             : quantized<QUInt8>(shape, {10, 100, 0, 2}));
      in.push_back(Tensor::scalar(0.0f));
      in.push_back(Tensor::scalar(is_signed ? 254.0f : 510.0f));
    }
    auto out = run(op, std::move(in),
                   {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                    {"padding", std::string("VALID")},
                    {"out_type", requantize ? DataType::kQuint8 : DataType::kQint32}});
    ASSERT_TRUE(out.ok()) << out.status();
    // 100 + 1 + 20, -100 + 2 + 200, 10 + 1 - 20 (or + 0), -10 + 2 + 4.
    if (!requantize) {
      expect_near(out->at(0), std::vector<int64_t>{121 * 127, 102 * 127, 0, 0}, 0);
    } else {
      expect_near(out->at(0), std::vector<double>{60.5, 51, is_signed ? 0.0 : 5.5, 0}, 0.5);
      expect_range(*out, 0, 510);
    }
  }
}

TEST(QuantizedConv, refuses_what_does_not_fit) {
  auto conv = [](const Shape& image, const Tensor& bias, const Tensor& low, const Tensor& filter_low,
                 std::vector<int64_t> paddings) {
    const Tensor x = zeros(DataType::kQuint8, image);
    const Tensor f = quantized<QInt8>(Shape{1, 1, 2, 3}, ring(6, 1, 10, 0));
    return outcome(run("QuantizedConv2DWithBias",
                       {x, f, bias, low, Tensor::scalar(1.0f), filter_low, Tensor::scalar(1.0f)},
                       {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                        {"padding", std::string("VALID")},
                        {"padding_list", std::move(paddings)}}));
  };
  const Tensor bias = Tensor::vector<float>({1, 2, 3}), zero = Tensor::scalar(0.0f);
  const Shape image{1, 2, 2, 2};
  EXPECT_EQ(conv(image, bias, zero, zero, {}), "no error");
  EXPECT_EQ(conv(Shape{2, 2, 2}, bias, zero, zero, {}),
            "INVALID_ARGUMENT: input must be 4-dimensional[2,2,2]");
  EXPECT_EQ(conv(Shape{1, 2, 2, 3}, bias, zero, zero, {}),
            "INVALID_ARGUMENT: input and filter must have the same depth: 3 vs 2");
  EXPECT_EQ(conv(image, Tensor::vector<float>({1, 2}), zero, zero, {}),
            "INVALID_ARGUMENT: bias must have one element per output channel: [2] vs. 3");
  EXPECT_EQ(conv(image, bias, Tensor::vector<float>({1, 2}), zero, {}),
            "INVALID_ARGUMENT: `min_input` must be rank 0 but is rank 1");
  EXPECT_THAT(conv(image, bias, zero, Tensor::vector<float>({1, 2}), {}),
              testing::HasSubstr("min_filter and max_filter must be scalars"));
  EXPECT_EQ(conv(image, bias, zero, zero, {0, 0, 1, 1}),
            "INVALID_ARGUMENT: padding_list must contain 8 values, but got: 4");
  EXPECT_THAT(conv(image, bias, zero, zero, {0, 0, 1, -1, 0, 0, 0, 0}),
              testing::HasSubstr("invalid padding -1"));
}

}  // namespace
}  // namespace troupe::test
