#include "tests/actors/gradients/gradient_check.h"

namespace troupe::test {
namespace {

constexpr DataType kComplex = DataType::kComplex128;
const Tolerance kLoose{1e-5, 1e-5};

/// Matrices whose diagonal outweighs the rest.
Input regular(const std::vector<int64_t>& shape, DataType dtype = DataType::kDouble) {
  Input in = varied(shape, -0.4, 0.4, dtype);
  const int64_t n = shape.back(), size = in.value.num_elements();
  for (int64_t i = 0; i < size; i += n * n) {
    for (int64_t j = 0; j < n && i + j * n + j < size; ++j) {
      const double add = 2 + 0.5 * static_cast<double>(j);
      if (dtype == kComplex) in.value.flat<std::complex<double>>()[i + j * n + j] += add;
      if (dtype == DataType::kDouble) in.value.flat<double>()[i + j * n + j] += add;
    }
  }
  return in;
}

TEST(LinalgGradients, of_inverses_and_determinants_agree_with_differences) {
  for (DataType t : {DataType::kDouble, kComplex}) {
    for (bool adjoint : {false, true}) {
      EXPECT_TRUE(
          op_gradients_match("MatrixInverse", {regular({2, 2, 2}, t)}, {{"adjoint", adjoint}}, {}, kLoose));
      EXPECT_TRUE(op_gradients_match("MatrixSolve", {regular({2, 2}, t), varied({2, 3}, -1, 1, t)},
                                     {{"adjoint", adjoint}}, {}, kLoose));
      for (bool lower : {false, true}) {
        EXPECT_TRUE(op_gradients_match("MatrixTriangularSolve",
                                       {regular({3, 3}, t), varied({3, 2}, -1, 1, t)},
                                       {{"adjoint", adjoint}, {"lower", lower}}, {}, kLoose));
      }
    }
    EXPECT_TRUE(op_gradients_match("MatrixDeterminant", {regular({2, 3, 3}, t)}, {}, {}, kLoose));
  }
  EXPECT_TRUE(
      op_gradients_match("MatrixTriangularSolve", {regular({3, 3}), varied({2, 3, 2})}, {}, {}, kLoose))
      << "broadcast";
  EXPECT_TRUE(op_gradients_match("LogMatrixDeterminant", {regular({2, 3, 3})}, {}, {1}, kLoose));
  EXPECT_TRUE(op_gradients_match("MatrixSquareRoot", {regular({2, 2, 2})}, {}, {}, {1e-4, 1e-4}));
}

/// x x^T + I: what symmetric ops take, made of what may vary freely.
Out symmetric(GraphBuilder& b, Out x) {
  const Out product = b.op("BatchMatMulV2", {x, x}, {{"adj_y", true}});
  const Out eye = b.op("MatrixDiag", {b.op("OnesLike", {b.op("MatrixDiagPart", {product})})});
  return b.add(product, eye);
}

TEST(LinalgGradients, of_decompositions_agree_with_differences) {
  EXPECT_TRUE(gradients_match(
      {regular({2, 3, 3})},
      [](GraphBuilder& b, const std::vector<Out>& in) {
        return std::vector<Out>{b.op("Cholesky", {symmetric(b, in[0])})};
      },
      kLoose));
  EXPECT_TRUE(gradients_match({regular({3, 3})},
                              [](GraphBuilder& b, const std::vector<Out>& in) {
                                const Out e = b.op("SelfAdjointEigV2", {symmetric(b, in[0])});
                                // Signs of eigenvectors are free: their squares are not.
                                return std::vector<Out>{e, b.op("Square", {e[1]})};
                              },
                              {1e-4, 1e-5}));
  EXPECT_TRUE(gradients_match(
      {regular({3, 3})},
      [](GraphBuilder& b, const std::vector<Out>& in) {
        return std::vector<Out>{b.op("SelfAdjointEigV2", {symmetric(b, in[0])}, {{"compute_v", false}})};
      },
      kLoose));
  EXPECT_TRUE(gradients_match(
      {regular({3, 3})},
      [](GraphBuilder& b, const std::vector<Out>& in) {
        return std::vector<Out>{b.op("Svd", {in[0]}, {{"compute_uv", false}})};
      },
      kLoose));
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{3, 3}, {3, 2}, {2, 3}}) {
    EXPECT_TRUE(
        gradients_match({regular(shape)},
                        [&](GraphBuilder& b, const std::vector<Out>& in) {
                          const Out x = b.op("EnsureShape", {in[0]}, {{"shape", PartialShape(shape)}});
                          const Out s = b.op("Svd", {x});
                          return std::vector<Out>{s, b.op("Square", {s[1]}), b.op("Square", {s[2]})};
                        },
                        {1e-4, 1e-5}))
        << shape[0] << shape[1];
    EXPECT_TRUE(
        gradients_match({regular(shape)},
                        [&](GraphBuilder& b, const std::vector<Out>& in) {
                          const Out x = b.op("EnsureShape", {in[0]}, {{"shape", PartialShape(shape)}});
                          const Out q = b.op("Qr", {x});
                          return std::vector<Out>{q, q[1]};
                        },
                        {1e-4, 1e-5}))
        << shape[0] << shape[1];
    EXPECT_TRUE(gradients_match(
        {regular(shape), varied({shape[0], 2})},
        [&](GraphBuilder& b, const std::vector<Out>& in) {
          const Out x = b.op("EnsureShape", {in[0]}, {{"shape", PartialShape(shape)}});
          return std::vector<Out>{b.op("MatrixSolveLs", {x, in[1], b.constant(0.1)})};
        },
        kLoose))
        << shape[0] << shape[1];
  }
}

