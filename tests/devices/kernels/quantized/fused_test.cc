#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "devices/cpu/kernels/quantized/math.h"
#include "tests/support/string_tensors.h"

// Expected values are TensorFlow 2.21's, with oneDNN.
namespace troupe::test {
namespace {

using Outputs = absl::StatusOr<std::vector<Tensor>>;

template <class Q>
Tensor quantized(const Shape& shape, const std::vector<int>& values) {
  std::vector<Q> q;
  for (int v : values) q.push_back(Q{static_cast<QuantStorage<Q>>(v)});
  return Tensor::from<Q>(shape, std::span<const Q>(q));
}

Tensor quantized(DataType dtype, const Shape& shape, const std::vector<int>& values) {
  switch (dtype) {
    case DataType::kQuint8: return quantized<QUInt8>(shape, values);
    case DataType::kQint8: return quantized<QInt8>(shape, values);
    default: return quantized<QInt32>(shape, values);
  }
}

/// count values, each `step` more than the last, around in a ring of `ring`, less `offset`.
std::vector<int> ring(int count, int step, int ring, int offset) {
  std::vector<int> v;
  for (int i = 0; i < count; ++i) v.push_back(i * step % ring - offset);
  return v;
}

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> all;
  for (size_t i = 0; i < static_cast<size_t>(t.num_elements()); ++i) {
    switch (t.dtype()) {
      case DataType::kQuint8: all.push_back(t.flat<QUInt8>()[i].value); break;
      case DataType::kQint8: all.push_back(t.flat<QInt8>()[i].value); break;
      case DataType::kQint32: all.push_back(t.flat<QInt32>()[i].value); break;
      default: all.push_back(static_cast<double>(t.flat<float>()[i])); break;
    }
  }
  return all;
}

/// Each number at most `quantum` from what is wanted.
template <class T>
void expect_near(const Tensor& got, const std::vector<T>& want, double quantum) {
  const std::vector<double> values = numbers(got);
  ASSERT_EQ(values.size(), want.size()) << got.to_string();
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(values[i], static_cast<double>(want[i]), quantum) << "element " << i;
}

/// A range: both ends within a millionth.
void expect_range(const std::vector<Tensor>& out, double low, double high) {
  EXPECT_NEAR(static_cast<double>(out[1].value<float>()), low, std::abs(low) * 1e-6);
  EXPECT_NEAR(static_cast<double>(out[2].value<float>()), high, std::abs(high) * 1e-6);
}

Tensor floats(const std::vector<float>& values) {
  if (values.size() == 1) return Tensor::scalar<float>(values[0]);
  return Tensor::from<float>(Shape{static_cast<int64_t>(values.size())}, std::span<const float>(values));
}

struct ConvCase {
  const char* op;
  DataType input, output;
  /// The lower ends of the filter's ranges; the upper ones are 2.
  std::vector<float> filter_low;
  /// kInvalid: none.
  DataType bias;
  int64_t stride;
  const char* padding;
  std::vector<int64_t> padding_list;
  /// An output range of -30 to 40.
  bool requantize;
  std::vector<int> want;
  std::vector<float> low, high;
};

Outputs convolve(const ConvCase& c) {
  const bool depthwise = absl::StrContains(c.op, "Depthwise");
  std::vector<Tensor> in = {
      quantized(c.input, Shape{1, 4, 4, 2}, ring(32, 37, 256, c.input == DataType::kQint8 ? 128 : 0)),
      depthwise ? quantized<QInt8>(Shape{2, 2, 2, 1}, {90, -20, -35, 64, 110, 25, 7, -50})
                : quantized<QInt8>(Shape{2, 2, 2, 3}, ring(24, 53, 255, 127))};
  const int64_t depth = depthwise ? 2 : 3;
  if (c.bias == DataType::kFloat)
    in.push_back(Tensor::from<float>(Shape{3}, {1, -2, 3}).slice_rows(0, depth));
  if (c.bias == DataType::kQint32)
    in.push_back(quantized<QInt32>(Shape{3}, {1000, -2000, 3000}).slice_rows(0, depth));
  for (float end : {-3.0f, 10.0f}) in.push_back(Tensor::scalar(end));
  in.push_back(floats(c.filter_low));
  in.push_back(floats(std::vector<float>(c.filter_low.size(), 2)));
  if (c.requantize) {
    for (float end : {-30.0f, 40.0f}) in.push_back(Tensor::scalar(end));
  }
  AttrMap attrs = {{"strides", std::vector<int64_t>{1, c.stride, c.stride, 1}},
                   {"padding", std::string(c.padding)},
                   {"out_type", c.output}};
  if (!c.padding_list.empty()) attrs.set("padding_list", c.padding_list);
  return run(c.op, std::move(in), std::move(attrs));
}

TEST(QuantizedConv, computes_what_tensorflow_does) {
  const std::vector<ConvCase> cases = {
      {"QuantizedConv2D",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0},
       DataType::kInvalid,
       2,
       "VALID",
       {},
       false,
       {1418, 5125, -1368, -49902, 3393, 8748, -9302, 7925, -5448, -27342, -14799, -5316},
       {-1724087.5},
       {1724087.5}},
      {"QuantizedConv2D",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0},
       DataType::kInvalid,
       3,
       "SAME",
       {},
       false,
       {1418, 5125, -1368, -32275, -17753, -3996, -687, -22386, -25215, -6986, 4091, -16197},
       {-1724087.5},
       {1724087.5}},
      {"QuantizedConv2DPerChannel",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0, -1.0, -3.0},
       DataType::kInvalid,
       2,
       "VALID",
       {},
       false,
       {945, 3417, -1368, -33268, 2262, 8748, -6201, 5283, -5448, -18228, -9866, -5316},
       {-1724087.5, -1293065.625, -2155109.5},
       {1724087.5, 1293065.625, 2155109.5}},
      {"QuantizedConv2DAndRelu",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0},
       DataType::kInvalid,
       2,
       "VALID",
       {},
       false,
       {1418, 5125, 0, 0, 3393, 8748, 0, 7925, 0, 0, 0, 0},
       {-1724087.5},
       {1724087.5}},
      {"QuantizedConv2DAndRelu",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0},
       DataType::kInvalid,
       3,
       "VALID",
       {0, 0, 1, 2, 2, 1, 0, 0},
       false,
       {0, 0, 0, 0, 19499, 9213, 0, 0, 0, 0, 3603, 8442},
       {-1724087.5},
       {1724087.5}},
      {"QuantizedConv2DAndRequantize",
       DataType::kQuint8,
       DataType::kQint8,
       {-2.0},
       DataType::kInvalid,
       2,
       "VALID",
       {},
       true,
       {3, 10, -3, -98, 7, 17, -18, 16, -11, -54, -29, -10},
       {-30.0},
       {40.0}},
      {"QuantizedConv2DAndReluAndRequantize",
       DataType::kQuint8,
       DataType::kQuint8,
       {-2.0},
       DataType::kInvalid,
       2,
       "VALID",
       {},
       true,
       {6, 20, 0, 0, 13, 34, 0, 31, 0, 0, 0, 0},
       {-30.0},
       {40.0}},
      {"QuantizedConv2DWithBias",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0},
       DataType::kFloat,
       2,
       "VALID",
       {},
       false,
       {3037, 1887, 3490, -48283, 155, 13606, -7683, 4686, -590, -25723, -18038, -458},
       {-1724087.5},
       {1724087.5}},
      {"QuantizedConv2DWithBias",
       DataType::kQint8,
       DataType::kQint32,
       {-2.0},
       DataType::kFloat,
       2,
       "VALID",
       {},
       false,
       {19376, -968, 7579, -31944, -2700, 17695, 8656, 1832, 3499, -9384, -20892, 3631},
       {-1730875.375},
       {1730875.375}},
      {"QuantizedConv2DWithBiasAndRelu",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0, -1.0, -3.0},
       DataType::kFloat,
       2,
       "VALID",
       {},
       false,
       {2025, 1258, 1870, 0, 103, 11986, 0, 3124, 0, 0, 0, 0},
       {-1724087.5, -1293065.625, -2155109.5},
       {1724087.5, 1293065.625, 2155109.5}},
      {"QuantizedConv2DWithBiasAndRequantize",
       DataType::kQuint8,
       DataType::kQint8,
       {-2.0},
       DataType::kFloat,
       2,
       "VALID",
       {},
       true,
       {6, 4, 7, -95, 0, 27, -15, 9, -1, -50, -35, -1},
       {-30.0},
       {40.0}},
      {"QuantizedConv2DWithBiasAndRequantize",
       DataType::kQint8,
       DataType::kQint8,
       {-2.0, -1.0, -3.0},
       DataType::kQint32,
       2,
       "VALID",
       {},
       true,
       {77, -5, 48, -125, -12, 108, 35, 6, 24, -36, -84, 25},
       {-30.0},
       {40.0}},
      {"QuantizedConv2DWithBiasAndReluAndRequantize",
       DataType::kQuint8,
       DataType::kQuint8,
       {-2.0},
       DataType::kQint32,
       2,
       "VALID",
       {},
       true,
       {10, 12, 6, 0, 5, 46, 0, 23, 0, 0, 0, 0},
       {-30.0},
       {40.0}},
      {"QuantizedConv2DWithBiasAndReluAndRequantize",
       DataType::kQuint8,
       DataType::kQuint8,
       {-2.0, -1.0, -3.0},
       DataType::kFloat,
       2,
       "VALID",
       {},
       true,
       {12, 7, 11, 0, 1, 71, 0, 18, 0, 0, 0, 0},
       {-30.0},
       {40.0}},
      {"QuantizedDepthwiseConv2D",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0},
       DataType::kInvalid,
       2,
       "VALID",
       {},
       false,
       {2608, 739, 26272, -33, 16368, 2259, 20832, 207},
       {-1724087.5},
       {1724087.5}},
      {"QuantizedDepthwiseConv2DWithBias",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0, -1.0},
       DataType::kFloat,
       2,
       "VALID",
       {},
       false,
       {4227, -2499, 27891, -3271, 17987, -979, 22451, -3031},
       {-1724087.5, -1293065.625},
       {1724087.5, 1293065.625}},
      {"QuantizedDepthwiseConv2DWithBiasAndRelu",
       DataType::kQuint8,
       DataType::kQint32,
       {-2.0},
       DataType::kFloat,
       2,
       "SAME",
       {},
       false,
       {4227, 0, 27891, 0, 17987, 0, 22451, 0},
       {-1724087.5},
       {1724087.5}},
      {"QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
       DataType::kQuint8,
       DataType::kQuint8,
       {-2.0},
       DataType::kQint32,
       2,
       "VALID",
       {},
       true,
       {14, 0, 107, 0, 68, 1, 86, 0},
       {-30.0},
       {40.0}},
  };
  for (const ConvCase& c : cases) {
    SCOPED_TRACE(c.op);
    auto out = convolve(c);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0).dtype(), c.output);
    expect_near(out->at(0), c.want, c.bias == DataType::kInvalid && c.filter_low.size() == 1 ? 0 : 1);
    for (size_t end = 0; end < 2; ++end) {
      const std::vector<float>& want = end == 0 ? c.low : c.high;
      EXPECT_EQ(out->at(1 + end).rank(), want.size() == 1 ? 0 : 1);
      expect_near(out->at(1 + end), want, 0.5);
    }
  }
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
      expect_near(out->at(0), std::vector<int>{121 * 127, 102 * 127, 0, 0}, 0);
    } else {
      expect_near(out->at(0), std::vector<double>{60.5, 51, is_signed ? 0.0 : 5.5, 0}, 0.5);
      expect_range(*out, 0, 510);
    }
  }
}

