// Casts, selections, sums of many, clipping, broadcasts and fused chains: GPU against CPU.
#include <gtest/gtest.h>

#include "tests/devices/cuda/kernel_fixture.h"

namespace troupe::test {
namespace {

using enum DataType;

const std::vector<DataType> kAll = {kFloat, kDouble, kHalf,  kBfloat16, kComplex64, kComplex128, kBool,  kInt8,
                                    kInt16, kInt32,  kInt64, kUint8,    kUint16,    kUint32,     kUint64};

TEST(CudaCast, converts_as_the_cpu_does) {
  for (DataType from : kAll) {
    const Tensor odd = odd_tensor(from, {201}), plain = random_tensor(from, {5, 7}, -200, 200);
    for (DataType to : kAll) {
      EXPECT_SAME("Cast", {odd}, {{"DstT", to}}, 0, 0);
      EXPECT_SAME("Cast", {plain}, {{"DstT", to}}, 0, 0);
    }
  }
}

TEST(CudaCast, cuts_bits_off_when_told_to) {
  for (DataType from : {kFloat, kDouble}) {
    for (DataType to : {kFloat, kHalf, kBfloat16})
      EXPECT_SAME("Cast", {odd_tensor(from, {99})}, {{"DstT", to}, {"Truncate", true}}, 0, 0);
  }
}

TEST(CudaSelect, takes_elements_rows_or_all) {
  for (DataType dtype : kAll) {
    const Tensor t = random_tensor(dtype, {4, 3}), e = random_tensor(dtype, {4, 3});
    for (const char* op : {"Select", "SelectV2"}) {
      EXPECT_SAME(op, {random_tensor(kBool, {4, 3}), t, e});
      EXPECT_SAME(op, {Tensor::scalar(true), t, e});
      EXPECT_SAME(op, {Tensor::scalar(false), t, e});
    }
    EXPECT_SAME("Select", {random_tensor(kBool, {4}), t, e});
    EXPECT_SAME("SelectV2", {random_tensor(kBool, {4, 1}), random_tensor(dtype, {3}), random_tensor(dtype, {2, 1, 1})});
  }
  const Tensor t = random_tensor(kFloat, {4, 3});
  EXPECT_SAME("SelectV2", {random_tensor(kBool, {0}), random_tensor(kFloat, {}), random_tensor(kFloat, {})});
  EXPECT_SAME("Select", {random_tensor(kBool, {4}), random_tensor(kFloat, {4, 0}), random_tensor(kFloat, {4, 0})});
  EXPECT_SAME("Select", {random_tensor(kBool, {3}), t, t});
  EXPECT_SAME("Select", {random_tensor(kBool, {4}), t, random_tensor(kFloat, {3})});
  EXPECT_SAME("Select", {random_tensor(kBool, {4, 1}), t, t});
  EXPECT_SAME("Select", {random_tensor(kBool, {4, 3}), t, random_tensor(kFloat, {4})});
  EXPECT_SAME("Select", {random_tensor(kBool, {3}), random_tensor(kFloat, {}), random_tensor(kFloat, {})});
  EXPECT_SAME("SelectV2", {random_tensor(kBool, {3}), t, random_tensor(kFloat, {5})});
}

TEST(CudaAddN, sums_in_order) {
  for (DataType dtype : kAll) {
    if (dtype == kBool) continue;
    std::vector<Tensor> inputs;
    for (int n : {1, 2, 5}) {
      while (static_cast<int>(inputs.size()) < n) inputs.push_back(random_tensor(dtype, {3, 7}));
      EXPECT_SAME("AddN", inputs, {}, tolerance_of(dtype), tolerance_of(dtype));
    }
    EXPECT_SAME("AddN", {inputs[0], random_tensor(dtype, {7, 3})});
  }
  // More than one launch takes.
  const std::vector<Tensor> many(150, random_tensor(kDouble, {9}));
  EXPECT_SAME("AddN", many, {}, 1e-12, 1e-12);
}

TEST(CudaClip, keeps_within_bounds) {
  for (DataType dtype : {kFloat, kDouble, kHalf, kBfloat16, kComplex64, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16}) {
    const Tensor x = random_tensor(dtype, {5, 8}, 0, 9), low = random_tensor(dtype, {}, 1, 2), high = random_tensor(dtype, {}, 5, 7);
    EXPECT_SAME("ClipByValue", {x, low, high}, {}, 0, 0);
    EXPECT_SAME("ClipByValue", {x, random_tensor(dtype, {5, 8}, 1, 3), high}, {}, 0, 0);
    EXPECT_SAME("ClipByValue", {x, random_tensor(dtype, {5}), high});
  }
  EXPECT_SAME("ClipByValue", {odd_tensor(kFloat, {64}), Tensor::scalar(-1.0f), Tensor::scalar(2.0f)}, {}, 0, 0);
}

TEST(CudaApproximateEqual, compares_within_a_tolerance) {
  for (DataType dtype : {kFloat, kDouble}) {
    const Tensor x = random_tensor(dtype, {60}, 0, 1);
    EXPECT_SAME("ApproximateEqual", {x, random_tensor(dtype, {60}, 0, 1)}, {{"tolerance", 0.3f}});
    EXPECT_SAME("ApproximateEqual", {x, random_tensor(dtype, {6})}, {{"tolerance", 0.3f}});
  }
}

TEST(CudaBroadcastTo, repeats) {
  const auto sizes = [](std::initializer_list<int32_t> s) { return Tensor::vector<int32_t>(s); };
  for (DataType dtype : kAll) {
    EXPECT_SAME("BroadcastTo", {random_tensor(dtype, {3, 1}), sizes({2, 3, 4})});
    EXPECT_SAME("BroadcastTo", {random_tensor(dtype, {}), sizes({5})});
  }
  EXPECT_SAME("BroadcastTo", {random_tensor(kFloat, {3}), Tensor::vector<int64_t>({2, 3})});
  EXPECT_SAME("BroadcastTo", {random_tensor(kFloat, {3}), sizes({3})});
  EXPECT_SAME("BroadcastTo", {random_tensor(kFloat, {1}), sizes({0})});
  EXPECT_SAME("BroadcastTo", {random_tensor(kFloat, {3}), sizes({2})});
  EXPECT_SAME("BroadcastTo", {random_tensor(kFloat, {3}), sizes({-1})});
  EXPECT_SAME("BroadcastTo", {random_tensor(kFloat, {3, 3}), sizes({3})});
}

AttrMap fused(std::vector<std::string> ops, std::vector<int64_t> operands) {
  return {{"ops", std::move(ops)}, {"operands", std::move(operands)}, {"names", std::vector<std::string>{"a", "b", "c"}}};
}

TEST(CudaFusedElementwise, runs_trees) {
  for (DataType dtype : {kFloat, kDouble}) {
    const double tolerance = 10 * tolerance_of(dtype);
    auto same = [&](std::vector<Shape> shapes, const AttrMap& attrs) {
      std::vector<Tensor> inputs;
      for (const Shape& s : shapes) inputs.push_back(random_tensor(dtype, s, 0.2, 3));
      EXPECT_SAME("_FusedElementwise", inputs, attrs, tolerance, tolerance);
    };
    const AttrMap chain = fused({"Mul", "Add", "Tanh", "Square"}, {0, 1, 3, 2, 4, -1, 5, -1});
    same({{64}, {64}, {64}}, chain);
    same({{}, {}, {}}, chain);
    same({{67}, {}, {67}}, chain);
    same({{16, 5}, {5}, {16, 1}}, chain);
    same({{2, 3, 4}, {3, 1}, {2, 1, 1}}, chain);
    same({{0, 3}, {3}, {1, 1}}, chain);
    // A value that waits while others are made, and is used twice.
    const AttrMap tree = fused({"Exp", "Neg", "Sub", "Sigmoid", "Mul", "AddV2"}, {0, -1, 1, -1, 2, 3, 4, -1, 5, 2, 6, 4});
    same({{33}, {33}}, tree);
    same({{4, 33}, {33}}, tree);
    same({{8, 9}, {8, 9}}, fused({"Relu", "ReluGrad", "SquaredDifference"}, {0, -1, 1, 2, 3, 0}));
    // Every operation.
    for (const char* op : {"Abs", "Neg", "Sign", "Square", "Reciprocal", "Inv", "Sqrt", "Rsqrt", "Exp", "Expm1", "Log", "Log1p", "Sigmoid",
                           "Tanh", "Erf", "Floor", "Ceil", "Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign"})
      same({{35}}, fused({op, "Neg"}, {0, -1, 1, -1}));
    for (const char* op : {"Add", "AddV2", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "SquaredDifference", "MulNoNan",
                           "DivNoNan", "SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "ReluGrad",
                           "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"})
      same({{35}, {35}}, fused({op, "Neg"}, {0, 1, 2, -1}));
  }
}

TEST(CudaFusedElementwise, gives_the_errors_of_its_steps) {
  const AttrMap chain = fused({"Neg", "Add"}, {0, -1, 2, 1});
  EXPECT_SAME("_FusedElementwise", {random_tensor(kFloat, {3}), random_tensor(kFloat, {4})}, chain);
  EXPECT_SAME("_FusedElementwise", {random_tensor(kFloat, {3}), random_tensor(kFloat, {4})}, fused({"Neg", "ReluGrad"}, {0, -1, 2, 1}));
  EXPECT_SAME("_FusedElementwise", {random_tensor(kFloat, {3})}, fused({"Nag"}, {0, -1}));
}

}  // namespace
}  // namespace troupe::test