TEST(LinalgGradients, of_eigenvalues_agree_with_differences) {
  // Far apart and real, so that their order does not change.
  EXPECT_TRUE(gradients_match({varied({3, 3}, -0.1, 0.1)}, [](GraphBuilder& b, const std::vector<Out>& in) {
    const Out apart =
        b.constant(Tensor::from<double>(Shape{3, 3}, {1.0, 0.1, 0.0, 0.0, 2.0, 0.1, 0.0, 0.0, 3.0}));
    return std::vector<Out>{b.op("Eig", {b.add(in[0], apart)}, {{"compute_v", true}, {"Tout", kComplex}})};
  }));
}

TEST(LinalgGradients, of_bands_agree_with_differences) {
  EXPECT_TRUE(op_gradients_match("TridiagonalMatMul",
                                 {varied({1, 4}), varied({1, 4}), varied({1, 4}), varied({4, 2})}));
  Input diagonals = varied({3, 4}, 0.1, 0.5);
  for (int i = 4; i < 8; ++i) diagonals.value.flat<double>()[i] += 2;
  EXPECT_TRUE(op_gradients_match("TridiagonalSolve", {diagonals, varied({4, 2})}, {}, {}, kLoose));
  for (bool adjoint : {false, true}) {
    for (bool lower : {false, true}) {
      Input bands = varied({2, 4}, 0.1, 0.5);
      for (int i = 0; i < 4; ++i) bands.value.flat<double>()[(lower ? 0 : 4) + i] += 2;
      EXPECT_TRUE(op_gradients_match("BandedTriangularSolve", {bands, varied({4, 2})},
                                     {{"lower", lower}, {"adjoint", adjoint}}, {}, kLoose))
          << lower << adjoint;
    }
  }
}

testing::AssertionResult einsum(const std::string& equation, const std::vector<Input>& in) {
  return gradients_match(in, [&](GraphBuilder& b, const std::vector<Out>& x) {
    return std::vector<Out>{b.op("Einsum", {x}, {{"equation", equation}})};
  });
}

TEST(EinsumGradients, agree_with_differences) {
  EXPECT_TRUE(einsum("ij,jk->ik", {varied({2, 3}), varied({3, 2})}));
  EXPECT_TRUE(einsum("ij->ji", {varied({2, 3})}));
  EXPECT_TRUE(einsum("ijk->ik", {varied({2, 3, 2})}));
  EXPECT_TRUE(einsum("ii->i", {varied({3, 3})}));
  EXPECT_TRUE(einsum("ii->", {varied({3, 3})}));
  EXPECT_TRUE(einsum("ij->", {varied({2, 3})}));
  EXPECT_TRUE(einsum("abc,cd->ad", {varied({2, 3, 2}), varied({2, 2})}));
  EXPECT_TRUE(einsum("...ij,...jk->...ik", {varied({2, 2, 3}), varied({3, 2})}));
  EXPECT_TRUE(einsum("...ij,jk->...ik", {varied({2, 2, 3}), varied({3, 2})}));
  EXPECT_TRUE(einsum("i,j->ij", {varied({2}), varied({3})}));
  EXPECT_TRUE(einsum("ij,jk->ik", {varied({2, 2}, -1, 1, kComplex), varied({2, 2}, -1, 1, kComplex)}));
}

