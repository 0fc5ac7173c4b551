// Sparse matrices in compressed rows (CSR), which travel as variants.

#include "graph/gradients/csr.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/gradients/matrix_values.h"

namespace troupe {
namespace {

/// Elements of a matrix as a sparse tensor: indices, values, shape.
struct Elements {
  Val indices, values, shape;
};

Elements elements_of(GradientScope& scope, Val matrix, DataType type) {
  Val indices = scope.op("CSRSparseMatrixToSparseTensor", {matrix}, {{"type", type}});
  return {indices, indices[1], indices[2]};
}

Val matrix_of(const Elements& e) {
  if (!e.values.valid()) return Val();
  return e.values.scope()->op("SparseTensorToCSRSparseMatrix", {e.indices, e.values, e.shape});
}

/// Element [.., r, c] of a matrix, or of a batch, as one number that grows along the rows.
Val positions(GradientScope& scope, const Elements& e) {
  Val strides = scope.op("Cumprod", {e.shape, scope.int_scalar(0)}, {{"exclusive", true}, {"reverse", true}});
  return reduce_sum(e.indices * strides, scope.ints({1}));
}

/// `matrix` with elements where `pattern` has them, zeros among them; others are dropped. Both are sorted.
Val on_pattern(GradientScope& scope, Val matrix, Val pattern, DataType type) {
  const Elements have = elements_of(scope, matrix, type), want = elements_of(scope, pattern, type);
  auto behind = [&](Val v, Val end) {
    return scope.op("ConcatV2", {std::vector<Val>{v, reshape(end, {1})}, scope.int_scalar(0)});
  };
  Val at = positions(scope, have), wanted = positions(scope, want);
  Val found = scope.op("LowerBound", {reshape(at, {1, -1}), reshape(wanted, {1, -1})},
                       {{"out_type", DataType::kInt32}});
  found = reshape(found, {-1});
  // What comes behind all elements is found where there is none.
  auto pick = [&](Val from) { return scope.op("GatherV2", {from, found, scope.int_scalar(0)}); };
  Val there = binary("Equal", pick(behind(at, scope.scalar(DataType::kInt64, -1))), wanted);
  Val values = pick(behind(have.values, scope.scalar(type, 0)));
  return matrix_of({want.indices, select(there, values, zeros_like(values)), want.shape});
}

void from_dense(Rule& r) {
  r.dx(0, r.op("CSRSparseMatrixToDense", {r.dy()}, {{"type", r.attr<DataType>("T")}}));
}

void to_dense(Rule& r) {
  Elements e = elements_of(r.scope(), r.x(0), r.attr<DataType>("type"));
  e.values = binary("GatherNd", r.dy(), e.indices);
  r.dx(0, matrix_of(e));
}

void from_sparse(Rule& r) { r.dx(1, elements_of(r.scope(), r.dy(), r.attr<DataType>("T")).values); }

void to_sparse(Rule& r) {
  if (r.has_dy(1)) r.dx(0, matrix_of({r.y(0), r.dy(1), r.y(2)}));
}

void transpose(Rule& r) { r.dx(0, r.op("SparseMatrixTranspose", {r.dy()}, r.attrs({"conjugate", "type"}))); }

/// What happens to an operand of a product.
enum class Turn { kNone, kTranspose, kAdjoint, kConjugate };

Turn turn_of(const Rule& r, const char* transpose, const char* adjoint) {
  if (r.attr<bool>(adjoint)) return Turn::kAdjoint;
  return r.attr<bool>(transpose) ? Turn::kTranspose : Turn::kNone;
}

Turn conjugated(Turn t) {
  switch (t) {
    case Turn::kNone: return Turn::kConjugate;
    case Turn::kTranspose: return Turn::kAdjoint;
    case Turn::kAdjoint: return Turn::kTranspose;
    default: return Turn::kNone;
  }
}

/// The adjoint of what was turned already.
Turn adjoint_of(Turn t) {
  switch (t) {
    case Turn::kNone: return Turn::kAdjoint;
    case Turn::kTranspose: return Turn::kConjugate;
    case Turn::kAdjoint: return Turn::kNone;
    default: return Turn::kTranspose;
  }
}

Val turned(Val dense, Turn t) {
  switch (t) {
    case Turn::kTranspose: return transposed(dense);
    case Turn::kAdjoint: return adjoint(dense);
    case Turn::kConjugate: return conj(dense);
    default: return dense;
  }
}

/// The gradient of C = turned(A) * turned(B) in A, where A has elements: products of rows of dC and columns of B.
void mat_mul_sparse_operand(Rule& r, Val dc, Turn turn_a, Turn turn_b) {
  Elements a = elements_of(r.scope(), r.x(0), r.x(1).dtype());
  auto columns = [&](int begin, int end, int mask) {
    return r.op("StridedSlice", {a.indices, r.ints({0, begin}), r.ints({0, end}), r.ints({1, 1})},
                {{"begin_mask", 1 | mask}, {"end_mask", 1 | (end == 0 ? 2 : 0)}});
  };
  // [batch, row] and [batch, column].
  Val row = columns(0, -1, 2);
  Val col = r.op("ConcatV2", {std::vector<Val>{columns(0, -2, 2), columns(-1, 0, 0)}, r.int_scalar(1)});
  if (turn_a != Turn::kNone) std::swap(row, col);
  Val left = binary("GatherNd", dc, row);
  Val right = binary("GatherNd", turned(r.x(1), turn_b), col);
  a.values = reduce_sum(left * conj(right), r.ints({1}));
  if (turn_a == Turn::kAdjoint) a.values = conj(a.values);
  r.dx(0, matrix_of(a));
}

void mat_mul_dense_operand(Rule& r, Val dc, Turn turn_a, Turn turn_b) {
  // conj(A) * dC is the conjugate of A * conj(dC).
  const bool around = turn_a == Turn::kTranspose;
  AttrMap attrs{{"adjoint_a", turn_a == Turn::kNone},
                {"transpose_output", turn_b != Turn::kNone},
                {"conjugate_output", around != (turn_b == Turn::kAdjoint)}};
  r.dx(1, r.op("SparseMatrixMatMul", {r.x(0), around ? conj(dc) : dc}, std::move(attrs)));
}

void mat_mul(Rule& r) {
  const Turn turn_a = turn_of(r, "transpose_a", "adjoint_a"), turn_b = turn_of(r, "transpose_b", "adjoint_b");
  Val dc = r.dy();
  if (r.attr<bool>("transpose_output")) dc = transposed(dc);
  if (r.attr<bool>("conjugate_output")) dc = conj(dc);
  if (r.wants(0)) mat_mul_sparse_operand(r, dc, turn_a, turn_b);
  if (r.wants(1)) mat_mul_dense_operand(r, dc, turn_a, turn_b);
}

struct Operand {
  Val matrix;
  Turn turn;
};

Val sparse_product(Rule& r, Operand a, Operand b) {
  const DataType type = r.attr<DataType>("type");
  AttrMap attrs{{"type", type}};
  auto prepare = [&](Operand& o, const char* transpose, const char* adjoint) {
    if (o.turn == Turn::kConjugate && is_complex(type)) {
      o = {r.op("SparseMatrixTranspose", {o.matrix}, {{"conjugate", true}, {"type", type}}),
           Turn::kTranspose};
    }
    attrs.set(transpose, o.turn == Turn::kTranspose);
    attrs.set(adjoint, o.turn == Turn::kAdjoint);
  };
  prepare(a, "transpose_a", "adjoint_a");
  prepare(b, "transpose_b", "adjoint_b");
  return r.op("SparseMatrixSparseMatMul", {a.matrix, b.matrix}, std::move(attrs));
}

void sparse_mat_mul(Rule& r) {
  const Turn turn_a = turn_of(r, "transpose_a", "adjoint_a"), turn_b = turn_of(r, "transpose_b", "adjoint_b");
  const Val a = r.x(0), b = r.x(1), dc = r.dy();
  const DataType type = r.attr<DataType>("type");
  if (r.wants(0)) {
    Val g;
    switch (turn_a) {
      case Turn::kTranspose: g = sparse_product(r, {b, conjugated(turn_b)}, {dc, Turn::kTranspose}); break;
      case Turn::kAdjoint: g = sparse_product(r, {b, turn_b}, {dc, Turn::kAdjoint}); break;
      default: g = sparse_product(r, {dc, Turn::kNone}, {b, adjoint_of(turn_b)});
    }
    r.dx(0, on_pattern(r.scope(), g, a, type));
  }
  if (r.wants(1)) {
    Val g;
    switch (turn_b) {
      case Turn::kTranspose: g = sparse_product(r, {dc, Turn::kTranspose}, {a, conjugated(turn_a)}); break;
      case Turn::kAdjoint: g = sparse_product(r, {dc, Turn::kAdjoint}, {a, turn_a}); break;
      default: g = sparse_product(r, {a, adjoint_of(turn_a)}, {dc, Turn::kNone});
    }
    r.dx(1, on_pattern(r.scope(), g, b, type));
  }
}

const RuleRow kRows[] = {
    {"DenseToCSRSparseMatrix", from_dense},         {"CSRSparseMatrixToDense", to_dense},
    {"SparseTensorToCSRSparseMatrix", from_sparse}, {"CSRSparseMatrixToSparseTensor", to_sparse},
    {"SparseMatrixTranspose", transpose},           {"SparseMatrixMatMul", mat_mul},
    {"SparseMatrixSparseMatMul", sparse_mat_mul},
};

}  // namespace

std::span<const RuleRow> csr_rules() { return kRows; }

DataType csr_type(const Node& node) {
  if (node.is("SparseTensorToCSRSparseMatrix") || node.is("DenseToCSRSparseMatrix"))
    return node.attrs.get_or<DataType>("T", DataType::kInvalid);
  if (node.is("SparseMatrixTranspose") || node.is("SparseMatrixSparseMatMul"))
    return node.attrs.get_or<DataType>("type", DataType::kInvalid);
  return DataType::kInvalid;
}

Val sum_csr(GradientScope& scope, Val matrix, DataType type, const std::vector<Val>& gradients) {
  Elements sum = elements_of(scope, matrix, type);
  std::vector<Val> values;
  for (Val g : gradients) values.push_back(elements_of(scope, g, type).values);
  sum.values = scope.op("AddN", {values});
  return matrix_of(sum);
}

}  // namespace troupe
