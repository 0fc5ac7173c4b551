#include "tests/actors/gradients/gradient_check.h"

namespace troupe::test {
namespace {

constexpr DataType kComplex = DataType::kComplex128;

struct UnaryRow {
  const char* op;
  double low = -0.9;
  double high = 0.9;
  bool complex = false;
};

const UnaryRow kUnary[] = {
    {"Abs", 0.2, 1},
    {"Neg", -1, 1, true},
    {"Reciprocal", 0.5, 2, true},
    {"Inv", 0.5, 2},
    {"Square", -1, 1, true},
    {"Sqrt", 0.3, 2, true},
    {"Rsqrt", 0.3, 2, true},
    {"Exp", -1, 1, true},
    {"Expm1", -1, 1, true},
    {"Log", 0.3, 2, true},
    {"Log1p", 0.3, 2, true},
    {"Sin", -1, 1, true},
    {"Cos", -1, 1, true},
    {"Tan", -1, 1, true},
    {"Sinh", -1, 1, true},
    {"Cosh", -1, 1, true},
    {"Tanh", -1, 1, true},
    {"Sigmoid", -1, 1, true},
    {"Asin", -0.7, 0.7},
    {"Acos", -0.7, 0.7},
    {"Atan", -1, 1},
    {"Asinh", -1, 1},
    {"Acosh", 1.3, 3},
    {"Atanh", -0.7, 0.7},
    {"Erf"},
    {"Erfc"},
    {"Erfinv", -0.7, 0.7},
    {"Ndtri", 0.1, 0.9},
    {"Lgamma", 0.5, 3},
    {"Digamma", 0.5, 3},
    {"BesselI0", 0.3, 2},
    {"BesselI0e", 0.3, 2},
    {"BesselI1", 0.3, 2},
    {"BesselI1e", 0.3, 2},
    {"BesselK0", 0.3, 2},
    {"BesselK0e", 0.3, 2},
    {"BesselK1", 0.3, 2},
    {"BesselK1e", 0.3, 2},
    {"BesselJ0", 0.3, 2},
    {"BesselJ1", 0.3, 2},
    {"BesselY0", 0.3, 2},
    {"BesselY1", 0.3, 2},
    {"Relu", 0.1, 2},
    {"Relu6", 0.1, 5},
    {"LeakyRelu", -2, -0.1},
    {"Elu", -2, -0.1},
    {"Selu", -2, -0.1},
    {"Softplus", -2, 2},
    {"Softsign", 0.1, 2},
    {"Softmax", -1, 1},
    {"LogSoftmax", -1, 1},
    {"Identity", -1, 1, true},
    {"Snapshot"},
    {"DeepCopy"},
    {"CheckNumerics"},
    {"L2Loss"},
};

TEST(UnaryGradients, agree_with_differences) {
  for (const UnaryRow& row : kUnary) {
    AttrMap attrs;
    if (std::string(row.op) == "CheckNumerics") attrs.set("message", "m");
    EXPECT_TRUE(op_gradients_match(row.op, {varied({2, 3}, row.low, row.high)}, attrs)) << row.op;
    if (!row.complex) continue;
    EXPECT_TRUE(op_gradients_match(row.op, {varied({4}, row.low, row.high, kComplex)}, attrs))
        << row.op << " complex";
  }
}

TEST(UnaryGradients, of_complex_parts_agree_with_differences) {
  const AttrMap attrs{{"Tout", DataType::kDouble}};
  for (const char* op : {"Real", "Imag", "ComplexAbs", "Angle"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({4}, 0.2, 1, kComplex)}, attrs)) << op;
  }
  EXPECT_TRUE(op_gradients_match("Conj", {varied({4}, 0.2, 1, kComplex)}));
  EXPECT_TRUE(op_gradients_match("Sign", {varied({4}, 0.2, 1, kComplex)}));
  EXPECT_TRUE(op_gradients_match("Complex", {varied({2, 3}), varied({3})}, {{"Tout", kComplex}}));
  EXPECT_TRUE(op_gradients_match("Cast", {varied({3})}, {{"DstT", kComplex}}));
}

TEST(UnaryGradients, of_gradient_ops_agree_with_differences) {
  for (const char* op : {"SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad", "TanhGrad", "SigmoidGrad"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({4}, 0.3, 2), varied({4})})) << op;
    EXPECT_TRUE(op_gradients_match(op, {varied({4}, 0.3, 2, kComplex), varied({4}, -1, 1, kComplex)}))
        << op << " complex";
  }
  for (const char* op : {"ReluGrad", "Relu6Grad", "LeakyReluGrad"}) {
    Input features = varied({4}, 0.5, 2);
    features.checked = false;
    EXPECT_TRUE(op_gradients_match(op, {varied({4}), features})) << op;
  }
  for (const char* op : {"EluGrad", "SeluGrad", "SoftplusGrad"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({4}), varied({4}, -0.9, -0.1)})) << op;
  }
  EXPECT_TRUE(op_gradients_match("SoftsignGrad", {varied({4}), varied({4}, 0.2, 2)}));
}

