// Uniform quantisation, sums and clips. Expected values are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "tests/devices/kernels/quantized/uniform_scheme.h"

namespace troupe::test {
namespace {

Outputs quantize(DataType to, const Scheme& s, int64_t low, int64_t high) {
  AttrMap attrs = {{"Tout", to}};
  set_range(&attrs, "", s, low, high);
  return run("UniformQuantize",
             {Tensor::from<float>(Shape{3, 2}, {-27.0f, -20.0f, 0.3f, 20.4f, 1e9f, -1e9f}), floats(s.scales),
              ints(s.zeros)},
             std::move(attrs));
}

TEST(UniformQuantize, rounds_half_up_and_clips) {
  const Scheme one = {{0.25f}, {-20}}, two = {{0.25f, 0.5f}, {-20, -10}, 1};
  EXPECT_EQ(steps(quantize(DataType::kQint8, one, -127, 127)), (Ints{-127, -100, -19, 62, 127, 127}));
  EXPECT_EQ(steps(quantize(DataType::kQint8, two, -127, 127)), (Ints{-127, -50, -19, 31, 127, -127}));
  EXPECT_EQ(steps(quantize(DataType::kQuint8, one, 0, 255)), (Ints{0, 0, 0, 62, 255, 255}));
  EXPECT_EQ(steps(quantize(DataType::kQint32, one, kLow32, kHigh32)),
            (Ints{-128, -100, -19, 62, 2147483628, 2147483628}));
  EXPECT_EQ(steps(quantize(DataType::kQint32, two, kLow32, kHigh32)),
            (Ints{-128, -50, -19, 31, 2147483628, -2000000010}));
}

TEST(UniformQuantize, refuses_scales_that_do_not_fit) {
  auto refused = [](const Scheme& s) { return why(quantize(DataType::kQint8, s, -127, 127)); };
  EXPECT_EQ(refused({{0.25f, 0.5f}, {1}}),
            "scales and zero_points shape must be same, but given scales shape [2] and zero_points shape []");
  EXPECT_EQ(refused({{0.25f, 0.5f}, {1, 2}}),
            "If quantization_axis is -1, scales and zero_points must be scalar tensors, but given scales "
            "shape [2] and "
            "zero_points shape [2]");
  EXPECT_EQ(refused({{1, 1, 1, 1}, {1, 2, 3, 4}, 0}),
            "If quantization_axis is not -1, scales and zero_points must be a tensor of rank 1 and the size "
            "must be equal "
            "to the input.dim_size(quantization_axis), but given quantization_axis 0, scales shape [4] and "
            "zero_points "
            "shape [4]");
  EXPECT_EQ(refused({{1}, {1}, 2}), "quantization_axis must be -1 or in range [0, input.rank), but given 2");
  EXPECT_EQ(refused({{1}, {1}, -2}), "quantization_axis must be >= -1, given: -2");
}

TEST(UniformDequantize, multiplies_what_is_above_the_zero_point) {
  auto dequantize = [](DataType from, const Ints& values, const Scheme& s) {
    AttrMap attrs = {{"Tout", DataType::kFloat}};
    set_range(&attrs, "", s, -128, 127);
    return run("UniformDequantize", {quantized(from, Shape{2, 3}, values), floats(s.scales), ints(s.zeros)},
               std::move(attrs));
  };
  auto out = dequantize(DataType::kQint8, {-128, 100, 20, 0, 100, 127}, {{0.25f}, {-20}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{2, 3}, {-27, 30, 10, 5, 30, 36.75f})));
  out = dequantize(DataType::kQuint8, {128, 100, 20, 0, 100, 127}, {{0.25f, 0.5f, 1}, {1, 2, 3}, 1});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{2, 3}, {31.75f, 49, 17, -0.25f, 49, 124})));
  EXPECT_EQ(why(dequantize(DataType::kQint8, {0, 0, 0, 0, 0, 0}, {{0}, {1}})),
            "rhs scales elements must be all positive.");
}

