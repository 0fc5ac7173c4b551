#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

Tensor matrix(int64_t rows, int64_t cols, std::initializer_list<float> values) {
  return Tensor::from<float>(Shape{rows, cols}, values);
}

/// The one output, or the error as a failed test.
Tensor run_one(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
  auto out = run_kernel(op, std::move(inputs), std::move(attrs));
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? out->at(0) : Tensor();
}

const Tensor kSingular = matrix(2, 2, {1, 2, 2, 4});

TEST(Cholesky, factors_and_fills_failures_with_nan) {
  EXPECT_TRUE(tensors_near(run_one("Cholesky", {matrix(2, 2, {4, 2, 2, 5})}), matrix(2, 2, {2, 0, 1, 2})));
  Tensor failed = run_one("Cholesky", {matrix(2, 2, {1, 2, 2, 1})});
  EXPECT_TRUE(std::isnan(failed.flat<float>()[0]));
  EXPECT_TRUE(std::isnan(failed.flat<float>()[3]));
  EXPECT_EQ(run_kernel("Cholesky", {matrix(1, 2, {1, 2})}).status(),
            absl::InvalidArgumentError("Input matrix must be square."));
}

TEST(CholeskyGrad, agrees_with_differences) {
  const float step = 1e-2f;
  Tensor a = matrix(2, 2, {4, 1, 1, 3}), weights = matrix(2, 2, {1, 0, 2, 3});
  Tensor l = run_one("Cholesky", {a});
  Tensor grad = run_one("CholeskyGrad", {l, weights});
  auto loss = [&](Tensor m) {
    Tensor f = run_one("Cholesky", {m});
    return f.flat<float>()[0] * 1 + f.flat<float>()[2] * 2 + f.flat<float>()[3] * 3;
  };
  Tensor up = a.deep_copy(), down = a.deep_copy();
  for (int i : {1, 2}) {
    up.flat<float>()[i] += step;
    down.flat<float>()[i] -= step;
  }
  const float off = grad.flat<float>()[1] + grad.flat<float>()[2];
  EXPECT_NEAR((loss(up) - loss(down)) / (2 * step), off, 1e-2);
}

TEST(MatrixInverse, inverts_batches_and_refuses_singular_ones) {
  Tensor two = Tensor::from<float>(Shape{2, 2, 2}, {2, 0, 0, 4, 1, 1, 0, 1});
  EXPECT_TRUE(tensors_near(run_one("MatrixInverse", {two}),
                           Tensor::from<float>(Shape{2, 2, 2}, {0.5f, 0, 0, 0.25f, 1, -1, 0, 1})));
  EXPECT_TRUE(tensors_near(run_one("MatrixInverse", {matrix(2, 2, {1, 1, 0, 1})}, {{"adjoint", true}}),
                           matrix(2, 2, {1, 0, -1, 1})));
  EXPECT_EQ(run_kernel("MatrixInverse", {kSingular}).status(),
            absl::InvalidArgumentError("Input is not invertible."));
  EXPECT_EQ(run_kernel("MatrixInverse", {Tensor::vector<float>({1})}).status(),
            absl::InvalidArgumentError("Input tensor 0 must have rank >= 2, got 1"));
}

TEST(MatrixSolve, solves_and_checks_its_operands) {
  EXPECT_TRUE(tensors_near(run_one("MatrixSolve", {matrix(2, 2, {2, 0, 1, 4}), matrix(2, 1, {2, 9})}),
                           matrix(2, 1, {1, 2})));
  EXPECT_EQ(run_kernel("MatrixSolve", {kSingular, matrix(2, 1, {1, 2})}).status(),
            absl::InvalidArgumentError("Input matrix is not invertible."));
  EXPECT_EQ(run_kernel("MatrixSolve", {kSingular, matrix(3, 1, {1, 2, 3})}).status(),
            absl::InvalidArgumentError("Input matrix and rhs are incompatible."));
  EXPECT_EQ(run_kernel("MatrixSolve", {kSingular, zeros(DataType::kFloat, Shape{1, 2, 1})}).status(),
            absl::InvalidArgumentError("All input tensors must have the same rank."));
}

TEST(MatrixTriangularSolve, broadcasts_batches) {
  Tensor lower = Tensor::from<float>(Shape{2, 2, 2}, {1, 9, 2, 1, 2, 9, 0, 4});
  EXPECT_TRUE(tensors_near(run_one("MatrixTriangularSolve", {lower, matrix(2, 1, {2, 8})}),
                           Tensor::from<float>(Shape{2, 2, 1}, {2, 4, 1, 2})));
  EXPECT_EQ(run_kernel("MatrixTriangularSolve", {lower, zeros(DataType::kFloat, Shape{3, 2, 1})}).status(),
            absl::InvalidArgumentError(
                "In[0] and In[1] must have compatible batch dimensions: [2,2,2] vs. [3,2,1]"));
}

