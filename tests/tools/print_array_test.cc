#include "tools/troupe/print_array.h"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace troupe {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
Tensor counting(const Shape& shape) {
  Tensor t(dtype_of<T>(), shape);
  std::iota(t.flat<T>().begin(), t.flat<T>().end(), T(0));
  return t;
}

// The expected texts are NumPy 2's.

TEST(PrintArray, aligns_floats_at_the_point) {
  EXPECT_EQ(print_array(Tensor::vector<float>({1, 2.5, -3})), "[ 1.   2.5 -3. ]");
  EXPECT_EQ(print_array(Tensor::vector<double>({0.1, 1.0 / 3, 100})),
            "[  0.1          0.33333333 100.        ]");
  EXPECT_EQ(print_array(Tensor::vector<double>({-0.0, 1})), "[-0.  1.]");
}

TEST(PrintArray, turns_to_exponents_when_magnitudes_differ) {
  EXPECT_EQ(print_array(Tensor::from<float>(Shape{2, 2}, {1e-5f, 1, 123456, -2})),
            "[[ 1.00000e-05  1.00000e+00]\n [ 1.23456e+05 -2.00000e+00]]");
  EXPECT_EQ(print_array(Tensor::vector<double>({1e10, 1.25e-3})), "[1.00e+10 1.25e-03]");
  EXPECT_EQ(print_array(Tensor::vector<double>({1e100, 1})), "[1.e+100 1.e+000]");
  EXPECT_EQ(print_array(Tensor::vector<double>({123456.123456789, 0.123456789123})),
            "[1.23456123e+05 1.23456789e-01]");
}

TEST(PrintArray, shows_what_is_not_finite) {
  EXPECT_EQ(print_array(Tensor::vector<double>({1.5, kNan, -kInf, kInf})), "[ 1.5  nan -inf  inf]");
  EXPECT_EQ(print_array(Tensor::vector<double>({kNan, kInf})), "[nan inf]");
  EXPECT_EQ(print_array(Tensor::vector<double>({1e10, kNan, -kInf})), "[1.e+10    nan   -inf]");
}

TEST(PrintArray, prints_the_shortest_digits_of_half_floats) {
  using Eigen::half;
  EXPECT_EQ(print_array(Tensor::vector<half>({half(0.1f), half(1.f / 3)})), "[0.1    0.3333]");
  EXPECT_EQ(print_array(Tensor::vector<half>({half(6e-8f), half(1e-7f)})), "[6.e-08 1.e-07]");
}

TEST(PrintArray, fills_exponents_up_with_digits_of_the_value) {
  using Eigen::half;
  EXPECT_EQ(print_array(Tensor::vector<half>({half(1.2e-7f), half(1.25e-3f)})), "[1.19e-07 1.25e-03]");
  EXPECT_EQ(print_array(Tensor::vector<half>({half(6e-8f), half(1.2e-7f), half(1.234f)})),
            "[5.960e-08 1.192e-07 1.234e+00]");
  EXPECT_EQ(print_array(Tensor::vector<double>({5e-324, 1.25})), "[4.94e-324 1.25e+000]");
  EXPECT_EQ(print_array(Tensor::vector<float>({1e-45f, 1.5f})), "[1.4e-45 1.5e+00]");
}

TEST(PrintArray, aligns_integers_to_the_right) {
  EXPECT_EQ(print_array(Tensor::from<int32_t>(Shape{2, 2}, {1, -20, 300, 4})), "[[  1 -20]\n [300   4]]");
  EXPECT_EQ(print_array(Tensor::from<uint8_t>(Shape{1, 2}, {0, 255})), "[[  0 255]]");
  EXPECT_EQ(print_array(Tensor::vector<bool>({true, false})), "[ True False]");
}

TEST(PrintArray, puts_the_j_behind_imaginary_digits) {
  using C = std::complex<float>;
  EXPECT_EQ(print_array(Tensor::vector<C>({C(1, 2), C(-0.5, -10.25)})), "[ 1.  +2.j   -0.5-10.25j]");
  EXPECT_EQ(print_array(Tensor::scalar(C(1, 2))), "(1+2j)");
  EXPECT_EQ(print_array(Tensor::scalar(C(0, 2))), "2j");
}

TEST(PrintArray, quotes_strings_as_bytes) {
  EXPECT_EQ(print_array(Tensor::vector<TString>({TString("ab"), TString("c\n")})), "[b'ab' b'c\\n']");
  EXPECT_EQ(print_array(Tensor::string_scalar("it's \xff")), "b\"it's \\xff\"");
}

TEST(PrintArray, separates_matrices_by_blank_lines) {
  EXPECT_EQ(print_array(counting<float>(Shape{2, 2, 2})), "[[[0. 1.]\n  [2. 3.]]\n\n [[4. 5.]\n  [6. 7.]]]");
}

TEST(PrintArray, breaks_lines_at_75_columns) {
  Tensor t = counting<float>(Shape{13});
  for (float& v : t.flat<float>()) v /= 7;
  EXPECT_EQ(print_array(t),
            "[0.         0.14285715 0.2857143  0.42857143 0.5714286  0.71428573\n"
            " 0.85714287 1.         1.1428572  1.2857143  1.4285715  1.5714285\n"
            " 1.7142857 ]");
}

TEST(PrintArray, shortens_what_has_over_a_thousand_elements) {
  EXPECT_EQ(print_array(counting<int32_t>(Shape{2000})), "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(print_array(counting<int32_t>(Shape{1000})).find("..."), std::string::npos);
  EXPECT_EQ(print_array(counting<double>(Shape{2, 600})),
            "[[0.000e+00 1.000e+00 2.000e+00 ... 5.970e+02 5.980e+02 5.990e+02]\n"
            " [6.000e+02 6.010e+02 6.020e+02 ... 1.197e+03 1.198e+03 1.199e+03]]");
}

TEST(PrintArray, prints_empty_arrays_and_scalars) {
  EXPECT_EQ(print_array(Tensor(DataType::kFloat, Shape{0, 3})), "[]");
  EXPECT_EQ(print_array(Tensor::scalar(1.0f)), "1.0");
  EXPECT_EQ(print_array(Tensor::scalar(0.1f)), "0.1");
  EXPECT_EQ(print_array(Tensor::scalar(1e16)), "1e+16");
  EXPECT_EQ(print_array(Tensor::scalar(1.0 / 3)), "0.3333333333333333");
  EXPECT_EQ(print_array(Tensor::scalar<int64_t>(-7)), "-7");
}

}  // namespace
}  // namespace troupe
