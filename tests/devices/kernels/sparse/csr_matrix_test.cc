// Matrices in compressed rows.
#include <gmock/gmock.h>

#include "graph/tensor/variant.h"
#include "tests/support/kernel_harness.h"

namespace troupe::test {
namespace {
using ::testing::ElementsAre;

const AttrMap kFloat{{"type", DataType::kFloat}};

absl::StatusOr<std::vector<Tensor>> sparse(std::initializer_list<int64_t> indices,
                                           std::initializer_list<float> values, const Tensor& shape) {
  const int64_t count = static_cast<int64_t>(values.size());
  return run_kernel(
      "SparseTensorToCSRSparseMatrix",
      {Tensor::from<int64_t>({count, shape.num_elements()}, indices), Tensor::vector<float>(values), shape});
}

/// [[1, 0, 2, 0], [0, 0, 0, 0], [3, 0, 0, 4]]
Tensor example() {
  return sparse({0, 0, 0, 2, 2, 0, 2, 3}, {1, 2, 3, 4}, Tensor::vector<int64_t>({3, 4}))->at(0);
}

Tensor dense(const Tensor& matrix) { return run_kernel("CSRSparseMatrixToDense", {matrix}, kFloat)->at(0); }

TEST(CsrMatrix, keeps_rows_together) {
  auto parts = run_kernel("CSRSparseMatrixComponents", {example(), Tensor::scalar(int32_t{0})}, kFloat);
  ASSERT_TRUE(parts.ok()) << parts.status();
  EXPECT_THAT(parts->at(0).flat<int32_t>(), ElementsAre(0, 2, 2, 4));
  EXPECT_THAT(parts->at(1).flat<int32_t>(), ElementsAre(0, 2, 0, 3));
  EXPECT_THAT(parts->at(2).flat<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(run_kernel("SparseMatrixNNZ", {example()})->at(0).value<int32_t>(), 4);
  auto back = run_kernel("CSRSparseMatrixToSparseTensor", {example()}, kFloat);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_THAT(back->at(0).flat<int64_t>(), ElementsAre(0, 0, 0, 2, 2, 0, 2, 3));
  EXPECT_THAT(back->at(2).flat<int64_t>(), ElementsAre(3, 4));
}

TEST(CsrMatrix, holds_batches) {
  const Tensor matrix =
      sparse({0, 0, 1, 1, 1, 0, 1, 1, 1}, {1, 2, 3}, Tensor::vector<int64_t>({2, 2, 2}))->at(0);
  EXPECT_THAT(run_kernel("SparseMatrixNNZ", {matrix})->at(0).flat<int32_t>(), ElementsAre(1, 2));
  EXPECT_TRUE(tensors_near(dense(matrix), Tensor::from<float>({2, 2, 2}, {0, 1, 0, 0, 0, 0, 2, 3}), 0, 0));
  auto second = run_kernel("CSRSparseMatrixComponents", {matrix, Tensor::scalar(int32_t{1})}, kFloat);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(second->at(0).flat<int32_t>(), ElementsAre(0, 0, 2));
}

TEST(CsrMatrix, gathers_from_dense) {
  const Tensor values = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  auto out = run_kernel("DenseToCSRSparseMatrix", {values, Tensor::from<int64_t>({2, 2}, {0, 1, 1, 2})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(dense(out->at(0)), Tensor::from<float>({2, 3}, {0, 2, 0, 0, 0, 6}), 0, 0));
  EXPECT_EQ(
      run_kernel("DenseToCSRSparseMatrix", {values, Tensor::from<int64_t>({1, 3}, {0, 1, 2})}).status(),
      absl::InvalidArgumentError("indices.shape[1] must be equal to the rank of params, but saw: 3 vs. 2"));
}

TEST(CsrMatrix, transposes) {
  auto out = run_kernel("SparseMatrixTranspose", {example()}, kFloat);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(dense(out->at(0)),
                           Tensor::from<float>({4, 3}, {1, 0, 3, 0, 0, 0, 2, 0, 0, 0, 0, 4}), 0, 0));
}

TEST(CsrMatrix, is_conjugated_where_it_is) {
  using C = std::complex<float>;
  const Tensor indices = Tensor::from<int64_t>({2, 2}, {0, 1, 1, 0}), shape = Tensor::vector<int64_t>({2, 2});
  auto matrix =
      run_kernel("SparseTensorToCSRSparseMatrix", {indices, Tensor::vector<C>({{1, 2}, {3, -4}}), shape});
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  auto conj = run_kernel("Conj", {matrix->at(0)});
  ASSERT_TRUE(conj.ok()) << conj.status();
  const AttrMap type{{"type", DataType::kComplex64}};
  EXPECT_THAT(run_kernel("CSRSparseMatrixToDense", {conj->at(0)}, type)->at(0).flat<C>(),
              ElementsAre(C(0, 0), C(1, -2), C(3, 4), C(0, 0)));
  EXPECT_THAT(run_kernel("CSRSparseMatrixToDense", {matrix->at(0)}, type)->at(0).flat<C>()[1], C(1, 2));
}

TEST(CsrMatrix, multiplies_dense_matrices) {
  const Tensor b = Tensor::from<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  auto out = run_kernel("SparseMatrixMatMul", {example(), b});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>({3, 2}, {11, 14, 0, 0, 31, 38}), 0, 0));
  out = run_kernel("SparseMatrixMatMul", {example(), b}, {{"transpose_output", true}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>({2, 3}, {11, 0, 31, 14, 0, 38}), 0, 0));
  const Tensor c = Tensor::from<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  out = run_kernel("SparseMatrixMatMul", {example(), c}, {{"transpose_a", true}, {"transpose_b", true}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(tensors_near(out->at(0), Tensor::from<float>({4, 2}, {10, 22, 0, 0, 2, 8, 12, 24}), 0, 0));
  EXPECT_EQ(run_kernel("SparseMatrixMatMul", {example(), c}).status(),
            absl::InvalidArgumentError(
                "Inner product dimensions of A and B do not agree.  Shapes are: [3,4] vs. [2,3]"));
}

TEST(CsrMatrix, multiplies_sparse_matrices_and_keeps_zeros) {
  auto out = run_kernel("SparseMatrixSparseMatMul", {example(), example()},
                        {{"type", DataType::kFloat}, {"transpose_b", true}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_TRUE(
      tensors_near(dense(out->at(0)), Tensor::from<float>({3, 3}, {5, 0, 3, 0, 0, 0, 3, 0, 25}), 0, 0));
  const Tensor row = sparse({0, 0, 0, 1}, {1, 1}, Tensor::vector<int64_t>({1, 2}))->at(0);
  const Tensor column = sparse({0, 0, 1, 0}, {1, -1}, Tensor::vector<int64_t>({2, 1}))->at(0);
  out = run_kernel("SparseMatrixSparseMatMul", {row, column}, kFloat);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(run_kernel("SparseMatrixNNZ", {out->at(0)})->at(0).value<int32_t>(), 1);
}

TEST(CsrMatrix, refuses_what_is_no_matrix) {
  EXPECT_EQ(sparse({5, 1}, {1}, Tensor::vector<int64_t>({3, 4})).status(),
            absl::InvalidArgumentError("Sparse index tuple indices[0, :] = [5, 1] is out of bounds"));
  EXPECT_EQ(sparse({1}, {1}, Tensor::vector<int64_t>({3})).status(),
            absl::InvalidArgumentError("SparseTensor must have rank 2 or 3; but indices has rank: 1"));
  EXPECT_FALSE(sparse({}, {}, Tensor::vector<int64_t>({int64_t{1} << 40, 4})).ok());
  EXPECT_EQ(run_kernel("CSRSparseMatrixToDense", {example()}, {{"type", DataType::kDouble}}).status(),
            absl::InvalidArgumentError("Asked for a CSRSparseMatrix of type double but saw dtype: float"));
  EXPECT_EQ(run_kernel("CSRSparseMatrixComponents", {example(), Tensor::scalar(int32_t{1})}, kFloat).status(),
            absl::InvalidArgumentError("index (1) not in [0, 1)"));
  Tensor empty(DataType::kVariant, Shape());
  empty.flat<Variant>()[0] = Variant();
  EXPECT_EQ(run_kernel("SparseMatrixNNZ", {empty}).status(),
            absl::InvalidArgumentError("Could not retrieve Variant input 0"));
}

}  // namespace
}  // namespace troupe::test
