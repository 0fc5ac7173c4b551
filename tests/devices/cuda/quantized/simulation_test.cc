// Quantisation simulated on GPUs.
#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

TEST(CudaFakeQuant, rounds_to_the_steps_of_a_range) {
  const Tensor x = random_tensor(DataType::kFloat, Shape{40, 5}, -8, 8),
               grad = random_tensor(DataType::kFloat, Shape{40, 5});
  for (bool narrow : {false, true}) {
    const AttrMap attrs = {{"narrow_range", narrow}, {"num_bits", int64_t{4}}};
    AttrMap of_args = attrs;
    of_args.set("min", -3.0F);
    of_args.set("max", 5.0F);
    EXPECT_SAME("FakeQuantWithMinMaxArgs", {x}, of_args);
    EXPECT_SAME("FakeQuantWithMinMaxArgsGradient", {grad, x}, of_args);
    for (const auto& [low, high] : {std::pair(-3.0F, 5.0F), {0.0F, 0.0F}, {1.0F, 4.0F}}) {
      const Tensor lows = Tensor::scalar(low), highs = Tensor::scalar(high);
      EXPECT_SAME("FakeQuantWithMinMaxVars", {x, lows, highs}, attrs);
      EXPECT_SAME("FakeQuantWithMinMaxVarsGradient", {grad, x, lows, highs}, attrs, 1e-4, 1e-4);
    }
    const Tensor lows = Tensor::vector<float>({-1, -2, 0, -4, 1}),
                 highs = Tensor::vector<float>({1, 3, 0, 7, 2});
    EXPECT_SAME("FakeQuantWithMinMaxVarsPerChannel", {x, lows, highs}, attrs);
    EXPECT_SAME("FakeQuantWithMinMaxVarsPerChannelGradient", {grad, x, lows, highs}, attrs, 1e-4, 1e-4);
  }
  EXPECT_SAME("FakeQuantWithMinMaxVars", {x, Tensor::scalar<float>(2), Tensor::scalar<float>(1)});
  EXPECT_SAME("FakeQuantWithMinMaxVarsPerChannel",
              {x, Tensor::vector<float>({1}), Tensor::vector<float>({2})});
  EXPECT_SAME("FakeQuantWithMinMaxArgs", {x}, {{"num_bits", int64_t{1}}});
}

/// Sums of more elements than one block folds.
TEST(CudaFakeQuant, sums_up_gradients_of_ranges_in_parts) {
  const Tensor x = random_tensor(DataType::kFloat, Shape{20000}),
               grad = random_tensor(DataType::kFloat, Shape{20000});
  EXPECT_SAME("FakeQuantWithMinMaxVarsGradient",
              {grad, x, Tensor::scalar<float>(-1), Tensor::scalar<float>(1)}, {}, 1e-4, 1e-4);
}

template <class T>
void expect_round_trips(DataType dtype) {
  const Tensor x = random_tensor(dtype, Shape{3, 4, 5});
  for (const char* mode : {"HALF_TO_EVEN", "HALF_UP"}) {
    for (bool is_signed : {true, false}) {
      for (bool given : {true, false}) {
        AttrMap attrs = {{"signed_input", is_signed}, {"range_given", given}, {"narrow_range", is_signed}};
        const Tensor low = Tensor::scalar<T>(-2), high = Tensor::scalar<T>(3);
        attrs.set("axis", int64_t{-1});
        EXPECT_SAME("QuantizeAndDequantizeV3", {x, low, high, Tensor::scalar<int32_t>(6)}, attrs);
        attrs.set("round_mode", std::string(mode));
        EXPECT_SAME("QuantizeAndDequantizeV2", {x, low, high}, attrs);
        attrs.set("axis", int64_t{1});
        const Tensor lows = Tensor::vector<T>({-1, -2, -3, 0}), highs = Tensor::vector<T>({1, 2, 1, 4});
        EXPECT_SAME("QuantizeAndDequantizeV4", {x, lows, highs}, attrs);
      }
    }
  }
  const Tensor lows = Tensor::vector<T>({-1, -2, -3, 0}), highs = Tensor::vector<T>({1, 2, 1, 4});
  EXPECT_SAME("QuantizeAndDequantizeV4Grad", {random_tensor(dtype, Shape{3, 4, 5}), x, lows, highs},
              {{"axis", int64_t{1}}});
  EXPECT_SAME("QuantizeAndDequantizeV2", {x, Tensor::scalar<T>(3), Tensor::scalar<T>(2)},
              {{"range_given", true}});
  EXPECT_SAME("QuantizeAndDequantizeV2", {x, lows, highs}, {{"range_given", true}});
  EXPECT_SAME("QuantizeAndDequantizeV2", {random_tensor(dtype, Shape{20000}), lows, highs});
}

TEST(CudaRoundTrip, quantises_and_back) {
  expect_round_trips<float>(DataType::kFloat);
  expect_round_trips<double>(DataType::kDouble);
}

}  // namespace
}  // namespace troupe::test