TEST(UniformRequantize, changes_scales_in_fixed_point) {
  auto requantize = [](DataType from, const Ints& values, const Scheme& a, const Scheme& b) {
    AttrMap attrs = {{"Tout", DataType::kQint8}};
    set_range(&attrs, "input_", a, -128, 127);
    set_range(&attrs, "output_", b, -128, 127);
    return run("UniformRequantize",
               {quantized(from, Shape{2, 3}, values), floats(a.scales), ints(a.zeros), floats(b.scales),
                ints(b.zeros)},
               std::move(attrs));
  };
  const Ints wide = {-27, -20, 0, 20, 1000000, kLow32}, bytes = {-128, -100, -20, 0, 100, 127};
  const DataType s32 = DataType::kQint32, s8 = DataType::kQint8;
  EXPECT_EQ(steps(requantize(s32, wide, {{0.25f}, {-20}}, {{0.5f}, {-10}})),
            (Ints{-13, -10, 0, 10, 127, -128}));
  EXPECT_EQ(steps(requantize(s32, wide, {{0.25f}, {-20}}, {{0.07f}, {3}})),
            (Ints{-22, 3, 74, 127, 127, -128}));
  EXPECT_EQ(steps(requantize(s8, bytes, {{0.25f, 0.5f, 0.1f}, {-20, 1, 2}, 1}, {{0.5f}, {-10}})),
            (Ints{-64, -111, -14, 0, 89, 15}));
  EXPECT_EQ(steps(requantize(s8, bytes, {{0.5f}, {-10}}, {{0.25f, 0.5f, 0.1f}, {-20, 1, 2}, 1})),
            (Ints{-128, -89, -48, 0, 111, 127}));
  EXPECT_EQ(steps(requantize(s8, bytes, {{0.25f, 0.3f, 0.1f}, {-20, 1, 2}, 1},
                             {{0.25f, 0.5f, 0.1f}, {-2, 1, 2}, 1})),
            (Ints{-110, -60, -20, 18, 60, 127}));
  EXPECT_EQ(steps(requantize(s8, {1, 2, 1, 1, 1, 1}, {{1}, {1}}, {{1e-30f}, {1}})),
            (Ints{1, 127, 1, 1, 1, 1}));
  EXPECT_EQ(why(requantize(s8, bytes, {{0}, {1}}, {{1}, {1}})),
            "input/output scales elements must be all positive.");
  EXPECT_EQ(why(requantize(s8, bytes, {{1, 1, 1}, {1, 2, 3}, 1}, {{1, 1}, {1, 2}, 0})),
            "If input and output is both per-axis quantized, the quantization axis must be same.");
}

Outputs add(const Tensor& l, const Tensor& r, const Scheme& a, const Scheme& b, const Scheme& c,
            int64_t low = kLow32, int64_t high = kHigh32) {
  AttrMap attrs;
  set_range(&attrs, "lhs_", a, kLow32, kHigh32);
  set_range(&attrs, "rhs_", b, kLow32, kHigh32);
  set_range(&attrs, "output_", c, low, high);
  return run("UniformQuantizedAdd",
             {l, r, floats(a.scales), ints(a.zeros), floats(b.scales), ints(b.zeros), floats(c.scales),
              ints(c.zeros)},
             std::move(attrs));
}

