// Quantised products with what follows them. Expected values are TensorFlow 2.21's, with oneDNN.
#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "tests/devices/kernels/quantized/quantized_tensors.h"

namespace troupe::test {
namespace {

constexpr DataType kU8 = DataType::kQuint8, kS32 = DataType::kQint32, kFloat = DataType::kFloat;

/// `low`: the lower end of the range of the left matrix; `out_low`: that of the output, where it has one.
void expect_product(const char* op, DataType output, const char* mode, float low, DataType bias,
                    double out_low, const std::vector<double>& want) {
  SCOPED_TRACE(absl::StrCat(op, " ", mode, " ", low));
  std::vector<Tensor> in = {quantized<QUInt8>(Shape{3, 4}, ring(12, 37, 256, 0)),
                            quantized<QInt8>(Shape{4, 5}, ring(20, 53, 255, 127)),
                            bias == kS32 ? quantized<QInt32>(Shape{5}, {1000, -2000, 3000, 0, 500})
                                         : Tensor::vector<float>({1, -2, 3, 0, 5})};
  for (float end : {low, 7.0f, -2.0f, 3.0f}) in.push_back(Tensor::scalar(end));
  if (output != DataType::kQint32) {
    for (float end : {-30.0f, 50.0f}) in.push_back(Tensor::scalar(end));
  }
  auto out = run(op, std::move(in), {{"Toutput", output}, {"input_quant_mode", std::string(mode)}});
  ASSERT_TRUE(out.ok()) << out.status();
  for (size_t i = 0; i < want.size(); ++i) {
    const double quantum = output == DataType::kFloat ? 1e-4 : 1 + std::abs(want[i]) * 1e-7;
    EXPECT_NEAR(numbers(out->at(0))[i], want[i], quantum) << i;
  }
  if (output != DataType::kFloat) expect_range(*out, out_low, output == DataType::kQuint8 ? 50 : -out_low);
}

TEST(QuantizedMatMul, computes_what_tensorflow_does) {
  expect_product("QuantizedMatMulWithBias", kS32, "MIN_FIRST", 0.0, kFloat, -1160443.5,
                 {-21472, -14332, 5144, 12284, 31761, -62944, -37996, -712, 24236, 61521, -39392, -23772,
                  4184, 19804, 47761});
  expect_product("QuantizedMatMulWithBias", kS32, "MIN_FIRST", -3.0, kS32, -1657776.5,
                 {-22014, -13248, 3518, 12284, 24550, -63486, -36912, -2338, 24236, 54310, -39934, -22688,
                  2558, 19804, 40550});
  expect_product("QuantizedMatMulWithBias", kS32, "SCALED", -3.0, kFloat, -1657776.5,
                 {36974688, 19475886, 1985718, -15513085, -33003252, 36933216, 19452222, 1979862, -15501133,
                  -32973492, 36956772, 19466446, 1984758, -15505565, -32987254});
  expect_product("QuantizedMatMulWithBiasAndRelu", kS32, "MIN_FIRST", 0.0, kFloat, -1160443.5,
                 {0, 0, 5144, 12284, 31761, 0, 0, 0, 24236, 61521, 0, 0, 4184, 19804, 47761});
  expect_product("QuantizedMatMulWithBiasAndRelu", kS32, "SCALED", -3.0, kFloat, -1657776.5,
                 {36974688, 19475886, 1985718, 0, 0, 36933216, 19452222, 1979862, 0, 0, 36956772, 19466446,
                  1984758, 0, 0});
  expect_product("QuantizedMatMulWithBiasAndReluAndRequantize", kU8, "MIN_FIRST", 0.0, kFloat, -30.0,
                 {0, 0, 17, 41, 105, 0, 0, 0, 80, 203, 0, 0, 14, 65, 158});
  expect_product("QuantizedMatMulWithBiasAndReluAndRequantize", kU8, "MIN_FIRST", -3.0, kS32, -30.0,
                 {0, 0, 17, 58, 116, 0, 0, 0, 115, 255, 0, 0, 12, 94, 192});
  expect_product("QuantizedMatMulWithBiasAndReluAndRequantize", kU8, "SCALED", -3.0, kFloat, -30.0,
                 {255, 255, 255, 0, 0, 255, 255, 255, 0, 0, 255, 255, 255, 0, 0});
  expect_product("QuantizedMatMulWithBiasAndRequantize", kU8, "MIN_FIRST", 0.0, kFloat, -30.0,
                 {0, 0, 17, 41, 105, 0, 0, 0, 80, 203, 0, 0, 14, 65, 158});
  expect_product("QuantizedMatMulWithBiasAndRequantize", kU8, "MIN_FIRST", -3.0, kS32, -30.0,
                 {0, 0, 17, 58, 116, 0, 0, 0, 115, 255, 0, 0, 12, 94, 192});
  expect_product("QuantizedMatMulWithBiasAndRequantize", kU8, "SCALED", -3.0, kFloat, -30.0,
                 {255, 255, 255, 0, 0, 255, 255, 255, 0, 0, 255, 255, 255, 0, 0});
  expect_product("QuantizedMatMulWithBiasAndDequantize", kFloat, "MIN_FIRST", 0.0, kFloat, 0,
                 {-13.92339038848877, -9.293746948242188, 3.3358962535858154, 7.965539455413818,
                  20.595184326171875, -40.81584167480469, -24.638629913330078, -0.46141743659973145,
                  15.715794563293457, 39.89300537109375, -25.5435848236084, -15.41510009765625,
                  2.713385820388794, 12.84187126159668, 30.970355987548828});
  expect_product("QuantizedMatMulWithBiasAndDequantize", kFloat, "MIN_FIRST", -3.0, kS32, 0,
                 {-20.39277458190918, -12.27234935760498, 3.258916139602661, 11.379343032836914,
                  22.74201011657715, -58.81056594848633, -34.19361114501953, -2.1658174991607666,
                  22.451135635375977, 50.31032943725586, -36.99305725097656, -21.01713752746582,
                  2.3696155548095703, 18.345531463623047, 37.56368637084961});
  expect_product("QuantizedMatMulWithBiasAndDequantize", kFloat, "SCALED", -3.0, kFloat, 0,
                 {-13.92339038848877, -9.293746948242188, 3.3358962535858154, 7.965539455413818,
                  20.595184326171875, -40.81584167480469, -24.638629913330078, -0.46141743659973145,
                  15.715794563293457, 39.89300537109375, -25.5435848236084, -15.41510009765625,
                  2.713385820388794, 12.84187126159668, 30.970355987548828});
}

TEST(QuantizedMatMul, reads_transposed_matrices) {
  auto product = [](const Shape& a, std::vector<int64_t> av, const Shape& b, std::vector<int64_t> bv,
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

}  // namespace
}  // namespace troupe::test