std::string why(const Outputs& out) {
  return out.ok() ? "no error"
                  : absl::StrCat(absl::StatusCodeToString(out.status().code()), ": ", out.status().message());
}

TEST(QuantizedConv, refuses_what_does_not_fit) {
  auto conv = [](const Shape& image, const Tensor& bias, const Tensor& low, const Tensor& filter_low,
                 std::vector<int64_t> paddings) {
    Tensor x(DataType::kQuint8, image), f = quantized<QInt8>(Shape{1, 1, 2, 3}, ring(6, 1, 10, 0));
    return why(run("QuantizedConv2DWithBias",
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

struct ProductCase {
  const char* op;
  DataType output;
  const char* mode;
  float low;
  bool integer_bias;
  std::vector<double> want;
  float out_low;
};

TEST(QuantizedMatMul, computes_what_tensorflow_does) {
  const std::vector<ProductCase> cases = {
      {"QuantizedMatMulWithBias",
       DataType::kQint32,
       "MIN_FIRST",
       0.0,
       false,
       {-21472, -14332, 5144, 12284, 31761, -62944, -37996, -712, 24236, 61521, -39392, -23772, 4184, 19804,
        47761},
       -1160443.5},
      {"QuantizedMatMulWithBias",
       DataType::kQint32,
       "MIN_FIRST",
       -3.0,
       true,
       {-22014, -13248, 3518, 12284, 24550, -63486, -36912, -2338, 24236, 54310, -39934, -22688, 2558, 19804,
        40550},
       -1657776.5},
      {"QuantizedMatMulWithBias",
       DataType::kQint32,
       "SCALED",
       -3.0,
       false,
       {36974688, 19475886, 1985718, -15513085, -33003252, 36933216, 19452222, 1979862, -15501133, -32973492,
        36956772, 19466446, 1984758, -15505565, -32987254},
       -1657776.5},
      {"QuantizedMatMulWithBiasAndRelu",
       DataType::kQint32,
       "MIN_FIRST",
       0.0,
       false,
       {0, 0, 5144, 12284, 31761, 0, 0, 0, 24236, 61521, 0, 0, 4184, 19804, 47761},
       -1160443.5},
      {"QuantizedMatMulWithBiasAndRelu",
       DataType::kQint32,
       "SCALED",
       -3.0,
       false,
       {36974688, 19475886, 1985718, 0, 0, 36933216, 19452222, 1979862, 0, 0, 36956772, 19466446, 1984758, 0,
        0},
       -1657776.5},
      {"QuantizedMatMulWithBiasAndReluAndRequantize",
       DataType::kQuint8,
       "MIN_FIRST",
       0.0,
       false,
       {0, 0, 17, 41, 105, 0, 0, 0, 80, 203, 0, 0, 14, 65, 158},
       -30.0},
      {"QuantizedMatMulWithBiasAndReluAndRequantize",
       DataType::kQuint8,
       "MIN_FIRST",
       -3.0,
       true,
       {0, 0, 17, 58, 116, 0, 0, 0, 115, 255, 0, 0, 12, 94, 192},
       -30.0},
      {"QuantizedMatMulWithBiasAndReluAndRequantize",
       DataType::kQuint8,
       "SCALED",
       -3.0,
       false,
       {255, 255, 255, 0, 0, 255, 255, 255, 0, 0, 255, 255, 255, 0, 0},
       -30.0},
      {"QuantizedMatMulWithBiasAndRequantize",
       DataType::kQuint8,
       "MIN_FIRST",
       0.0,
       false,
       {0, 0, 17, 41, 105, 0, 0, 0, 80, 203, 0, 0, 14, 65, 158},
       -30.0},
      {"QuantizedMatMulWithBiasAndRequantize",
       DataType::kQuint8,
       "MIN_FIRST",
       -3.0,
       true,
       {0, 0, 17, 58, 116, 0, 0, 0, 115, 255, 0, 0, 12, 94, 192},
       -30.0},
      {"QuantizedMatMulWithBiasAndRequantize",
       DataType::kQuint8,
       "SCALED",
       -3.0,
       false,
       {255, 255, 255, 0, 0, 255, 255, 255, 0, 0, 255, 255, 255, 0, 0},
       -30.0},
      {"QuantizedMatMulWithBiasAndDequantize",
       DataType::kFloat,
       "MIN_FIRST",
       0.0,
       false,
       {-13.92339038848877, -9.293746948242188, 3.3358962535858154, 7.965539455413818, 20.595184326171875,
        -40.81584167480469, -24.638629913330078, -0.46141743659973145, 15.715794563293457, 39.89300537109375,
        -25.5435848236084, -15.41510009765625, 2.713385820388794, 12.84187126159668, 30.970355987548828},
       0},
      {"QuantizedMatMulWithBiasAndDequantize",
       DataType::kFloat,
       "MIN_FIRST",
       -3.0,
       true,
       {-20.39277458190918, -12.27234935760498, 3.258916139602661, 11.379343032836914, 22.74201011657715,
        -58.81056594848633, -34.19361114501953, -2.1658174991607666, 22.451135635375977, 50.31032943725586,
        -36.99305725097656, -21.01713752746582, 2.3696155548095703, 18.345531463623047, 37.56368637084961},
       0},
      {"QuantizedMatMulWithBiasAndDequantize",
       DataType::kFloat,
       "SCALED",
       -3.0,
       false,
       {-13.92339038848877, -9.293746948242188, 3.3358962535858154, 7.965539455413818, 20.595184326171875,
        -40.81584167480469, -24.638629913330078, -0.46141743659973145, 15.715794563293457, 39.89300537109375,
        -25.5435848236084, -15.41510009765625, 2.713385820388794, 12.84187126159668, 30.970355987548828},
       0},
  };
  for (const ProductCase& c : cases) {
    SCOPED_TRACE(absl::StrCat(c.op, " ", c.mode, " ", c.low));
    std::vector<Tensor> in = {quantized<QUInt8>(Shape{3, 4}, ring(12, 37, 256, 0)),
                              quantized<QInt8>(Shape{4, 5}, ring(20, 53, 255, 127)),
                              c.integer_bias ? quantized<QInt32>(Shape{5}, {1000, -2000, 3000, 0, 500})
                                             : Tensor::vector<float>({1, -2, 3, 0, 5})};
    for (float end : {c.low, 7.0f, -2.0f, 3.0f}) in.push_back(Tensor::scalar(end));
    if (c.output != DataType::kQint32) {
      for (float end : {-30.0f, 50.0f}) in.push_back(Tensor::scalar(end));
    }
    auto out = run(c.op, std::move(in), {{"Toutput", c.output}, {"input_quant_mode", std::string(c.mode)}});
    ASSERT_TRUE(out.ok()) << out.status();
    for (size_t i = 0; i < c.want.size(); ++i) {
      const double quantum = c.output == DataType::kFloat ? 1e-4 : 1 + std::abs(c.want[i]) * 1e-7;
      EXPECT_NEAR(numbers(out->at(0))[i], c.want[i], quantum) << i;
    }
    if (c.output != DataType::kFloat)
      expect_range(*out, c.out_low, c.output == DataType::kQuint8 ? 50 : -c.out_low);
  }
}

TEST(QuantizedMatMul, reads_transposed_matrices) {
  auto product = [](const Shape& a, std::vector<int> av, const Shape& b, std::vector<int> bv,
                    bool transpose) {
    std::vector<Tensor> in = {quantized<QUInt8>(a, av), quantized<QInt8>(b, bv),
                              Tensor::vector<float>({0, 0, 0})};
    for (float end : {0.0f, 255.0f, -127.0f, 127.0f, -1.0f, 1.0f}) in.push_back(Tensor::scalar(end));
    auto out = run("QuantizedMatMulWithBiasAndDequantize", std::move(in),
                   {{"Toutput", DataType::kFloat}, {"transpose_a", transpose}, {"transpose_b", transpose}});
    return out.ok() ? numbers(out->at(0)) : std::vector<double>();
  };
  const std::vector<double> want = {9, 12, 15, 19, 26, 33, 29, 40, 51};
  EXPECT_EQ(product(Shape{3, 2}, {1, 2, 3, 4, 5, 6}, Shape{2, 3}, {1, 2, 3, 4, 5, 6}, false), want);
  EXPECT_EQ(product(Shape{2, 3}, {1, 3, 5, 2, 4, 6}, Shape{3, 2}, {1, 4, 2, 5, 3, 6}, true), want);
}

Outputs join(const char* op, const std::vector<Tensor>& values, int axis, std::vector<float> lows,
             std::vector<float> highs) {
  const bool v2 = absl::EndsWith(op, "V2");
  std::vector<Tensor> in = values;
  in.insert(v2 ? in.end() : in.begin(), Tensor::scalar<int32_t>(axis));
  for (float v : lows) in.push_back(Tensor::scalar(v));
  for (float v : highs) in.push_back(Tensor::scalar(v));
  return run(op, std::move(in), {{"N", static_cast<int64_t>(values.size())}, {"T", values[0].dtype()}});
}

TEST(QuantizedConcat, brings_all_to_one_range) {
  const std::vector<int> a = {0, 10, 100, 255}, b = {1, 50, 200, 254, 3, 7, 9, 11};
  auto check = [&](const char* op, DataType dtype, int axis, std::vector<float> lows,
                   std::vector<float> highs, const std::vector<int>& want, double low, double high) {
    auto out = join(
        op, {quantized(dtype, Shape{2, 2}, a), quantized(dtype, axis == 0 ? Shape{4, 2} : Shape{2, 4}, b)},
        axis, lows, highs);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0).shape(), (axis == 0 ? Shape{6, 2} : Shape{2, 6}));
    expect_near(out->at(0), want, 0);
    expect_range(*out, low, high);
  };
  const DataType u8 = DataType::kQuint8, s8 = DataType::kQint8;
  check("QuantizedConcat", u8, 0, {0, -3}, {5, 8}, {70, 75, 115, 186, 1, 50, 200, 254, 3, 7, 9, 11}, -3, 8);
  check("QuantizedConcat", u8, 1, {1, 1}, {5, 5}, {51, 59, 52, 91, 211, 254, 131, 255, 54, 57, 58, 60}, 0, 5);
  check("QuantizedConcat", u8, 1, {-5, -6}, {-1, -2}, {51, 59, 1, 40, 160, 204, 131, 255, 3, 6, 8, 9}, -6,
        -1);
  check("QuantizedConcat", u8, 1, {0, 0}, {0, 0}, {0, 10, 1, 50, 200, 254, 100, 255, 3, 7, 9, 11}, 0, 0);
  check("QuantizedConcatV2", u8, 0, {0, -3}, {5, 8}, {0, 6, 63, 159, 0, 0, 179, 253, 0, 0, 0, 0}, 0, 8);
  check("QuantizedConcatV2", u8, -1, {-5, -6}, {1, 2}, {0, 0, 0, 0, 36, 252, 0, 126, 0, 0, 0, 0}, 0, 2);
  check("QuantizedConcatV2", s8, 0, {0, -3}, {5, 8}, {40, 43, 71, 40, 41, 74, 1, 38, 42, 45, 46, 47}, -8, 8);
  check("QuantizedConcatV2", s8, -1, {-5, -6}, {-1, -2},
        {-64, -60, -84, -68, -103, -85, -30, -64, -84, -82, -82, -81}, -6, 6);
}

TEST(QuantizedConcat, keeps_the_rounding_of_wide_steps) {
  const Tensor t = quantized<QInt32>(Shape{2, 2}, {-1000000000, 5, 1 << 30, 7});
  auto out = join("QuantizedConcat", {t, t}, 1, {-10, -3}, {5, 8});
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0),
              std::vector<int>{-1286870912, -536870912, -13129114, 536870912, 268435456, -536870912,
                               1127428992, 536870912},
              0);
  expect_range(*out, -10, 10);
}

