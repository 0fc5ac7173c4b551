// Quantised tensors joined. Expected values are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "absl/strings/match.h"
#include "tests/devices/kernels/quantized/quantized_tensors.h"

namespace troupe::test {
namespace {

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
  const std::vector<int64_t> a = {0, 10, 100, 255}, b = {1, 50, 200, 254, 3, 7, 9, 11};
  auto check = [&](const char* op, DataType dtype, int axis, std::vector<float> lows,
                   std::vector<float> highs, const std::vector<int64_t>& want, double low, double high) {
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
              std::vector<int64_t>{-1286870912, -536870912, -13129114, 536870912, 268435456, -536870912,
                                   1127428992, 536870912},
              0);
  expect_range(*out, -10, 10);
}

TEST(QuantizedConcat, refuses_what_does_not_fit) {
  const Tensor a = quantized<QUInt8>(Shape{2, 2}, ring(4, 1, 9, 0)),
               b = quantized<QUInt8>(Shape{4, 2}, ring(8, 1, 9, 0)),
               c = quantized<QUInt8>(Shape{8}, ring(8, 1, 9, 0));
  auto concat = [&](const std::vector<Tensor>& values, int axis) {
    return outcome(join("QuantizedConcat", values, axis, {0, 0}, {1, 1}));
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
      outcome(run("QuantizedConcat",
                  {Tensor::scalar<int32_t>(0), a, a, Tensor::vector<float>({0, 1}), Tensor::scalar(0.0f),
                   Tensor::scalar(1.0f), Tensor::scalar(1.0f)},
                  {{"N", int64_t{2}}})),
      "INVALID_ARGUMENT: input_mins each tensor's num elements must be 1, given num elements 2 in index 0");
}

}  // namespace
}  // namespace troupe::test