struct BinaryRow {
  const char* op;
  double low = 0.5;
  double high = 2;
  bool complex = false;
};

const BinaryRow kBinary[] = {
    {"Add", -1, 1, true},
    {"AddV2", -1, 1, true},
    {"Sub", -1, 1, true},
    {"Mul", -1, 1, true},
    {"RealDiv", 0.5, 2, true},
    {"Div", 0.5, 2, true},
    {"DivNoNan", 0.5, 2},
    {"MulNoNan", -1, 1},
    {"Pow", 0.5, 2, true},
    {"Maximum"},
    {"Minimum"},
    {"SquaredDifference", -1, 1},
    {"Atan2"},
    {"Xlogy"},
    {"Xlog1py"},
    {"Xdivy"},
};

TEST(BinaryGradients, agree_with_differences_with_and_without_broadcasting) {
  for (const BinaryRow& row : kBinary) {
    auto in = [&](const std::vector<int64_t>& shape, DataType t = DataType::kDouble) {
      return varied(shape, row.low, row.high, t);
    };
    EXPECT_TRUE(op_gradients_match(row.op, {in({2, 3}), in({2, 3})})) << row.op;
    EXPECT_TRUE(op_gradients_match(row.op, {in({2, 3}), in({3})})) << row.op;
    EXPECT_TRUE(op_gradients_match(row.op, {in({}), in({2, 2})})) << row.op;
    EXPECT_TRUE(op_gradients_match(row.op, {in({2, 1}), in({1, 3})})) << row.op;
    if (row.complex) {
      EXPECT_TRUE(op_gradients_match(row.op, {in({2, 1}, kComplex), in({3}, kComplex)}))
          << row.op << " complex";
    }
  }
}

TEST(BinaryGradients, of_remainders_agree_with_differences) {
  for (const char* op : {"FloorMod", "Mod", "TruncateMod"}) {
    EXPECT_TRUE(op_gradients_match(op, {varied({2, 3}, 3.1, 3.9), varied({3}, 1.1, 1.4)})) << op;
  }
}

TEST(BinaryGradients, of_special_functions_agree_with_differences) {
  const Tolerance loose{1e-5, 1e-5};
  EXPECT_TRUE(op_gradients_match("Igamma", {varied({2, 3}, 1, 3), varied({3}, 1, 3)}, {}, {}, loose));
  EXPECT_TRUE(op_gradients_match("Igammac", {varied({2, 3}, 1, 3), varied({3}, 1, 3)}, {}, {}, loose));
  auto constant = [](Input in) {
    in.checked = false;
    return in;
  };
  EXPECT_TRUE(op_gradients_match("Zeta", {constant(varied({3}, 2, 4)), varied({3}, 1, 3)}, {}, {}, loose));
  EXPECT_TRUE(op_gradients_match("Polygamma", {fixed(Tensor::vector<double>({0, 1, 2})), varied({3}, 1, 3)},
                                 {}, {}, loose));
  EXPECT_TRUE(op_gradients_match(
      "Betainc", {constant(varied({3}, 1, 3)), constant(varied({3}, 1, 3)), varied({3}, 0.2, 0.8)}, {}, {},
      loose));
}

TEST(Gradients, of_choices_agree_with_differences) {
  const Input mask = fixed(Tensor::vector<bool>({true, false, true}));
  EXPECT_TRUE(op_gradients_match("Select", {mask, varied({3}), varied({3})}));
  EXPECT_TRUE(op_gradients_match("Select", {mask, varied({3, 2}), varied({3, 2})}));
  EXPECT_TRUE(op_gradients_match("SelectV2", {mask, varied({2, 1}), varied({3})}));
  Input low = varied({}, -0.4, -0.3), high = varied({}, 0.3, 0.4);
  EXPECT_TRUE(op_gradients_match("ClipByValue", {varied({3, 4}), low, high}));
}

TEST(Gradients, of_sums_of_many_agree_with_differences) {
  EXPECT_TRUE(op_gradients_match("AddN", {varied({2, 2}), varied({2, 2}), varied({2, 2})}));
  EXPECT_TRUE(
      op_gradients_match("AccumulateNV2", {varied({2}), varied({2})}, {{"shape", PartialShape({2})}}));
}

}  // namespace
}  // namespace troupe::test
