// Functions of one number, activations and gradients: GPU against CPU.
#include <gtest/gtest.h>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using enum DataType;

const std::vector<DataType> kFloats = {kFloat, kDouble, kHalf, kBfloat16};
const std::vector<DataType> kComplexes = {kComplex64, kComplex128};

void expect_same(const std::string& op, const std::vector<DataType>& dtypes, double low, double high, double slack = 4) {
  for (DataType dtype : dtypes) {
    const double tolerance = slack * tolerance_of(dtype);
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{257}, Shape{2, 3, 5}})
      EXPECT_SAME(op, {random_tensor(dtype, shape, low, high)}, {}, tolerance, tolerance);
  }
}

TEST(CudaUnary, functions_are_those_of_the_cpu) {
  for (const char* op : {"Abs", "Neg", "Sign", "Square", "Reciprocal", "Inv", "Floor", "Ceil", "Round", "Exp", "Expm1", "Sigmoid", "Tanh",
                         "Sin", "Cos", "Sinh", "Cosh", "Atan", "Asinh", "Erf", "Erfc", "Relu", "Relu6", "Elu", "Selu", "Softplus",
                         "Softsign"})
    expect_same(op, kFloats, -4, 4);
  for (const char* op : {"Log", "Log1p", "Sqrt", "Rsqrt"}) expect_same(op, kFloats, 0.1, 9);
  for (const char* op : {"Asin", "Acos", "Atanh", "Tan"}) expect_same(op, kFloats, -0.9, 0.9);
  expect_same("Acosh", kFloats, 1.1, 9);
  expect_same("Rint", {kFloat, kDouble}, -4, 4);
  for (const char* op : {"Abs", "Neg", "Sign"}) {
    for (DataType dtype : {kInt8, kInt16, kInt64}) EXPECT_SAME(op, {odd_tensor(dtype, {37})});
  }
  for (DataType dtype : {kInt8, kInt16, kInt64, kUint8, kUint16, kUint32, kUint64}) EXPECT_SAME("Square", {odd_tensor(dtype, {37})});
}

TEST(CudaUnary, odd_numbers_are_those_of_the_cpu) {
  for (const char* op : {"Abs", "Neg", "Sign", "Square", "Floor", "Ceil", "Round", "IsNan", "IsInf", "IsFinite", "Relu", "Relu6", "Exp",
                         "Sqrt", "Log", "Sigmoid", "Tanh", "Elu", "Selu", "Softplus"}) {
    for (DataType dtype : kFloats) EXPECT_SAME(op, {odd_tensor(dtype, {301})}, {}, 4 * tolerance_of(dtype), 4 * tolerance_of(dtype));
  }
}

TEST(CudaUnary, complex_functions_are_those_of_the_cpu) {
  for (const char* op : {"Neg", "Sign", "Square", "Reciprocal", "Exp", "Expm1", "Log", "Log1p", "Sqrt", "Rsqrt", "Sigmoid", "Tanh", "Sin",
                         "Cos", "Tan", "Sinh", "Cosh", "Conj"})
    expect_same(op, kComplexes, -2, 2, 16);
  for (DataType dtype : kComplexes) {
    const Tensor a = random_tensor(dtype, {40}), b = random_tensor(dtype, {40});
    for (const char* op : {"Pow", "Xlogy", "Xlog1py", "Xdivy"}) EXPECT_SAME(op, {a, b}, {}, 40 * tolerance_of(dtype), 40 * tolerance_of(dtype));
    const AttrMap to{{"Tout", dtype == kComplex64 ? kFloat : kDouble}};
    for (const char* op : {"Real", "Imag", "Angle", "ComplexAbs"}) EXPECT_SAME(op, {a}, to, tolerance_of(dtype), tolerance_of(dtype));
  }
  EXPECT_SAME("Complex", {random_tensor(kFloat, {4, 1}), random_tensor(kFloat, {3})});
  EXPECT_SAME("Complex", {random_tensor(kDouble, {4}), random_tensor(kDouble, {4})}, {{"Tout", kComplex128}});
}

TEST(CudaUnary, special_functions_are_those_of_the_cpu) {
  for (const char* op : {"Lgamma", "Digamma", "BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1", "BesselK0",
                         "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1"})
    expect_same(op, {kFloat, kDouble, kHalf}, 0.2, 6);
  for (const char* op : {"Erfinv", "Ndtri"}) expect_same(op, {kFloat, kDouble}, 0.05, 0.9);
  for (DataType dtype : {kFloat, kDouble}) {
    const double tolerance = 10 * tolerance_of(dtype);
    const Tensor a = random_tensor(dtype, {40}, 0.3, 5), b = random_tensor(dtype, {40}, 1.5, 5), x = random_tensor(dtype, {40}, 0, 1);
    for (const char* op : {"Igamma", "Igammac", "IgammaGradA", "RandomGammaGrad"}) EXPECT_SAME(op, {a, b}, {}, tolerance, tolerance);
    EXPECT_SAME("Zeta", {b, a}, {}, tolerance, tolerance);
    EXPECT_SAME("Betainc", {a, b, x}, {}, tolerance, tolerance);
    EXPECT_SAME("Betainc", {random_tensor(dtype, {}, 1, 2), random_tensor(dtype, {}, 1, 2), x}, {}, tolerance, tolerance);
    EXPECT_SAME("Betainc", {a, random_tensor(dtype, {3}), x});
  }
  EXPECT_SAME("Polygamma", {Tensor::vector<float>({1, 2, 3}), Tensor::vector<float>({0.5, 2, 7})});
}

TEST(CudaGradients, are_those_of_the_cpu) {
  for (DataType dtype : kFloats) {
    const double tolerance = 4 * tolerance_of(dtype);
    const Tensor g = random_tensor(dtype, {3, 31}), x = random_tensor(dtype, {3, 31}, 0.2, 3);
    for (const char* op : {"ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"}) {
      EXPECT_SAME(op, {g, random_tensor(dtype, {3, 31}, -8, 8)}, {}, tolerance, tolerance);
      EXPECT_SAME(op, {g, random_tensor(dtype, {3, 30})});
    }
    for (const char* op : {"SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad"}) {
      EXPECT_SAME(op, {x, g}, {}, 4 * tolerance, 4 * tolerance);
      EXPECT_SAME(op, {x, random_tensor(dtype, {31, 3})}, {}, 4 * tolerance, 4 * tolerance);
      EXPECT_SAME(op, {x, random_tensor(dtype, {7})});
    }
    EXPECT_SAME("LeakyRelu", {g}, {{"alpha", 0.3f}}, tolerance, tolerance);
    EXPECT_SAME("LeakyReluGrad", {g, random_tensor(dtype, {3, 31})}, {{"alpha", 0.3f}}, tolerance, tolerance);
  }
  for (DataType dtype : kComplexes) {
    for (const char* op : {"SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad"})
      EXPECT_SAME(op, {random_tensor(dtype, {20}, 0.5, 2), random_tensor(dtype, {20})}, {}, 8 * tolerance_of(dtype), 8 * tolerance_of(dtype));
  }
}

TEST(CudaGradients, nothing_comes_of_no_gradient) {
  const Tensor y = Tensor::vector<float>({0, INFINITY, NAN, 2}), none = zeros(kFloat, Shape{4});
  for (const char* op : {"SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad"}) EXPECT_SAME(op, {y, none});
}

}  // namespace
}  // namespace troupe::test