TEST(QuantizedConcat, refuses_what_does_not_fit) {
  const Tensor a = quantized<QUInt8>(Shape{2, 2}, ring(4, 1, 9, 0)),
               b = quantized<QUInt8>(Shape{4, 2}, ring(8, 1, 9, 0)),
               c = quantized<QUInt8>(Shape{8}, ring(8, 1, 9, 0));
  auto concat = [&](const std::vector<Tensor>& values, int axis) {
    return why(join("QuantizedConcat", values, axis, {0, 0}, {1, 1}));
  };
  EXPECT_EQ(concat({a, a}, -1),
            "INVALID_ARGUMENT: ConcatOp : Expected concatenating dimensions in the range [0, 2), but got -1");
  EXPECT_EQ(concat({a, b}, 1),
            "INVALID_ARGUMENT: ConcatOp : Dimensions of inputs should match: shape[0] = [2,2] vs. shape[1] = "
            "[4,2]");
  EXPECT_EQ(concat({a, c}, 0),
            "INVALID_ARGUMENT: ConcatOp : Ranks of all input tensors should match: shape[0] = [2,2] vs. "
            "shape[1] = [8]");
  EXPECT_EQ(
      why(run("QuantizedConcat",
              {Tensor::scalar<int32_t>(0), a, a, Tensor::vector<float>({0, 1}), Tensor::scalar(0.0f),
               Tensor::scalar(1.0f), Tensor::scalar(1.0f)},
              {{"N", int64_t{2}}})),
      "INVALID_ARGUMENT: input_mins each tensor's num elements must be 1, given num elements 2 in index 0");
}