TEST(FourierGradients, agree_with_differences) {
  for (const char* op : {"FFT", "IFFT"})
    EXPECT_TRUE(op_gradients_match(op, {varied({2, 4}, -1, 1, kComplex)})) << op;
  for (const char* op : {"FFT2D", "IFFT2D"})
    EXPECT_TRUE(op_gradients_match(op, {varied({2, 3}, -1, 1, kComplex)})) << op;
  for (const char* op : {"FFT3D", "IFFT3D"})
    EXPECT_TRUE(op_gradients_match(op, {varied({2, 2, 2}, -1, 1, kComplex)})) << op;
  for (int n : {3, 4, 5}) {
    EXPECT_TRUE(op_gradients_match("RFFT", {varied({2, 5}), fixed_ints({n})}, {{"Tcomplex", kComplex}})) << n;
    EXPECT_TRUE(op_gradients_match("IRFFT", {varied({2, 3}, -1, 1, kComplex), fixed_ints({n})},
                                   {{"Treal", DataType::kDouble}}))
        << n;
  }
  EXPECT_TRUE(op_gradients_match("RFFT2D", {varied({3, 4}), fixed_ints({3, 4})}, {{"Tcomplex", kComplex}}));
}

TEST(SparseGradients, agree_with_differences) {
  const Input indices = fixed(Tensor::from<int64_t>(Shape{3, 2}, {0, 1, 1, 0, 1, 2}));
  const Input shape = fixed(Tensor::vector<int64_t>({2, 3}));
  EXPECT_TRUE(op_gradients_match("SparseToDense", {indices, shape, varied({3}), varied({})}));
  EXPECT_TRUE(op_gradients_match("SparseTensorDenseAdd", {indices, varied({3}), shape, varied({2, 3})}));
  EXPECT_TRUE(op_gradients_match("SparseReduceSum", {indices, varied({3}), shape, fixed_ints({1})}));
  EXPECT_TRUE(op_gradients_match("SparseReduceSum", {indices, varied({3}), shape, fixed_ints({-2})},
                                 {{"keep_dims", true}}));
  EXPECT_TRUE(op_gradients_match("SparseSoftmax", {indices, varied({3}), shape}));
  EXPECT_TRUE(op_gradients_match("SparseDenseCwiseMul", {indices, varied({3}), shape, varied({3}, 0.5, 1)}));
  EXPECT_TRUE(
      op_gradients_match("SparseDenseCwiseDiv", {indices, varied({3}), shape, varied({2, 1}, 0.5, 1)}));
  const Input unordered = fixed(Tensor::from<int64_t>(Shape{3, 2}, {1, 2, 0, 1, 1, 0}));
  EXPECT_TRUE(op_gradients_match("SparseReorder", {unordered, varied({3}), shape}, {}, {1}));
  const Input start = fixed(Tensor::vector<int64_t>({1, 0}));
  EXPECT_TRUE(op_gradients_match(
      "SparseSlice", {indices, varied({3}), shape, start, fixed(Tensor::vector<int64_t>({1, 3}))}, {}, {1}));
  const Input other = fixed(Tensor::from<int64_t>(Shape{2, 2}, {0, 1, 1, 1}));
  EXPECT_TRUE(op_gradients_match(
      "SparseAdd", {indices, varied({3}), shape, other, varied({2}), shape, fixed(Tensor::scalar<double>(0))},
      {}, {1}));
  const Input rows = fixed(Tensor::from<int64_t>(Shape{2, 2}, {0, 1, 2, 0})),
              tall = fixed(Tensor::vector<int64_t>({3, 2}));
  EXPECT_TRUE(op_gradients_match("SparseFillEmptyRows", {rows, varied({2}), tall, varied({})}, {}, {1}));
  EXPECT_TRUE(gradients_match({varied({3}), varied({2})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
    const std::vector<Out> at{b.constant(indices.value), b.constant(other.value)};
    const std::vector<Out> shapes{b.constant(shape.value), b.constant(shape.value)};
    return std::vector<Out>{b.op("SparseConcat", {at, in, shapes}, {{"concat_dim", 1}})[1]};
  }));
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      const std::vector<int64_t> dense =
          tb ? std::vector<int64_t>{2, ta ? 2 : 3} : std::vector<int64_t>{ta ? 2 : 3, 2};
      for (DataType t : {DataType::kDouble, kComplex}) {
        EXPECT_TRUE(op_gradients_match("SparseTensorDenseMatMul",
                                       {indices, varied({3}, -1, 1, t), shape, varied(dense, -1, 1, t)},
                                       {{"adjoint_a", ta}, {"adjoint_b", tb}}))
            << ta << tb;
      }
    }
  }
}

}  // namespace
}  // namespace troupe::test
