#include "actors/session.h"
#include "tests/actors/gradients/gradient_check.h"

namespace troupe::test {
namespace {

constexpr DataType kDouble = DataType::kDouble;
constexpr DataType kComplex = DataType::kComplex128;

/// Places of elements, in order, and the shape.
struct Pattern {
  Tensor indices;
  Tensor shape;
};

Pattern square() {
  return {Tensor::from<int64_t>(Shape{5, 2}, {0, 1, 0, 2, 1, 0, 2, 0, 2, 2}),
          Tensor::vector<int64_t>({3, 3})};
}

Pattern batch() {
  return {Tensor::from<int64_t>(Shape{4, 3}, {0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 2}),
          Tensor::vector<int64_t>({2, 2, 3})};
}

Out sparse(GraphBuilder& b, const Pattern& at, Out values) {
  return b.op("SparseTensorToCSRSparseMatrix", {b.constant(at.indices), values, b.constant(at.shape)});
}

Out dense(GraphBuilder& b, Out matrix, DataType type) {
  return b.op("CSRSparseMatrixToDense", {matrix}, {{"type", type}});
}

TEST(SparseMatrixGradients, of_conversions_agree_with_differences) {
  for (const Pattern& at : {square(), batch()}) {
    const int64_t count = at.indices.dim(0);
    EXPECT_TRUE(gradients_match({varied({count}, -1, 1, kComplex)}, [&](GraphBuilder& b,
                                                                        const std::vector<Out>& in) {
      return std::vector<Out>{b.op("Square", {dense(b, sparse(b, at, in[0]), kComplex)})};
    })) << "to dense";
    EXPECT_TRUE(gradients_match({varied({count})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
      const Out back = b.op("CSRSparseMatrixToSparseTensor", {sparse(b, at, in[0])}, {{"type", kDouble}});
      return std::vector<Out>{b.op("Square", {back[1]})};
    })) << "to a sparse tensor";
    for (bool conjugate : {false, true}) {
      EXPECT_TRUE(gradients_match({varied({count}, -1, 1, kComplex)},
                                  [&](GraphBuilder& b, const std::vector<Out>& in) {
                                    const Out turned = b.op("SparseMatrixTranspose", {sparse(b, at, in[0])},
                                                            {{"conjugate", conjugate}, {"type", kComplex}});
                                    return std::vector<Out>{b.op("Square", {dense(b, turned, kComplex)})};
                                  }))
          << "transposed, conjugate: " << conjugate;
    }
  }
  EXPECT_TRUE(gradients_match({varied({3, 3})}, [](GraphBuilder& b, const std::vector<Out>& in) {
    const Out matrix = b.op("DenseToCSRSparseMatrix", {in[0], b.constant(square().indices)});
    return std::vector<Out>{b.op("Square", {dense(b, matrix, kDouble)})};
  })) << "from dense: zeros where nothing was taken";
}

struct Flags {
  const char* name;
  bool transpose;
  bool adjoint;
};
constexpr Flags kTurns[] = {{"plain", false, false}, {"transposed", true, false}, {"adjoint", false, true}};

AttrMap turns(const Flags& a, const Flags& b) {
  return {{"transpose_a", a.transpose},
          {"adjoint_a", a.adjoint},
          {"transpose_b", b.transpose},
          {"adjoint_b", b.adjoint}};
}

TEST(SparseMatrixGradients, of_products_with_dense_ones_agree_with_differences) {
  for (const Flags& a : kTurns) {
    for (const Flags& b : kTurns) {
      for (int output = 0; output < 4; ++output) {
        AttrMap attrs = turns(a, b);
        attrs.set("transpose_output", output % 2 == 1);
        attrs.set("conjugate_output", output > 1);
        const bool turned = b.transpose || b.adjoint;
        const Input values = varied({5}, -1, 1, kComplex),
                    other = varied(turned ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{3, 2}, -1, 1,
                                   kComplex);
        EXPECT_TRUE(gradients_match(
            {values, other},
            [&](GraphBuilder& g, const std::vector<Out>& in) {
              return std::vector<Out>{g.op("SparseMatrixMatMul", {sparse(g, square(), in[0]), in[1]}, attrs)};
            }))
            << a.name << ", " << b.name << ", output " << output;
      }
    }
  }
}

TEST(SparseMatrixGradients, of_batches_of_products_agree_with_differences) {
  for (bool ta : {false, true}) {
    const AttrMap attrs{{"transpose_a", ta}, {"transpose_b", !ta}, {"transpose_output", ta}};
    const Input other = varied(ta ? std::vector<int64_t>{2, 2, 4} : std::vector<int64_t>{2, 4, 3});
    EXPECT_TRUE(gradients_match(
        {varied({4}), other},
        [&](GraphBuilder& g, const std::vector<Out>& in) {
          return std::vector<Out>{g.op("SparseMatrixMatMul", {sparse(g, batch(), in[0]), in[1]}, attrs)};
        }))
        << "dense, transposed: " << ta;
    EXPECT_TRUE(gradients_match({varied({4}), varied({4})},
                                [&](GraphBuilder& g, const std::vector<Out>& in) {
                                  const Out product =
                                      g.op("SparseMatrixSparseMatMul",
                                           {sparse(g, batch(), in[0]), sparse(g, batch(), in[1])},
                                           {{"transpose_a", ta}, {"transpose_b", !ta}, {"type", kDouble}});
                                  return std::vector<Out>{g.op("Square", {dense(g, product, kDouble)})};
                                }))
        << "sparse, transposed: " << ta;
  }
}

TEST(SparseMatrixGradients, of_sparse_products_agree_with_differences) {
  Pattern other = square();
  other.indices = Tensor::from<int64_t>(Shape{5, 2}, {0, 0, 0, 2, 1, 1, 2, 0, 2, 1});
  for (const Flags& a : kTurns) {
    for (const Flags& b : kTurns) {
      AttrMap attrs = turns(a, b);
      attrs.set("type", kComplex);
      EXPECT_TRUE(gradients_match({varied({5}, -1, 1, kComplex), varied({5}, -1, 1, kComplex)},
                                  [&](GraphBuilder& g, const std::vector<Out>& in) {
                                    const Out product =
                                        g.op("SparseMatrixSparseMatMul",
                                             {sparse(g, square(), in[0]), sparse(g, other, in[1])}, attrs);
                                    return std::vector<Out>{g.op("Square", {dense(g, product, kComplex)})};
                                  }))
          << a.name << ", " << b.name;
    }
  }
}

TEST(SparseMatrixGradients, are_zero_where_the_product_has_no_element) {
  // The second matrix is empty, and so is the product.
  const Pattern none{Tensor(DataType::kInt64, Shape{0, 2}), Tensor::vector<int64_t>({3, 3})};
  EXPECT_TRUE(gradients_match({varied({5})}, [&](GraphBuilder& g, const std::vector<Out>& in) {
    const Out empty = sparse(g, none, g.constant(Tensor(kDouble, Shape{0})));
    const Out product =
        g.op("SparseMatrixSparseMatMul", {sparse(g, square(), in[0]), empty}, {{"type", kDouble}});
    return std::vector<Out>{dense(g, product, kDouble)};
  }));
}

TEST(SparseMatrixGradients, of_a_matrix_used_twice_are_added) {
  EXPECT_TRUE(gradients_match({varied({5}), varied({3, 1})}, [](GraphBuilder& g, const std::vector<Out>& in) {
    const Out a = sparse(g, square(), in[0]);
    const Out once = g.op("SparseMatrixMatMul", {a, in[1]});
    return std::vector<Out>{g.op("SparseMatrixMatMul", {a, once}, {{"transpose_a", true}})};
  }));
}

TEST(IsotonicGradients, agree_with_differences) {
  const AttrMap attrs{{"output_dtype", kDouble}};
  const Tensor rows = Tensor::from<double>(Shape{2, 4}, {3.0, 1.0, 2.0, 1.8, 1.0, 2.0, 4.0, 3.5});
  EXPECT_TRUE(op_gradients_match("IsotonicRegression", {{true, rows}}, attrs, {0}));
  EXPECT_TRUE(op_gradients_match("IsotonicRegression", {varied({7})}, attrs, {0}));
  EXPECT_TRUE(op_gradients_match("IsotonicRegression", {varied({2, 0})}, attrs, {0}));
}

TEST(RaggedGatherGradients, agree_with_differences) {
  const Input outer = fixed(Tensor::vector<int64_t>({0, 1, 1, 3})),
              inner = fixed(Tensor::vector<int64_t>({0, 2, 3, 5}));
  auto gathered = [](std::vector<Out> splits, Out values, Out at, GraphBuilder& b) {
    const int last = static_cast<int>(splits.size());
    const Out y = b.op("RaggedGather", {std::move(splits), values, at}, {{"OUTPUT_RAGGED_RANK", last}});
    return std::vector<Out>{b.op("Square", {y[last]})};
  };
  const Tensor at = Tensor::vector<int32_t>({2, 0, 2, 1});
  EXPECT_TRUE(gradients_match({inner, varied({5, 2})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
    return gathered({in[0]}, in[1], b.constant(at), b);
  })) << "one level of rows, one of them twice";
  EXPECT_TRUE(gradients_match({outer, inner, varied({5})}, [&](GraphBuilder& b, const std::vector<Out>& in) {
    return gathered({in[0], in[1]}, in[2], b.constant(at), b);
  })) << "rows of rows";
}

}  // namespace
}  // namespace troupe::test