TEST(QuantizedInstanceNorm, normalises_channels_of_images) {
  const Tensor x = quantized<QUInt8>(Shape{2, 2, 3, 2}, ring(24, 37, 256, 0));
  auto norm = [&](AttrMap attrs) {
    auto out =
        run("QuantizedInstanceNorm", {x, Tensor::scalar(-1.0f), Tensor::scalar(4.0f)}, std::move(attrs));
    EXPECT_TRUE(out.ok()) << out.status();
    return *std::move(out);
  };
  auto out = norm({});
  expect_near(out[0], std::vector<int>{6,   44,  89, 140, 172, 236, 255, 0,   51,  96, 134, 192,
                                       191, 239, 4,  45,  80,  124, 156, 203, 232, 9,  45,  88},
              1);
  expect_range(out, -1.4498071670532227, 1.684102177619934);
  out = norm({{"output_range_given", true}, {"given_y_min", -1.0f}, {"given_y_max", 2.0f}});
  expect_near(out[0], std::vector<int>{0,   8,   55, 108, 142, 208, 228, 0,   15,  62, 102, 162,
                                       161, 211, 0,  9,   45,  91,  125, 173, 204, 0,  9,   54},
              1);
  out = norm({{"variance_epsilon", 0.1f}, {"min_separation", 2.5f}});
  expect_range(out, -1.4041996002197266, 1.6440727710723877);
  EXPECT_EQ(why(run("QuantizedInstanceNorm", {x, Tensor::scalar(2.0f), Tensor::scalar(1.0f)})),
            "INVALID_ARGUMENT: input_min must be less than input_max : 2 >= 1");
  EXPECT_EQ(
      why(run("QuantizedInstanceNorm", {x.reshaped(Shape{24}), Tensor::scalar(0.0f), Tensor::scalar(1.0f)})),
      "INVALID_ARGUMENT: input must be 4-dimensional[24]");
}

