// Long rows, which vector code works on, against single elements, which have their own.
#include <Eigen/Core>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

constexpr int64_t kElements = 300;

template <class T>
Tensor row_of(float first, float step) {
  Tensor out(dtype_of<T>(), Shape{kElements});
  for (int64_t i = 0; i < kElements; ++i) {
    const float v = first + step * static_cast<float>(i);
    out.flat<T>()[static_cast<size_t>(i)] = static_cast<T>(v);
  }
  return out;
}
template <class T>
Tensor element_of(const Tensor& row, size_t i) {
  return Tensor::scalar<T>(row.flat<T>()[i]);
}

/// The op on two rows, and on a row and one element, gives what it gives for each two elements.
template <class T>
void expect_alike(const char* op) {
  const Tensor a = row_of<T>(-20, 0.25f), b = row_of<T>(17, -0.125f), one = element_of<T>(b, 3);
  auto both = run_kernel(op, {a, b}), right = run_kernel(op, {a, one}), left = run_kernel(op, {one, b});
  ASSERT_TRUE(both.ok()) << op << both.status();
  const bool broadcasts = right.ok() && left.ok();
  for (size_t i = 0; i < kElements; ++i) {
    const Tensor x = element_of<T>(a, i), y = element_of<T>(b, i);
    auto expect = [&](const std::vector<Tensor>& row, const Tensor& p, const Tensor& q) {
      auto alone = run_kernel(op, {p, q});
      ASSERT_TRUE(alone.ok()) << op << alone.status();
      EXPECT_TRUE(tensors_near(element_of<T>(row[0], i), alone->at(0), 0, 0)) << op << ", element " << i;
    };
    expect(*both, x, y);
    if (!broadcasts) continue;
    expect(*right, x, one);
    expect(*left, one, y);
  }
}

TEST(Rows, give_of_two_floats_what_single_elements_give) {
  for (const char* op : {"AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "SquaredDifference",
                         "MulNoNan", "DivNoNan", "SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad",
                         "ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"}) {
    expect_alike<float>(op);
    expect_alike<Eigen::half>(op);
    expect_alike<Eigen::bfloat16>(op);
  }
}

TEST(Rows, give_of_two_integers_what_single_elements_give) {
  for (const char* op : {"AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"}) {
    expect_alike<int32_t>(op);
    expect_alike<int64_t>(op);
  }
}

struct Function {
  const char* op;
  double (*exact)(double);
  /// Of the first argument.
  float first;
};

TEST(Rows, give_functions_of_one_number) {
  const Function functions[] = {
      {"Exp", std::exp, -20},
      {"Expm1", std::expm1, -20},
      {"Log", std::log, 0.5f},
      {"Log1p", std::log1p, -0.5f},
      {"Sqrt", std::sqrt, 0.5f},
      {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0.5f},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, -20},
      {"Tanh", std::tanh, -20},
      {"Softplus", [](double x) { return std::log1p(std::exp(x)); }, -20},
      {"Softsign", [](double x) { return x / (1 + std::fabs(x)); }, -20},
      {"Elu", [](double x) { return x < 0 ? std::expm1(x) : x; }, -20},
      {"Selu", [](double x) { return 1.0507009873554805 * (x < 0 ? 1.6732632423543772 * std::expm1(x) : x); },
       -20},
      {"Erf", std::erf, -20},
      {"Relu", [](double x) { return x < 0 ? 0 : x; }, -20},
      {"Relu6", [](double x) { return x < 0   ? 0
                                      : x > 6 ? 6
                                              : x; }, -20},
      {"Abs", std::fabs, -20},
      {"Neg", [](double x) { return -x; }, -20},
      {"Square", [](double x) { return x * x; }, -20},
      {"Reciprocal", [](double x) { return 1 / x; }, -20.1f},
  };
  for (const Function& f : functions) {
    const Tensor in = row_of<float>(f.first, 0.15f);
    Tensor want = row_of<float>(0, 0);
    for (size_t i = 0; i < kElements; ++i) {
      want.flat<float>()[i] = static_cast<float>(f.exact(static_cast<double>(in.flat<float>()[i])));
    }
    auto out = run_kernel(f.op, {in});
    ASSERT_TRUE(out.ok()) << f.op << out.status();
    EXPECT_TRUE(tensors_near(out->at(0), want, 5e-7, 1e-30)) << f.op;
  }
}

/// Half of what float gives, rounded once.
TEST(Rows, round_functions_of_sixteen_bits_once) {
  for (const char* op : {"Exp", "Tanh", "Sigmoid", "Relu6", "Erf", "Sqrt"}) {
    const Tensor in = row_of<Eigen::half>(0.5f, 0.03125f);
    Tensor wide(DataType::kFloat, in.shape());
    for (size_t i = 0; i < kElements; ++i)
      wide.flat<float>()[i] = static_cast<float>(in.flat<Eigen::half>()[i]);
    auto out = run_kernel(op, {in}), exact = run_kernel(op, {wide});
    ASSERT_TRUE(out.ok() && exact.ok()) << op;
    for (size_t i = 0; i < kElements; ++i) {
      EXPECT_EQ(out->at(0).flat<Eigen::half>()[i], static_cast<Eigen::half>(exact->at(0).flat<float>()[i]))
          << op << " of " << wide.flat<float>()[i];
    }
  }
}

}  // namespace
}  // namespace troupe::test
