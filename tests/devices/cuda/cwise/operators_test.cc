// Operators of one and two numbers: GPU against CPU.
#include <gtest/gtest.h>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using enum DataType;

const std::vector<DataType> kFloats = {kFloat, kDouble, kHalf, kBfloat16};
const std::vector<DataType> kComplexes = {kComplex64, kComplex128};
const std::vector<DataType> kInts = {kInt8, kInt16, kInt64, kUint8, kUint16, kUint32, kUint64};

/// On odd numbers of one shape, and of shapes that broadcast.
void expect_binary_same(const std::string& op, const std::vector<DataType>& dtypes) {
  for (DataType dtype : dtypes) {
    const double tolerance = tolerance_of(dtype);
    EXPECT_SAME(op, {odd_tensor(dtype, {67}), odd_tensor(dtype, {67})}, {}, tolerance, tolerance);
    EXPECT_SAME(op, {random_tensor(dtype, {3, 5}), random_tensor(dtype, {5})}, {}, tolerance, tolerance);
  }
}

TEST(CudaBinary, numbers_are_those_of_the_cpu) {
  for (const char* op : {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "SquaredDifference", "MulNoNan", "DivNoNan", "Maximum",
                         "Minimum", "FloorDiv", "TruncateDiv", "Xdivy", "Xlogy"})
    expect_binary_same(op, kFloats);
  for (const char* op : {"Add", "Sub", "Mul", "RealDiv", "SquaredDifference", "MulNoNan", "DivNoNan"})
    expect_binary_same(op, kComplexes);
  for (const char* op : {"AddV2", "Sub", "Mul", "Maximum", "Minimum", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"})
    expect_binary_same(op, kInts);
}

TEST(CudaBinary, bits_of_int32_are_on_the_gpu) {
  for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"}) expect_binary_same(op, {kInt32});
}

TEST(CudaBinary, remainders_and_powers_are_those_of_the_cpu) {
  for (DataType dtype : kFloats) {
    const Tensor a = random_tensor(dtype, {41}, -9, 9), b = random_tensor(dtype, {41}, 0.5, 3);
    EXPECT_SAME("FloorMod", {a, b}, {}, tolerance_of(dtype), tolerance_of(dtype));
    EXPECT_SAME("Pow", {b, a}, {}, 8 * tolerance_of(dtype), tolerance_of(dtype));
    EXPECT_SAME("Atan2", {a, b}, {}, tolerance_of(dtype), tolerance_of(dtype));
    EXPECT_SAME("Xlog1py", {a, b}, {}, tolerance_of(dtype), tolerance_of(dtype));
  }
  for (DataType dtype : {kFloat, kDouble}) {
    EXPECT_SAME("Mod", {random_tensor(dtype, {41}), random_tensor(dtype, {41}, 1, 2)}, {}, tolerance_of(dtype), tolerance_of(dtype));
    EXPECT_SAME("NextAfter", {random_tensor(dtype, {9}), random_tensor(dtype, {9})}, {}, 0, 0);
  }
  for (DataType dtype : kInts) {
    const Tensor a = random_tensor(dtype, {6, 41}, -100, 100), b = random_tensor(dtype, {41}, 1, 9);
    for (const char* op : {"Div", "FloorDiv", "TruncateDiv", "FloorMod"}) EXPECT_SAME(op, {a, b});
  }
  for (DataType dtype : {kInt8, kInt16, kInt64}) {
    EXPECT_SAME("Pow", {random_tensor(dtype, {20}, -5, 5), random_tensor(dtype, {20}, 0, 5)});
    EXPECT_SAME("FloorDiv", {random_tensor(dtype, {20}, -50, 50), random_tensor(dtype, {20}, -5, 0)});
    EXPECT_SAME("FloorMod", {random_tensor(dtype, {20}, -50, 50), random_tensor(dtype, {20}, -5, 0)});
  }
}

TEST(CudaBinary, division_of_integers_by_zero_is_no_error) {
  const Tensor a = Tensor::vector<int64_t>({7, -7, 0}), zero = Tensor::vector<int64_t>({0, 0, 0});
  EXPECT_TRUE(tensors_near(run_on_gpu("Div", {a, zero})->at(0), Tensor::vector<int64_t>({-1, -1, -1})));
  EXPECT_TRUE(tensors_near(run_on_gpu("FloorMod", {a, zero})->at(0), a));
  EXPECT_TRUE(tensors_near(run_on_gpu("Pow", {a, Tensor::scalar<int64_t>(-2)})->at(0), zero));
}

TEST(CudaBinary, int32_is_computed_on_the_host_with_its_errors) {
  const Tensor a = random_tensor(kInt32, {3, 4}), b = random_tensor(kInt32, {4});
  for (const char* op : {"Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "Less", "Equal", "SquaredDifference"}) EXPECT_SAME(op, {a, b});
  EXPECT_SAME("FloorDiv", {a, zeros(kInt32, {4})});
  for (const char* op : {"Abs", "Neg", "Sign", "Square"}) EXPECT_SAME(op, {a});
}

TEST(CudaBinary, operands_broadcast) {
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{}, {}},
      {{}, {7}},
      {{9}, {}},
      {{1}, {1, 1}},
      {{4, 1}, {1, 6}},
      {{2, 3, 4}, {3, 1}},
      {{2, 1, 4, 1, 3}, {5, 1, 2, 1}},
      {{2, 3, 1, 2, 1, 2}, {2, 1, 3, 2, 2, 1}},
      {{0}, {1}},
      {{3, 0, 2}, {1, 2}},
      {{1, 2, 1, 2, 1, 2, 1, 2}, {2, 1, 2, 1, 2, 1, 2, 1}},
      {{300, 1}, {1, 301}},
  };
  for (const auto& [a, b] : shapes) {
    EXPECT_SAME("Sub", {random_tensor(kFloat, a), random_tensor(kFloat, b)});
    EXPECT_SAME("Sub", {random_tensor(kHalf, b), random_tensor(kHalf, a)}, {}, 2e-3, 2e-3);
    EXPECT_SAME("Less", {random_tensor(kInt8, a), random_tensor(kInt8, b)});
  }
}

TEST(CudaBinary, refuses_shapes_that_do_not_fit) {
  EXPECT_SAME("Add", {random_tensor(kFloat, {2, 3}), random_tensor(kFloat, {2})});
  EXPECT_SAME("Less", {random_tensor(kFloat, {2, 3}), random_tensor(kFloat, {4, 3})});
  const Tensor a = random_tensor(kFloat, {1, 2, 1, 2, 1, 2, 1, 2, 1}), b = random_tensor(kFloat, {2, 1, 2, 1, 2, 1, 2, 1, 2});
  EXPECT_EQ(run_on_gpu("Add", {a, b}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(CudaComparison, answers_are_those_of_the_cpu) {
  for (const char* op : {"Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual"}) {
    expect_binary_same(op, kFloats);
    expect_binary_same(op, kInts);
  }
  for (const char* op : {"Equal", "NotEqual"}) {
    expect_binary_same(op, {kBool, kComplex64, kComplex128});
    const AttrMap attrs{{"incompatible_shape_error", false}};
    EXPECT_SAME(op, {random_tensor(kFloat, {2}), random_tensor(kFloat, {3})}, attrs);
    EXPECT_SAME(op, {random_tensor(kFloat, {2}), random_tensor(kFloat, {2})}, attrs);
    EXPECT_SAME(op, {random_tensor(kFloat, {2}), random_tensor(kFloat, {3})});
  }
  for (const char* op : {"LogicalAnd", "LogicalOr"}) EXPECT_SAME(op, {random_tensor(kBool, {4, 9}), random_tensor(kBool, {9})});
  EXPECT_SAME("LogicalNot", {random_tensor(kBool, {33})});
}

TEST(CudaBits, are_those_of_the_cpu) {
  for (DataType dtype : {kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64}) {
    EXPECT_SAME("Invert", {odd_tensor(dtype, {37})});
    EXPECT_SAME("PopulationCount", {odd_tensor(dtype, {37})});
  }
}

}  // namespace
}  // namespace troupe::test