TEST(BandedTriangularSolve, reads_diagonals_by_row) {
  Tensor lower = matrix(2, 3, {2, 3, 4, 9, 5, 6}), rhs = matrix(3, 2, {1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(tensors_near(run_one("BandedTriangularSolve", {lower, rhs}),
                           matrix(3, 2, {0.5f, 1, 1 / 6.f, -1 / 3.f, 1, 2})));
  Tensor upper = matrix(2, 3, {9, 5, 6, 2, 3, 4});
  EXPECT_TRUE(
      tensors_near(run_one("BandedTriangularSolve", {upper, rhs}, {{"lower", false}, {"adjoint", true}}),
                   matrix(3, 2, {0.5f, 1, -0.5f, -5 / 3.f, 1.875f, 43 / 12.f})));
}

TEST(MatrixDeterminant, carries_infinities_and_nan_as_tensorflow_does) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  struct {
    std::vector<double> matrix;
    double determinant, sign, log;
  } const cases[] = {
      {{inf, 1, 1, 1}, inf, 1, inf},
      {{-inf, 1, 2, 3}, -inf, -1, inf},
      {{1, inf, inf, 1}, -inf, -1, inf},
      {{nan, 1, 1, 1}, nan, nan, nan},
      {{1, 2, 2, 4}, 0, 0, -inf},
      {{inf, 0, 0, 0}, nan, 0, nan},
      {{inf, inf, inf, inf}, nan, nan, nan},
      {{0, 1, 1, 0}, -1, -1, 0},
  };
  for (const auto& c : cases) {
    Tensor m(DataType::kDouble, Shape{2, 2});
    std::ranges::copy(c.matrix, m.flat<double>().begin());
    EXPECT_TRUE(tensors_near(run_one("MatrixDeterminant", {m}), Tensor::scalar(c.determinant)));
    auto parts = run_kernel("LogMatrixDeterminant", {m});
    ASSERT_TRUE(parts.ok()) << parts.status();
    EXPECT_TRUE(tensors_near(parts->at(0), Tensor::scalar(c.sign)));
    EXPECT_TRUE(tensors_near(parts->at(1), Tensor::scalar(c.log)));
  }
}

TEST(LogMatrixDeterminant, gives_sign_and_logarithm) {
  auto out = run_kernel("LogMatrixDeterminant", {matrix(2, 2, {0, 2, 3, 0})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_FLOAT_EQ(out->at(0).value<float>(), -1);
  EXPECT_FLOAT_EQ(out->at(1).value<float>(), std::log(6.f));
  EXPECT_FLOAT_EQ(run_one("MatrixDeterminant", {zeros(DataType::kFloat, Shape{0, 0})}).value<float>(), 1);
}

TEST(Lu, orders_rows_by_pivot) {
  auto out = run_kernel("Lu", {matrix(2, 2, {1, 2, 4, 3})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), matrix(2, 2, {4, 3, 0.25f, 1.25f})));
  EXPECT_TRUE(tensors_near(out->at(1), Tensor::vector<int32_t>({1, 0})));
}

TEST(Svd, multiplies_back_and_answers_nan_with_nan) {
  Tensor a = matrix(3, 2, {1, 2, 3, 4, 5, 7});
  auto out = run_kernel("Svd", {a});
  ASSERT_TRUE(out.ok()) << out.status();
  auto s = out->at(0).flat<float>(), u = out->at(1).flat<float>(), v = out->at(2).flat<float>();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 2; ++j) {
      EXPECT_NEAR(u[i * 2] * s[0] * v[j * 2] + u[i * 2 + 1] * s[1] * v[j * 2 + 1], a.flat<float>()[i * 2 + j],
                  1e-4);
    }
  }
  Tensor bad = matrix(1, 1, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(run_one("Svd", {bad}).flat<float>()[0]));
}

TEST(SelfAdjointEig, sorts_eigenvalues) {
  EXPECT_TRUE(
      tensors_near(run_one("SelfAdjointEigV2", {matrix(2, 2, {2, 1, 1, 2})}), Tensor::vector<float>({1, 3})));
  Tensor nan = matrix(2, 2, {1, 0, std::numeric_limits<float>::quiet_NaN(), 1});
  EXPECT_EQ(run_kernel("SelfAdjointEigV2", {nan}).status(),
            absl::InvalidArgumentError(
                "Self-adjoint eigen decomposition was not successful. The input might not be valid."));
}

TEST(Eig, keeps_the_order_of_the_solver) {
  auto out = run_kernel("Eig", {matrix(2, 2, {-2.315f, -0.266f, 0.384f, -1.427f})},
                        {{"Tout", DataType::kComplex64}});
  ASSERT_TRUE(out.ok()) << out.status();
  // As TensorFlow: not sorted.
  EXPECT_NEAR(out->at(0).flat<std::complex<float>>()[0].real(), -2.1792078f, 1e-5);
  EXPECT_NEAR(out->at(0).flat<std::complex<float>>()[1].real(), -1.5627922f, 1e-5);
}