TEST(UniformQuantizedAdd, adds_broadcast_operands) {
  auto wide = [](const Shape& shape, const Ints& v) { return quantized(DataType::kQint32, shape, v); };
  const Tensor matrix = wide(Shape{2, 3}, {-6, -4, -2, 100, kHigh32, 4}), row = wide(Shape{3}, {-2, 0, 1}),
               small = wide(Shape{2, 3}, {-6, -4, -2, 100, 7, 4});
  const Scheme a = {{0.5f}, {3}}, b = {{0.25f}, {-7}}, c = {{0.1f}, {11}};
  EXPECT_EQ(steps(add(matrix, row, a, b, c)), (Ints{-22, -7, 6, 508, -2147483620, 36}));
  EXPECT_EQ(steps(add(row, matrix, a, b, c)), (Ints{-12, 3, 13, 253, 2147483644, 28}));
  EXPECT_EQ(steps(add(small, wide(Shape(), {5}), a, b, c)), (Ints{-4, 6, 16, 526, 61, 46}));
  EXPECT_EQ(steps(add(wide(Shape{2, 1}, {-6, -4}), wide(Shape{1, 3}, {-2, 0, 1}), a, b, c)),
            (Ints{-22, -17, -14, -12, -7, -4}));
  EXPECT_EQ(steps(add(small, row, {{0.5f, 0.25f, 0.1f}, {1, 2, 3}, 1}, {{0.5f, 0.1f, 0.1f}, {1, 2, 3}, 0},
                      {{0.3f, 0.25f, 0.1f}, {1, 2, 3}, 1})),
            (Ints{-16, -5, -4, 161, 6, 2}));
  EXPECT_EQ(steps(add(small, row, {{0.5f, 0.25f, 0.1f}, {1, 2, 3}, 1}, b, c)),
            (Ints{-12, 13, 26, 518, 40, 32}));
  // By way of floats.
  const Scheme same = {{0.5f}, {0}};
  EXPECT_EQ(steps(add(wide(Shape{5}, {16777217, kHigh32, 2147483500, -2147483647, 5}), wide(Shape{1}, {0}),
                      same, same, same)),
            (Ints{16777216, kLow32, 2147483520, kLow32, 5}));
  EXPECT_EQ(steps(add(wide(Shape{3}, {1, 2, 3}), wide(Shape{3}, {1, 2, 50}), a, b, c, 0, 40)),
            (Ints{21, 28, 40}));
  EXPECT_EQ(why(add(row, wide(Shape{2}, {1, 2}), a, b, c)), "Cannot Add tensors of shapes: [3][2]");
  EXPECT_EQ(why(add(row, row, {{0}, {3}}, b, c)), "lhs/rhs/output scales elements must be all positive.");
  EXPECT_EQ(why(add(small, wide(Shape{2, 1}, {1, 2}), a, {{0.5f, 1}, {1, 2}, 0}, {{1, 1, 1}, {1, 2, 3}, 1})),
            "If rhs and output is both per-axis quantized, the quantization axis must match.");
}

TEST(UniformQuantizedClipByValue, clips_each_channel) {
  auto clip = [](const Tensor& low, const Tensor& high, const Scheme& s) {
    AttrMap attrs;
    set_range(&attrs, "", s, kLow32, kHigh32);
    return run("UniformQuantizedClipByValue",
               {quantized(DataType::kQint32, Shape{2, 3}, {-6, -4, 0, 1, 8, 100}), low, high,
                floats(s.scales), ints(s.zeros)},
               std::move(attrs));
  };
  auto wide = [](const Shape& shape, const Ints& v) { return quantized(DataType::kQint32, shape, v); };
  const Scheme one = {{0.5f}, {0}}, three = {{0.5f, 0.1f, 0.2f}, {1, 2, 3}, 1};
  EXPECT_EQ(steps(clip(wide(Shape(), {-3}), wide(Shape(), {7}), one)), (Ints{-3, -3, 0, 1, 7, 7}));
  EXPECT_EQ(steps(clip(wide(Shape{3}, {-3, -5, 1}), wide(Shape{3}, {7, 0, 3}), three)),
            (Ints{-3, -4, 1, 1, 0, 3}));
  EXPECT_EQ(steps(clip(wide(Shape{3}, {7, -5, 1}), wide(Shape{3}, {1, 0, 3}), three)),
            (Ints{1, -4, 1, 1, 0, 3}));
  EXPECT_EQ(why(clip(wide(Shape{2}, {7, -5}), wide(Shape{3}, {1, 0, 3}), three)),
            "Input min shape must be same as scales/zero_points. Given min of shape [2] and "
            "scales/zero_points of shape "
            "[3]");
}

}  // namespace
}  // namespace troupe::test