TEST(QuantizedBatchNorm, has_a_range_of_its_own) {
  auto norm = [](bool scale, const Tensor& mean) {
    std::vector<Tensor> in = {quantized<QUInt8>(Shape{2, 2, 3, 2}, ring(24, 37, 256, 0))};
    auto range = [&](float low, float high) {
      in.push_back(Tensor::scalar(low));
      in.push_back(Tensor::scalar(high));
    };
    range(-1, 4);
    in.push_back(mean);
    range(-1, 3);
    in.push_back(quantized<QUInt8>(Shape{2}, {60, 255}));
    range(0, 2);
    in.push_back(quantized<QUInt8>(Shape{2}, {30, 200}));
    range(-2, 2);
    in.push_back(quantized<QUInt8>(Shape{2}, {77, 140}));
    range(0, 3);
    return run("QuantizedBatchNormWithGlobalNormalization", std::move(in),
               {{"out_type", DataType::kQint32},
                {"variance_epsilon", 0.001f},
                {"scale_after_normalization", scale}});
  };
  const Tensor mean = quantized<QUInt8>(Shape{2}, {10, 100});
  auto out = norm(true, mean);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0),
              std::vector<int>{-3530, 345,  391,   3804, 4310, 7265, 8231, -1246, -1411, 2214, 2509,  5675,
                               6429,  9135, -3212, 626,  709,  4085, 4628, 7546,  8549,  -965, -1093, 2495},
              0);
  expect_range(*out, -1048576, 1048576);
  out = norm(false, mean);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0),
              std::vector<int>{-3572, 1131, 755,   3231, 5081, 5332, 9408, 165,  -1233, 2266, 3093, 4367,
                               7419,  6468, -3221, 1302, 1106, 3401, 5432, 5502, 9759,  336,  -882, 2436},
              0);
  EXPECT_EQ(why(norm(true, quantized<QUInt8>(Shape{3}, {1, 2, 3}))),
            "INVALID_ARGUMENT: Must provide as many means as the last dimension of the input tensor: [3] vs. "
            "[2,2,3,2]");
}

