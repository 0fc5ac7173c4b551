// Gradients element by element, and functions at infinity.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

TEST(ReluGrad, multiplies_so_that_nan_stays) {
  const Tensor x = Tensor::vector<float>({-1, -1, 1, 7}), g = Tensor::vector<float>({kNan, kInf, 2, 3});
  EXPECT_TRUE(tensors_near(run_kernel("ReluGrad", {g, x})->at(0), Tensor::vector<float>({kNan, kNan, 2, 3})));
  EXPECT_TRUE(
      tensors_near(run_kernel("Relu6Grad", {g, x})->at(0), Tensor::vector<float>({kNan, kNan, 2, 0})));
}

TEST(CwiseGradients, give_nothing_for_no_gradient) {
  const Tensor y = Tensor::vector<float>({0, kInf, kNan, 2}), none = zeros(DataType::kFloat, Shape{4});
  for (const char* op : {"SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad"}) {
    EXPECT_TRUE(tensors_near(run_kernel(op, {y, none})->at(0), none)) << op;
  }
}

TEST(IntegerDivision, is_that_of_wider_integers) {
  std::vector<int32_t> numbers = {0,         1,
                                  -1,        2,
                                  -2,        3,
                                  -3,        7,
                                  -7,        1000,
                                  -1000,     46341,
                                  -46341,    65536,
                                  INT32_MAX, INT32_MAX - 1,
                                  INT32_MIN, INT32_MIN + 1};
  for (int32_t i = 1; i < 40; ++i) numbers.push_back(i * 54'321'987);
  std::vector<int32_t> a, b, cut, floored, rest;
  for (const int64_t x : numbers) {
    for (const int64_t y : numbers) {
      if (y == 0) continue;
      a.push_back(static_cast<int32_t>(x));
      b.push_back(static_cast<int32_t>(y));
      const int64_t q = x / y, r = x % y, down = q - (r != 0 && (r < 0) != (y < 0) ? 1 : 0);
      cut.push_back(static_cast<int32_t>(q));
      floored.push_back(static_cast<int32_t>(down));
      rest.push_back(static_cast<int32_t>(x - down * y));
    }
  }
  const auto expect = [&](const char* op, const std::vector<int32_t>& results) {
    const Shape all{static_cast<int64_t>(a.size())};
    const auto out = run_kernel(op, {Tensor::from<int32_t>(all, a), Tensor::from<int32_t>(all, b)});
    ASSERT_TRUE(out.ok()) << out.status();
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(out->at(0).flat<int32_t>()[static_cast<int64_t>(i)], results[i])
          << op << "(" << a[i] << ", " << b[i] << ")";
  };
  expect("Div", cut);
  expect("TruncateDiv", cut);
  expect("FloorDiv", floored);
  expect("FloorMod", rest);
}

TEST(Zeta, vanishes_at_infinity) {
  const Tensor x = Tensor::vector<float>({2, kInf, kInf, 2}), q = Tensor::vector<float>({kInf, kInf, 2, 1});
  EXPECT_TRUE(
      tensors_near(run_kernel("Zeta", {x, q})->at(0), Tensor::vector<float>({0, 0, 0, 1.6449341f}), 1e-5));
  const Tensor n = Tensor::vector<float>({1, 2, 0}), at = Tensor::vector<float>({kInf, kInf, 1});
  EXPECT_TRUE(tensors_near(run_kernel("Polygamma", {n, at})->at(0),
                           Tensor::vector<float>({0, 0, -0.5772157f}), 1e-5));
}

TEST(Zeta, is_zero_where_its_terms_are) {
  auto out = run_kernel("Zeta", {Tensor::vector<float>({1e10f, 1e10f}), Tensor::vector<float>({1, 1.5f})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(out->at(0).flat<float>(), testing::ElementsAre(1, 0));
}

/// Of n inputs, each sum alone.
template <class T>
void expect_sums(int64_t elements, int inputs) {
  std::vector<Tensor> in;
  Tensor want(dtype_of<T>(), Shape{elements});
  for (int k = 0; k < inputs; ++k) {
    Tensor& t = in.emplace_back(dtype_of<T>(), Shape{elements});
    for (int64_t i = 0; i < elements; ++i) {
      t.flat<T>()[i] = static_cast<T>((i * 31 + k * 17) % 101 - 50);
      want.flat<T>()[i] = static_cast<T>((k == 0 ? T(0) : want.flat<T>()[i]) + t.flat<T>()[i]);
    }
  }
  for (const char* op : {"AddN", "AccumulateNV2"}) {
    AttrMap attrs;
    if (op == std::string("AccumulateNV2")) attrs.set("shape", PartialShape{elements});
    const auto out = run_kernel(op, in, attrs);
    ASSERT_TRUE(out.ok()) << op << ": " << out.status();
    EXPECT_TRUE(tensors_near(out->at(0), want, 0, 0)) << op << " of " << inputs << " times " << elements;
  }
}

TEST(AddN, sums_all_inputs_whatever_their_number_and_size) {
  for (const int64_t elements : {0, 1, 7, 1024, 1025, 40'000}) {
    for (const int inputs : {1, 2, 3, 17}) {
      expect_sums<float>(elements, inputs);
      expect_sums<double>(elements, inputs);
      expect_sums<int8_t>(elements, inputs);
      expect_sums<int32_t>(elements, inputs);
      expect_sums<uint32_t>(elements, inputs);
      expect_sums<int64_t>(elements, inputs);
    }
  }
}

}  // namespace
}  // namespace troupe::test
