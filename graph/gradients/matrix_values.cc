#include "graph/gradients/matrix_values.h"

#include "graph/gradients/arithmetic.h"

namespace troupe {
namespace {

/// [..., begin:end, :] or [..., begin:end]; the ends are left open where the bits of `open` say.
Val inner_slice(Val x, const std::vector<int>& begin, const std::vector<int>& end, int open_begin,
                int open_end) {
  if (!x.valid()) return x;
  GradientScope& scope = *x.scope();
  return scope.op("StridedSlice",
                  {x, scope.ints(begin), scope.ints(end), scope.ints(std::vector<int>(begin.size(), 1))},
                  {{"ellipsis_mask", 1}, {"begin_mask", open_begin}, {"end_mask", open_end}});
}

constexpr int kSecond = 2;
constexpr int kThird = 4;

/// The order of dimensions that exchanges the last two.
Val exchange(Val x) {
  GradientScope& scope = *x.scope();
  const PartialShape shape = scope.shape(x);
  if (shape.known_rank() && shape.rank() >= 2) {
    std::vector<int> order;
    for (int i = 0; i < shape.rank() - 2; ++i) order.push_back(i);
    order.insert(order.end(), {shape.rank() - 1, shape.rank() - 2});
    return scope.ints(order);
  }
  Val rank = unary("Rank", x);
  Val outer = scope.op("Range", {scope.int_scalar(0), rank - 2, scope.int_scalar(1)});
  Val inner = scope.op("Pack", {std::vector<Val>{rank - 1, rank - 2}});
  return scope.op("ConcatV2", {std::vector<Val>{outer, inner}, scope.int_scalar(0)});
}

}  // namespace

Val mat_mul(Val a, Val b, bool adjoint_a, bool adjoint_b) {
  if (!a.valid() || !b.valid()) return Val();
  return a.scope()->op("BatchMatMulV2", {a, b}, {{"adj_x", adjoint_a}, {"adj_y", adjoint_b}});
}

Val transposed(Val x) { return x.valid() ? binary("Transpose", x, exchange(x)) : x; }

Val adjoint(Val x) {
  if (!x.valid()) return x;
  return binary(is_complex(x.dtype()) ? "ConjugateTranspose" : "Transpose", x, exchange(x));
}

Val identity_like(Val x) {
  return x.valid() ? unary("MatrixDiag", unary("OnesLike", unary("MatrixDiagPart", x))) : x;
}

Val band(Val x, int lower, int upper) {
  return x.valid() ? x.scope()->op("MatrixBandPart",
                                   {x, x.scope()->int_scalar(lower), x.scope()->int_scalar(upper)})
                   : x;
}

Val rows_of(Val x, int begin, int end) { return inner_slice(x, {0, begin, 0}, {0, end, 0}, kThird, kThird); }
Val columns_of(Val x, int begin, int end) { return inner_slice(x, {0, begin}, {0, end}, 0, 0); }

Val shift_rows_up(Val x) {
  if (!x.valid()) return x;
  Val rest = inner_slice(x, {0, 1, 0}, {0, 0, 0}, kThird, kSecond | kThird);
  return x.scope()->op("ConcatV2",
                       {std::vector<Val>{rest, zeros_like(rows_of(x, 0, 1))}, x.scope()->int_scalar(-2)});
}

Val shift_rows_down(Val x) {
  if (!x.valid()) return x;
  Val rest = inner_slice(x, {0, 0, 0}, {0, -1, 0}, kSecond | kThird, kThird);
  return x.scope()->op("ConcatV2",
                       {std::vector<Val>{zeros_like(rows_of(x, 0, 1)), rest}, x.scope()->int_scalar(-2)});
}

Val as_matrices(Val x) {
  if (!x.valid()) return x;
  GradientScope& scope = *x.scope();
  return scope.op("ExpandDims", {scope.op("ExpandDims", {x, scope.int_scalar(-1)}), scope.int_scalar(-1)});
}

Val dim_of(Val shape, int i) {
  if (!shape.valid()) return shape;
  GradientScope& scope = *shape.scope();
  return scope.op("StridedSlice", {shape, scope.ints({i}), scope.ints({i + 1}), scope.ints({1})},
                  {{"shrink_axis_mask", 1}});
}

DataType real_type(DataType complex) {
  return complex == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
}

}  // namespace troupe
