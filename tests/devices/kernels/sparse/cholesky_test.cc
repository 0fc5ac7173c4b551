// Sparse factors. The numbers are TensorFlow 2.21's.
#include <gmock/gmock.h>

#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor ramp(const Shape& shape, float step) {
  Tensor t(DataType::kFloat, shape);
  float next = 0;
  for (float& v : t.flat<float>()) v = step * next++;
  return t;
}

/// Without the node, which errors of attrs name.
std::string message_of(const absl::StatusOr<std::vector<Tensor>>& result) {
  const std::string text(result.status().message());
  return text.substr(0, text.find("\n\t [["));
}

const AttrMap kFloatType{{"type", DataType::kFloat}};

Tensor csr(const Tensor& dense) {
  const auto values = dense.flat<float>();
  std::vector<int64_t> at;
  for (int64_t i = 0; i < dense.num_elements(); ++i) {
    if (values[static_cast<size_t>(i)] == 0) continue;
    at.push_back(i / dense.dim(1));
    at.push_back(i % dense.dim(1));
  }
  return run_kernel("DenseToCSRSparseMatrix",
                    {dense, Tensor::from<int64_t>({static_cast<int64_t>(at.size() / 2), 2},
                                                  std::span<const int64_t>(at))})
      ->at(0);
}

const Tensor& band() {
  static const Tensor m = Tensor::from<float>({4, 4}, {4, 1, 0, 0, 1, 5, 2, 0, 0, 2, 6, 1, 0, 0, 1, 3});
  return m;
}

TEST(SparseCholesky, orders_for_little_fill) {
  EXPECT_THAT(run_kernel("SparseMatrixOrderingAMD", {csr(band())})->at(0).flat<int32_t>(),
              ElementsAre(0, 3, 1, 2));
  Tensor arrow = zeros(DataType::kFloat, Shape{6, 6});
  for (size_t i = 0; i < 6; ++i)
    arrow.flat<float>()[i] = arrow.flat<float>()[6 * i] = 1, arrow.flat<float>()[7 * i] = 10;
  EXPECT_THAT(run_kernel("SparseMatrixOrderingAMD", {csr(arrow)})->at(0).flat<int32_t>(),
              ElementsAre(1, 2, 3, 4, 5, 0));
}

TEST(SparseCholesky, factors_in_the_order_given) {
  auto out = run_kernel("SparseMatrixSparseCholesky", {csr(band()), Tensor::vector<int32_t>({3, 1, 0, 2})},
                        kFloatType);
  ASSERT_TRUE(out.ok()) << out.status();
  const Tensor dense = run_kernel("CSRSparseMatrixToDense", {out->at(0)}, kFloatType)->at(0);
  EXPECT_TRUE(tensors_near(
      dense, Tensor::from<float>({4, 4}, {1.7320508f, 0, 0, 0, 0, 2.236068f, 0, 0, 0, 0.4472136f, 1.9493588f,
                                          0, 0.57735026f, 0.8944272f, -0.20519567f, 2.1964884f})));
  EXPECT_EQ(run_kernel("SparseMatrixNNZ", {out->at(0)})->at(0).value<int32_t>(), 8);
}

TEST(SparseCholesky, refuses_what_has_no_factor) {
  auto message = [](const Tensor& m, std::initializer_list<int32_t> order) {
    return message_of(
        run_kernel("SparseMatrixSparseCholesky", {csr(m), Tensor::vector<int32_t>(order)}, kFloatType));
  };
  const Tensor negative = Tensor::from<float>({2, 2}, {-1, 0, 0, 1});
  EXPECT_THAT(message(negative, {0, 1}),
              HasSubstr("Sparse Cholesky factorization failed for batch index 0."));
  EXPECT_THAT(message(band(), {0, 1, 2}), HasSubstr("permutation must have shape [4]"));
  EXPECT_THAT(message(band(), {0, 1, 2, 4}), HasSubstr("permutation must name each row once"));
  EXPECT_THAT(message(band(), {0, 0, 1, 1}), HasSubstr("permutation must name each row once"));
  EXPECT_THAT(message(ramp({2, 3}, 1), {0, 1}), HasSubstr("must be square"));
}

}  // namespace
}  // namespace troupe::test
