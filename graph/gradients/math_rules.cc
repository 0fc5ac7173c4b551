// Products of matrices, and mathematics that is neither element-wise nor a reduction.

#include "graph/gradients/gradient_registry.h"

namespace troupe {
namespace {

/// A product of matrices with flags that turn the operands.
struct Product {
  const char* op;
  const char* turn_first;
  const char* turn_second;
  AttrMap attrs;

  Val operator()(Rule& r, Val a, bool turn_a, Val b, bool turn_b) const {
    AttrMap all = attrs;
    all.set(turn_first, turn_a);
    all.set(turn_second, turn_b);
    return r.op(op, {a, b}, std::move(all));
  }
};

Val first_gradient(Rule& r, const Product& product, bool ta, bool tb, Val dy, Val b) {
  return ta ? product(r, b, tb, dy, true) : product(r, dy, false, b, !tb);
}

Val second_gradient(Rule& r, const Product& product, bool ta, bool tb, Val dy, Val a) {
  return tb ? product(r, dy, true, a, ta) : product(r, a, !ta, dy, false);
}

void mat_mul(Rule& r) {
  const bool ta = r.attr<bool>("transpose_a"), tb = r.attr<bool>("transpose_b");
  const Product product{"MatMul", "transpose_a", "transpose_b", {}};
  if (r.wants(0)) r.dx(0, first_gradient(r, product, ta, tb, r.dy(), conj(r.x(1))));
  if (r.wants(1)) r.dx(1, second_gradient(r, product, ta, tb, r.dy(), conj(r.x(0))));
}

void sparse_mat_mul(Rule& r) {
  const bool ta = r.attr<bool>("transpose_a"), tb = r.attr<bool>("transpose_b");
  const bool a_sparse = r.attr<bool>("a_is_sparse"), b_sparse = r.attr<bool>("b_is_sparse");
  auto product = [&](Val a, bool turn_a, bool sa, Val b, bool turn_b, bool sb, DataType type) {
    Val p =
        r.op("SparseMatMul", {a, b},
             {{"transpose_a", turn_a}, {"transpose_b", turn_b}, {"a_is_sparse", sa}, {"b_is_sparse", sb}});
    return r.scope().cast(p, type);
  };
  Val a = r.x(0), b = r.x(1), dy = r.dy();
  if (r.wants(0)) {
    r.dx(0, ta ? product(b, tb, b_sparse, dy, true, false, a.dtype())
               : product(dy, false, false, b, !tb, b_sparse, a.dtype()));
  }
  if (r.wants(1)) {
    r.dx(1, tb ? product(dy, true, false, a, ta, a_sparse, b.dtype())
               : product(a, !ta, a_sparse, dy, false, false, b.dtype()));
  }
}

void batch_mat_mul(Rule& r) {
  const bool ta = r.attr<bool>("adj_x"), tb = r.attr<bool>("adj_y");
  const Product product{"BatchMatMulV2", "adj_x", "adj_y", {}};
  Val a = r.x(0), b = r.x(1), dy = r.dy();
  // Of V3, operands and result may differ in type.
  const DataType type = r.y().dtype();
  GradientScope& scope = r.scope();
  if (r.wants(0)) {
    Val g = first_gradient(r, product, ta, tb, dy, scope.cast(b, type));
    r.dx(0, scope.cast(sum_batch_to_shape(g, a, b), a.dtype()));
  }
  if (r.wants(1)) {
    Val g = second_gradient(r, product, ta, tb, dy, scope.cast(a, type));
    r.dx(1, scope.cast(sum_batch_to_shape(g, b, a), b.dtype()));
  }
}

void cross(Rule& r) {
  if (r.wants(0)) r.dx(0, binary("Cross", conj(r.x(1)), r.dy()));
  if (r.wants(1)) r.dx(1, binary("Cross", r.dy(), conj(r.x(0))));
}

const RuleRow kRows[] = {
    {"MatMul", mat_mul},
    {"SparseMatMul", sparse_mat_mul},
    {"BatchMatMul", batch_mat_mul},
    {"BatchMatMulV2", batch_mat_mul},
    {"BatchMatMulV3", batch_mat_mul},
    {"Cross", cross},
    {"Bincount", nullptr},
};

}  // namespace

std::span<const RuleRow> math_rules() { return kRows; }

}  // namespace troupe