Outputs resize(const Tensor& images, std::initializer_list<int32_t> size, const char* option) {
  AttrMap attrs;
  if (*option != 0) attrs.set(option, true);
  return run("QuantizedResizeBilinear",
             {images, Tensor::vector<int32_t>(size), Tensor::scalar(-1.0f), Tensor::scalar(4.0f)},
             std::move(attrs));
}

TEST(QuantizedResizeBilinear, blends_in_fixed_point) {
  const Tensor bytes = quantized<QUInt8>(Shape{1, 3, 2, 2}, ring(12, 37, 256, 0));
  const std::pair<const char*, std::vector<int>> cases[] = {
      {"", {0,   37, 37,  74, 74, 111, 74, 111, 88,  125, 125, 86,  162, 47, 162, 47,  127, 164, 164, 98,
            201, 32, 201, 32, 62, 99,  99, 110, 136, 121, 136, 121, 40,  77, 77,  114, 114, 151, 114, 151}},
      {"align_corners",
       {0,   37, 24,  61, 49, 86,  74,  111, 74,  111, 98,  93, 123, 75, 148, 57,  148, 185, 172, 125,
        197, 64, 222, 3,  94, 131, 118, 113, 143, 95,  168, 77, 40,  77, 64,  101, 89,  126, 114, 151}},
      {"half_pixel_centers",
       {0,   37, 19,  56, 56, 93,  74,  111, 59,  96, 77,  89, 114, 75, 133, 68, 148, 185, 167, 140,
        204, 49, 222, 3,  84, 121, 102, 113, 139, 98, 158, 91, 40,  77, 59,  96, 96,  133, 114, 151}}};
  for (const auto& [option, want] : cases) {
    SCOPED_TRACE(option);
    auto out = resize(bytes, {5, 4}, option);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(out->at(0).shape(), (Shape{1, 5, 4, 2}));
    expect_near(out->at(0), want, 0);
    expect_range(*out, -1, 4);
  }
  std::vector<int> wide;
  for (int v : ring(12, 37, 256, 100)) wide.push_back(v * 12345678);
  auto out = resize(quantized<QInt32>(Shape{1, 3, 2, 2}, wide), {5, 4}, "half_pixel_centers");
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0),
              std::vector<int>{-1234567807, -777777727, -1006172759, -549382679, -549382663, -92592583,
                               -320987615,  135802464,  -503703614,  -46913508,  -275308569, -134567848,
                               181481520,   -309876529, 409876565,   -397530869, 592592512,  1049382656,
                               820987552,   487654304,  1277777632,  -635802399, 1506172672, -1197530751,
                               -207407588,  249382516,  20987451,    161728313,  477777531,  -13580094,
                               706172571,   -101234298, -740740671,  -283950591, -512345631, -55555551,
                               -55555551,   401234528,  172839488,   629629568},
              0);
}