TEST(Qr, is_full_on_demand) {
  auto out = run_kernel("Qr", {matrix(3, 1, {0, 3, 4})}, {{"full_matrices", true}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).shape(), (Shape{3, 3}));
  EXPECT_EQ(out->at(1).shape(), (Shape{3, 1}));
  EXPECT_NEAR(std::fabs(out->at(1).flat<float>()[0]), 5, 1e-5);
}

TEST(MatrixSolveLs, regularizes_when_fast_and_takes_the_least_norm_otherwise) {
  Tensor a = matrix(3, 2, {1, 2, 3, 4, 5, 6}), b = matrix(3, 1, {1, 2, 4}),
         half = Tensor::scalar<double>(0.5);
  EXPECT_TRUE(
      tensors_near(run_one("MatrixSolveLs", {a, b, half}), matrix(2, 1, {0.42294f, 0.272401f}), 1e-4));
  EXPECT_TRUE(tensors_near(run_one("MatrixSolveLs", {a, b, half}, {{"fast", false}}),
                           matrix(2, 1, {2 / 3.f, 1 / 12.f}), 1e-4));
  Tensor zero = Tensor::scalar<double>(0), y = matrix(2, 1, {1, 2});
  EXPECT_TRUE(tensors_near(run_one("MatrixSolveLs", {kSingular, y, zero}, {{"fast", false}}),
                           matrix(2, 1, {0.2f, 0.4f}), 1e-4));
  EXPECT_THAT(std::string(run_kernel("MatrixSolveLs", {kSingular, y, zero}).status().message()),
              testing::StartsWith("Input matrix was rank deficient or ill-conditioned."));
}

TEST(MatrixFunctions, invert_each_other) {
  using C = std::complex<double>;
  Tensor a = Tensor::from<C>(Shape{2, 2}, {C(1, 0), C(0.5, 0.25), C(0, -0.5), C(2, 0)});
  EXPECT_TRUE(tensors_near(run_one("MatrixExponential", {run_one("MatrixLogarithm", {a})}), a, 1e-9));
  EXPECT_TRUE(tensors_near(run_one("MatrixSquareRoot", {matrix(2, 2, {5, 2, -3, 4})}),
                           matrix(2, 2, {2.304893f, 0.456459f, -0.684688f, 2.076664f}), 1e-4));
}

TEST(Tridiagonal, pivots_and_fills_singular_systems_with_nan) {
  Tensor diagonals = matrix(3, 3, {1, 1, 0, 0, 2, 3, 0, 1, 1}), rhs = matrix(3, 1, {1, 2, 3});
  EXPECT_TRUE(
      tensors_near(run_one("TridiagonalSolve", {diagonals, rhs}), matrix(3, 1, {-2 / 3.f, 1, 2 / 3.f})));
  Tensor none = run_one("TridiagonalSolve", {diagonals, rhs}, {{"partial_pivoting", false}});
  EXPECT_TRUE(std::isnan(none.flat<float>()[0]));
  EXPECT_TRUE(
      tensors_near(run_one("TridiagonalMatMul", {matrix(1, 3, {1, 2, 9}), matrix(1, 3, {1, 2, 3}),
                                                 matrix(1, 3, {9, 2, 3}), matrix(3, 2, {1, 2, 3, 4, 5, 6})}),
                   matrix(3, 2, {4, 6, 18, 24, 24, 30})));
  EXPECT_EQ(run_kernel("TridiagonalMatMul", {matrix(1, 2, {1, 2}), matrix(1, 3, {1, 2, 3}),
                                             matrix(1, 3, {9, 2, 3}), matrix(3, 1, {1, 2, 3})})
                .status(),
            absl::InvalidArgumentError("Invalid superdiagonal shape."));
}

TEST(LogMatrixDeterminant, of_infinite_complex_numbers_is_none) {
  using C = std::complex<float>;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  auto complex =
      run_kernel("LogMatrixDeterminant", {Tensor::from<C>(Shape{2, 2}, {C(kInf), C(0), C(0), C(1)})});
  ASSERT_TRUE(complex.ok()) << complex.status();
  EXPECT_TRUE(std::isnan(complex->at(1).value<C>().real()));
  auto real = run_kernel("LogMatrixDeterminant", {Tensor::from<float>(Shape{2, 2}, {kInf, 0, 0, 1})});
  ASSERT_TRUE(real.ok()) << real.status();
  EXPECT_EQ(real->at(1).value<float>(), kInf);
}

}  // namespace
}  // namespace troupe::test
