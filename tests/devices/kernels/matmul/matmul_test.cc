#include <gtest/gtest.h>

#include <Eigen/Core>
#include <complex>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {

using C = std::complex<float>;

/// Numbers that differ and stay small.
template <class T>
Tensor sample(const Shape& shape, int seed) {
  Tensor t(dtype_of<T>(), shape);
  int64_t i = seed;
  for (T& v : t.flat<T>()) v = static_cast<T>(static_cast<float>((i++ * 37 + 11) % 17 - 8));
  return t;
}

/// The product in double, element by element.
template <class T>
Tensor slow_product(const Tensor& a, const Tensor& b, bool ta, bool tb) {
  const int64_t m = a.dim(ta ? 1 : 0), k = a.dim(ta ? 0 : 1), n = b.dim(tb ? 0 : 1);
  Tensor c(dtype_of<T>(), Shape{m, n});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a.flat<T>()[ta ? l * m + i : i * k + l]) *
               static_cast<double>(b.flat<T>()[tb ? j * k + l : l * n + j]);
      }
      c.flat<T>()[i * n + j] = static_cast<T>(sum);
    }
  }
  return c;
}

template <class T>
void expect_product(int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  Tensor a = sample<T>(ta ? Shape{k, m} : Shape{m, k}, 1), b = sample<T>(tb ? Shape{n, k} : Shape{k, n}, 5);
  auto out = run_kernel("MatMul", {a, b}, {{"transpose_a", ta}, {"transpose_b", tb}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), slow_product<T>(a, b, ta, tb)))
      << m << " " << n << " " << k << " " << ta << tb;
}

TEST(MatMul, multiplies_matrices_of_any_size_and_transposition) {
  // The last ones are cut into blocks, by rows, by columns, by depth.
  for (auto [m, n, k] : {std::tuple(1, 1, 1), std::tuple(3, 2, 5), std::tuple(1, 70, 40),
                         std::tuple(33, 65, 17), std::tuple(200, 190, 180), std::tuple(25, 33, 700),
                         std::tuple(300, 5, 300), std::tuple(2, 600, 300)}) {
    for (int flags = 0; flags < 4; ++flags) {
      const bool ta = flags & 1, tb = flags & 2;
      expect_product<float>(m, n, k, ta, tb);
      expect_product<double>(m, n, k, ta, tb);
    }
  }
}

TEST(MatMul, gives_zeros_for_an_empty_inner_dimension) {
  auto out =
      run_kernel("MatMul", {Tensor(DataType::kFloat, Shape{2, 0}), Tensor(DataType::kFloat, Shape{0, 3})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), zeros(DataType::kFloat, Shape{2, 3})));
}

TEST(MatMul, wraps_integers) {
  auto out = run_kernel("MatMul", {Tensor::from<int32_t>(Shape{1, 2}, {1 << 30, 1 << 30}),
                                   Tensor::from<int32_t>(Shape{2, 1}, {4, 3})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).flat<int32_t>()[0], -1073741824);
}

TEST(MatMul, multiplies_halves_in_float) {
  // 2049 ones: a sum kept in half would stop at 2048.
  Tensor ones(DataType::kHalf, Shape{1, 2049}), column(DataType::kHalf, Shape{2049, 1});
  for (Tensor* t : {&ones, &column}) {
    for (Eigen::half& v : t->flat<Eigen::half>()) v = Eigen::half(1);
  }
  auto out = run_kernel("MatMul", {ones, column});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(static_cast<float>(out->at(0).flat<Eigen::half>()[0]), 2048.0f);
  column.flat<Eigen::half>()[0] = Eigen::half(4);
  out = run_kernel("MatMul", {ones, column});
  EXPECT_EQ(static_cast<float>(out->at(0).flat<Eigen::half>()[0]), 2052.0f);
}

TEST(MatMul, refuses_what_does_not_fit) {
  Tensor a = sample<float>(Shape{2, 3}, 0);
  EXPECT_EQ(run_kernel("MatMul", {a, a}).status(),
            absl::InvalidArgumentError("Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]"));
  EXPECT_EQ(run_kernel("MatMul", {sample<float>(Shape{3}, 0), a}).status(),
            absl::InvalidArgumentError("In[0] ndims must be >= 2"));
}

TEST(BatchMatMul, conjugates_what_it_transposes) {
  Tensor x = Tensor::from<C>(Shape{1, 1, 2}, {C(1, 2), C(3, 4)});
  auto out = run_kernel("BatchMatMul", {x, x}, {{"adj_x", false}, {"adj_y", true}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).flat<C>()[0], C(30, 0));
}

TEST(BatchMatMul, broadcasts_batches_only_from_v2_on) {
  Tensor x = Tensor::from<float>(Shape{2, 1, 1, 2}, {1, 2, 3, 4}),
         y = Tensor::from<float>(Shape{2, 2, 1}, {1, 1, 1, -1});
  auto out = run_kernel("BatchMatMulV2", {x, y});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{2, 2, 1, 1}, {3, -1, 7, -1})));
  EXPECT_EQ(run_kernel("BatchMatMul", {x, y}).status(),
            absl::InvalidArgumentError("In[0] and In[1] has different ndims: [2,1,1,2] vs. [2,2,1]"));
  EXPECT_EQ(run_kernel("BatchMatMulV2", {sample<float>(Shape{2, 2, 3}, 0), sample<float>(Shape{3, 3, 2}, 0)})
                .status(),
            absl::InvalidArgumentError(
                "In[0] and In[1] must have compatible batch dimensions: [2,2,3] vs. [3,3,2]"));
  EXPECT_EQ(run_kernel("BatchMatMulV2", {sample<float>(Shape{2, 2, 3}, 0), sample<float>(Shape{2, 2, 3}, 0)})
                .status(),
            absl::InvalidArgumentError("Matrix size-incompatible: In[0]: [2,2,3], In[1]: [2,2,3] 0 0"));
}

TEST(BatchMatMulV3, adds_bytes_in_32_bits) {
  Tensor x = Tensor::from<int8_t>(Shape{1, 3}, {-128, 127, 1}),
         y = Tensor::from<uint8_t>(Shape{3, 1}, {255, 255, 7});
  auto out = run_kernel("BatchMatMulV3", {x, y}, {{"Tout", DataType::kInt32}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(out->at(0).flat<int32_t>()[0], -128 * 255 + 127 * 255 + 7);
}

TEST(FusedMatMul, adds_a_bias_and_applies_the_activation) {
  Tensor a = Tensor::from<float>(Shape{1, 2}, {1, 2}), b = Tensor::from<float>(Shape{2, 2}, {1, -1, 1, -1}),
         bias = Tensor::vector<float>({0.5f, 1});
  auto out = run_kernel("_FusedMatMul", {a, b, bias},
                        {{"num_args", 1}, {"fused_ops", std::vector<std::string>{"BiasAdd", "Relu"}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>(Shape{1, 2}, {3.5f, 0})));
}

}  // namespace
}  // namespace troupe::test