TEST(QuantizedResizeBilinear, blends_floats_and_refuses_wrong_sizes) {
  const Tensor t = Tensor::from<float>(Shape{1, 3, 2, 1}, {0, 1, 2, 3, 4, 5});
  auto out = resize(t, {4, 3}, "half_pixel_centers");
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0), std::vector<double>{0, 0.5, 1, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75, 4, 4.5, 5},
              1e-6);
  EXPECT_EQ(why(resize(t, {2, 0}, "")), "INVALID_ARGUMENT: output dimensions must be positive");
  EXPECT_EQ(why(resize(t, {2, 1, 2}, "")), "INVALID_ARGUMENT: shape_t must have two elements[3]");
  EXPECT_EQ(why(resize(t.reshaped(Shape{6}), {2, 1}, "")),
            "INVALID_ARGUMENT: input must be 4-dimensional[6]");
  EXPECT_FALSE(resize(t, {1 << 30, 1 << 30}, "").ok());
}

Tensor channel_sums() {
  std::vector<int> v;
  for (int i = 0; i < 24; ++i) v.push_back((i - 10) * 1234567);
  return quantized<QInt32>(Shape{2, 2, 2, 3}, v);
}

TEST(RequantizationRangePerChannel, is_that_of_the_widest_channel) {
  auto range = [](float most, const Tensor& lows) {
    return run("RequantizationRangePerChannel", {channel_sums(), lows, Tensor::vector<float>({1, 2, 300})},
               {{"clip_value_max", most}});
  };
  const Tensor lows = Tensor::vector<float>({-1, -2, -300});
  for (const auto& [most, want] : {std::pair(1e30f, 2.2420711517333984), std::pair(1.0f, 1.0)}) {
    auto out = range(most, lows);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_FLOAT_EQ(out->at(0).value<float>(), static_cast<float>(-want));
    EXPECT_FLOAT_EQ(out->at(1).value<float>(), static_cast<float>(want));
  }
  EXPECT_EQ(why(range(1, Tensor::vector<float>({1, 2}))),
            "INVALID_ARGUMENT: input_min has incorrect size, expected 3 was 2");
}

TEST(RequantizePerChannel, scales_each_channel) {
  auto requantize = [](float low, DataType to) {
    return run("RequantizePerChannel",
               {channel_sums(), Tensor::vector<float>({-1000, -2, -300}),
                Tensor::vector<float>({1000, 2, 300}), Tensor::scalar(low), Tensor::scalar(6.0f)},
               {{"out_type", to}});
  };
  auto out = requantize(0, DataType::kQuint8);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(
      out->at(0),
      std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 49, 0, 29, 122, 0, 51, 195, 0, 73, 255, 1, 95}, 0);
  expect_range(*out, 0, 6);
  out = requantize(-5, DataType::kQint8);
  ASSERT_TRUE(out.ok()) << out.status();
  expect_near(out->at(0), std::vector<int>{-122, 0, -29, -85, 0, -18, -49, 0, -7, -12, 0, 4,
                                           24,   0, 15,  61,  0, 26,  97,  0, 37, 127, 0, 47},
              0);
  EXPECT_EQ(why(requantize(0, DataType::kQint8)),
            "INVALID_ARGUMENT: If out_type is QINT8, requested_output_max must be non negative, got 0");
}

}  // namespace
}  // namespace troupe::test
