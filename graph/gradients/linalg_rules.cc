// Inverses, solutions, decompositions of (batches of) matrices; Einsum; Fourier transforms.

#include <cstdlib>

#include "graph/gradients/einsum.h"
#include "graph/gradients/gradient_registry.h"
#include "graph/gradients/matrix_values.h"

namespace troupe {
namespace {

// ---- inverses and determinants ----

void inverse(Rule& r) {
  const bool adjoint = r.attr<bool>("adjoint");
  r.dx(0, -mat_mul(mat_mul(r.y(), r.dy(), !adjoint, adjoint), r.y(), false, !adjoint));
}

void determinant_like(Rule& r, Val weight) {
  Val inv = r.op("MatrixInverse", {r.x(0)}, {{"adjoint", true}});
  r.dx(0, as_matrices(weight) * inv);
}

void log_determinant(Rule& r) {
  if (r.has_dy(1)) determinant_like(r, r.dy(1));
}

void square_root(Rule& r) {
  // R dR + dR R = dA as one linear system of Kronecker products.
  GradientScope& scope = r.scope();
  Val root = r.y(), shape = unary("Shape", root);
  Val order = dim_of(shape, -1);
  Val batch = scope.op("StridedSlice", {shape, scope.ints({0}), scope.ints({-2}), scope.ints({1})},
                       {{"begin_mask", 1}});
  auto dims = [&](std::vector<Val> inner) {
    return scope.op("ConcatV2", {std::vector<Val>{batch, scope.op("Pack", {inner})}, scope.int_scalar(0)});
  };
  Val one = scope.int_scalar(1), all = order * order;
  auto kronecker = [&](Val a, Val b) {
    Val left = reshape(a, dims({order, one, order, one})), right = reshape(b, dims({one, order, one, order}));
    return reshape(left * right, dims({all, all}));
  };
  Val eye = identity_like(root);
  Val system = kronecker(eye, transposed(root)) + kronecker(root, eye);
  Val flat = reshape(transposed(r.dy()), dims({all, one}));
  Val solution = scope.op("MatrixSolve", {conj(system), flat});
  r.dx(0, transposed(reshape(solution, shape)));
}

void cholesky(Rule& r) {
  Val l = r.y();
  Val inv = r.op("MatrixTriangularSolve", {l, identity_like(l)}, {{"lower", true}});
  Val middle = mat_mul(l, r.dy(), true, false);
  middle = r.op("MatrixSetDiag", {middle, 0.5 * unary("MatrixDiagPart", middle)});
  middle = band(middle, -1, 0);
  Val g = mat_mul(mat_mul(inv, middle, true, false), inv);
  r.dx(0, 0.5 * (g + adjoint(g)));
}

// ---- systems of equations ----

/// How much a coefficient of the matrix counts, given the gradient of the right side.
Val coefficient_gradient(Rule& r, Val grad_b) {
  Val x = r.y();
  return r.attr<bool>("adjoint") ? -mat_mul(x, grad_b, false, true) : -mat_mul(grad_b, x, false, true);
}

void solve(Rule& r) {
  Val grad_b = r.op("MatrixSolve", {r.x(0), r.dy()}, {{"adjoint", !r.attr<bool>("adjoint")}});
  r.dx(1, grad_b);
  if (r.wants(0)) r.dx(0, coefficient_gradient(r, grad_b));
}

void triangular_solve(Rule& r) {
  const bool lower = r.attr<bool>("lower", true);
  Val grad_b = r.op("MatrixTriangularSolve", {r.x(0), r.dy()},
                    {{"lower", lower}, {"adjoint", !r.attr<bool>("adjoint")}});
  r.dx(1, sum_batch_to_shape(grad_b, r.x(1), r.x(0)));
  if (!r.wants(0)) return;
  Val g = coefficient_gradient(r, grad_b);
  r.dx(0, sum_batch_to_shape(lower ? band(g, -1, 0) : band(g, 0, -1), r.x(0), r.x(1)));
}

void banded_solve(Rule& r) {
  const bool lower = r.attr<bool>("lower", true);
  Val grad_b = r.op("BandedTriangularSolve", {r.x(0), r.dy()},
                    {{"lower", lower}, {"adjoint", !r.attr<bool>("adjoint")}});
  r.dx(1, sum_batch_to_shape(grad_b, r.x(1), r.x(0)));
  if (!r.wants(0)) return;
  Val bands = dim_of(unary("Shape", r.x(0)), -2), zero = r.int_scalar(0);
  std::vector<Val> k = lower ? std::vector<Val>{1 - bands, zero} : std::vector<Val>{zero, bands - 1};
  Val g = coefficient_gradient(r, grad_b);
  Val diagonals = r.op("MatrixDiagPartV3", {g, r.op("Pack", {k}), r.scalar(0)}, {{"align", "LEFT_RIGHT"}});
  r.dx(0, sum_batch_to_shape(diagonals, r.x(0), r.x(1)));
}

void least_squares(Rule& r) {
  if (!r.attr<bool>("fast", true)) return r.refuse("only for fast=true");
  const PartialShape shape = r.shape(r.x(0));
  const int rank = shape.rank();
  if (rank < 2 || shape.dim(rank - 1) < 0 || shape.dim(rank - 2) < 0) {
    return r.refuse("the matrix must have known dimensions");
  }
  Val a = r.x(0), b = r.x(1), x = r.y(), dy = r.dy();
  Val lambda = r.scope().cast(r.x(2), a.dtype());
  const bool tall = shape.dim(rank - 2) >= shape.dim(rank - 1);
  Val gram = tall ? mat_mul(a, a, true, false) : mat_mul(a, a, false, true);
  gram = gram + identity_like(gram) * lambda;
  auto solved = [&](Val right) { return r.op("MatrixSolve", {gram, right}); };
  if (tall) {
    Val z = solved(dy), xz = mat_mul(x, z, false, true);
    r.dx(0, mat_mul(b, z, false, true) - mat_mul(a, xz + adjoint(xz)));
    r.dx(1, mat_mul(a, z));
    return;
  }
  Val grad_b = solved(mat_mul(a, dy)), t = solved(b);
  Val rest = dy - mat_mul(a, grad_b, true, false);
  r.dx(0, mat_mul(t, rest, false, true) - mat_mul(grad_b, mat_mul(t, a, true, false)));
  r.dx(1, grad_b);
}

// ---- three diagonals ----

void tridiagonal_mat_mul(Rule& r) {
  auto column = [](Val diagonal) { return adjoint(diagonal); };
  Val dy = r.dy(), right = conj(r.x(3));
  auto row = [&](Val v) {
    return r.op("ExpandDims", {reduce_sum(v * dy, r.int_scalar(-1)), r.int_scalar(-2)});
  };
  r.dx(0, row(shift_rows_up(right)));
  r.dx(1, row(right));
  r.dx(2, row(shift_rows_down(right)));
  if (!r.wants(3)) return;
  r.dx(3, shift_rows_down(column(r.x(0)) * dy) + column(r.x(1)) * dy + shift_rows_up(column(r.x(2)) * dy));
}

void tridiagonal_solve(Rule& r) {
  // Diagonals as rows: above, main, below.
  Val d = conj(r.x(0));
  auto row = [&](int i) { return rows_of(d, i, i + 1); };
  auto left = [&](Val v) { return transposed(shift_rows_up(transposed(v))); };
  auto right = [&](Val v) { return transposed(shift_rows_down(transposed(v))); };
  Val turned = r.op("ConcatV2", {std::vector<Val>{left(row(2)), row(1), right(row(0))}, r.int_scalar(-2)});
  Val grad_b = r.op("TridiagonalSolve", {turned, r.dy()}, r.attrs({"partial_pivoting", "perturb_singular"}));
  r.dx(1, grad_b);
  if (!r.wants(0)) return;
  Val x = conj(r.y());
  auto diagonal = [&](Val v) { return reduce_sum(grad_b * v, r.int_scalar(-1)); };
  std::vector<Val> three{diagonal(shift_rows_up(x)), diagonal(x), diagonal(shift_rows_down(x))};
  r.dx(0, -r.op("Pack", {three}, {{"axis", -2}}));
}

// ---- decompositions ----

/// 1 / x that stays finite where values meet.
Val safe_reciprocal(Val x) { return x * unary("Reciprocal", x * x + 1e-20); }

/// 1 / (e_j - e_i) off the diagonal, 0 on it.
Val differences(Rule& r, Val e) {
  Val gap = r.op("ExpandDims", {e, r.int_scalar(-2)}) - r.op("ExpandDims", {e, r.int_scalar(-1)});
  return r.op("MatrixSetDiag", {safe_reciprocal(gap), zeros_like(e)});
}

void self_adjoint_eig(Rule& r) {
  const DataType type = r.x(0).dtype();
  Val v = r.y(1);
  if (!r.attr<bool>("compute_v", true)) v = r.op("SelfAdjointEigV2", {r.x(0)}, {{"compute_v", true}})[1];
  Val middle = unary("MatrixDiag", r.scope().cast(r.dy(0), type));
  if (r.attr<bool>("compute_v", true) && r.has_dy(1)) {
    middle = middle + differences(r, r.scope().cast(r.y(0), type)) * mat_mul(v, r.dy(1), true, false);
  }
  Val g = mat_mul(v, mat_mul(middle, v, false, true));
  // The op looks at the lower triangle only.
  g = band(g + adjoint(g), -1, 0);
  r.dx(0, r.op("MatrixSetDiag", {g, 0.5 * unary("MatrixDiagPart", g)}));
}

void eig(Rule& r) {
  const bool vectors = r.attr<bool>("compute_v", true);
  const DataType out = r.y(0).dtype();
  Val v = r.y(1);
  if (!vectors) v = r.op("Eig", {r.x(0)}, {{"compute_v", true}, {"Tout", out}})[1];
  Val vt = adjoint(v), middle = unary("MatrixDiag", r.dy(0));
  if (vectors && r.has_dy(1)) {
    Val vgv = mat_mul(vt, r.dy(1));
    Val real = r.scope().cast(r.op("Real", {vgv}, {{"Tout", real_type(out)}}), out);
    Val diagonal = unary("MatrixDiag", unary("MatrixDiagPart", real));
    middle = middle + conj(differences(r, r.y(0))) * (vgv - mat_mul(mat_mul(vt, v), diagonal));
  }
  Val g = r.op("MatrixSolve", {vt, mat_mul(middle, vt)});
  const DataType in = r.x(0).dtype();
  r.dx(0, is_complex(in) ? r.scope().cast(g, in) : r.op("Real", {g}, {{"Tout", in}}));
}

void svd(Rule& r) {
  const DataType type = r.x(0).dtype();
  GradientScope& scope = r.scope();
  Val ds = unary("MatrixDiag", scope.cast(r.dy(0), type));
  if (!r.attr<bool>("compute_uv", true)) {
    Val parts = r.op("Svd", {r.x(0)}, {{"compute_uv", true}, {"full_matrices", false}});
    return r.dx(0, mat_mul(parts[1], mat_mul(ds, parts[2], false, true)));
  }
  if (!r.has_dy(1) && !r.has_dy(2) && !r.attr<bool>("full_matrices")) {
    return r.dx(0, mat_mul(r.y(1), mat_mul(ds, r.y(2), false, true)));
  }
  const PartialShape shape = r.shape(r.x(0));
  const int rank = shape.rank();
  if (rank < 2 || shape.dim(rank - 1) < 0 || shape.dim(rank - 2) < 0) {
    return r.refuse("the matrix must have known dimensions");
  }
  int64_t m = shape.dim(rank - 2), n = shape.dim(rank - 1);
  const bool full = r.attr<bool>("full_matrices"), turn = m > n;
  if (full && std::abs(m - n) > 1) return r.refuse("full_matrices of a matrix that is far from square");
  Val u = r.y(1), v = r.y(2), du = r.dy(1), dv = r.dy(2);
  if (turn) {
    std::swap(m, n);
    std::swap(u, v);
    std::swap(du, dv);
  }
  Val s = scope.cast(r.y(0), type), s_mat = unary("MatrixDiag", s);
  Val f = differences(r, unary("Square", s)), s_inv = unary("MatrixDiag", safe_reciprocal(s));
  const int k = static_cast<int>(m);
  Val v1 = columns_of(v, 0, k), dv1 = columns_of(dv, 0, k);
  Val u_du = mat_mul(u, du, true, false), v_dv = mat_mul(v1, dv1, true, false);
  Val fu = f * u_du, fv = f * v_dv;
  Val core = ds + mat_mul(fu + adjoint(fu), s_mat) + mat_mul(s_mat, fv + adjoint(fv));
  Val g = mat_mul(u, mat_mul(core, v1, false, true));
  if (m != n) {
    Val dv1_h = adjoint(dv1);
    Val outside = dv1_h - mat_mul(mat_mul(dv1_h, v1), v1, false, true);
    if (full) {
      const int all = static_cast<int>(n);
      Val cross = mat_mul(v1, columns_of(dv, k, all), true, false);
      outside = outside - mat_mul(cross, columns_of(v, k, all), false, true);
    }
    g = g + mat_mul(mat_mul(u, s_inv), outside);
  }
  if (is_complex(type)) {
    Val l = unary("MatrixDiag", unary("MatrixDiagPart", v_dv));
    g = g + 0.5 * mat_mul(u, mat_mul(mat_mul(s_inv, adjoint(l) - l), v1, false, true));
  }
  r.dx(0, turn ? adjoint(g) : g);
}

/// For q of at least as many rows as r has columns.
Val qr_tall(Rule& rule, Val q, Val r, Val dq, Val dr) {
  auto over_r = [&](Val x) {
    return adjoint(rule.op("MatrixTriangularSolve", {r, adjoint(x)}, {{"lower", false}, {"adjoint", false}}));
  };
  Val qdq = mat_mul(q, dq, true, false), rdr = mat_mul(r, dr, false, true);
  Val lower = band(qdq - adjoint(qdq) + rdr - adjoint(rdr), -1, 0);
  Val g = mat_mul(q, dr + over_r(lower)) + over_r(dq - mat_mul(q, qdq));
  if (!is_complex(q.dtype())) return g;
  Val diagonal = unary("MatrixDiag", unary("MatrixDiagPart", rdr - adjoint(qdq)));
  Val real = rule.scope().cast(rule.op("Real", {diagonal}, {{"Tout", real_type(q.dtype())}}), q.dtype());
  return g + over_r(mat_mul(q, adjoint(diagonal - real)));
}

void qr(Rule& r) {
  const PartialShape shape = r.shape(r.x(0));
  const int rank = shape.rank();
  if (rank < 2 || shape.dim(rank - 1) < 0 || shape.dim(rank - 2) < 0) {
    return r.refuse("the matrix must have known dimensions");
  }
  const int m = static_cast<int>(shape.dim(rank - 2)), n = static_cast<int>(shape.dim(rank - 1));
  if (m > n && r.attr<bool>("full_matrices")) return r.refuse("full_matrices with more rows than columns");
  Val q = r.y(0), dq = r.dy(0), dr = r.dy(1);
  if (m >= n) return r.dx(0, qr_tall(r, q, r.y(1), dq, dr));
  // The first columns are a square of their own; the others follow from q.
  Val rest = columns_of(r.x(0), m, n), d_rest = columns_of(dr, m, n);
  Val square =
      qr_tall(r, q, columns_of(r.y(1), 0, m), dq + mat_mul(rest, d_rest, false, true), columns_of(dr, 0, m));
  r.dx(0, r.op("ConcatV2", {std::vector<Val>{square, mat_mul(q, d_rest)}, r.int_scalar(-1)}));
}

// ---- Fourier transforms over the last kRank dimensions ----

/// How many elements one transform has.
Val transform_size(Val x, int rank) {
  GradientScope& scope = *x.scope();
  Val inner =
      scope.op("StridedSlice", {unary("Shape", x), scope.ints({-rank}), scope.ints({0}), scope.ints({1})},
               {{"end_mask", 1}});
  return scope.op("Prod", {inner, scope.ints({0})});
}

void fft(Rule& r, const char* back, int rank, bool forward) {
  Val size = r.scope().cast(transform_size(r.dy(), rank), r.dy().dtype());
  Val g = unary(back, r.dy());
  r.dx(0, forward ? g * size : g / size);
}

/// `v` cut, or filled up with zeros, to `shape`.
Val fitted(Val v, Val shape) {
  GradientScope& scope = *v.scope();
  Val common = binary("Minimum", unary("Shape", v), shape), none = zeros_like(common);
  Val cut = scope.op("Slice", {v, none, common});
  return scope.op("Pad", {cut, scope.op("Pack", {std::vector<Val>{none, shape - common}}, {{"axis", 1}})});
}

/// A real transform is the complex one of which half is left out.
void rfft(Rule& r, const char* back, int rank) {
  GradientScope& scope = r.scope();
  Val dy = r.dy(), length = r.x(1);
  Val outer =
      scope.op("StridedSlice", {unary("Shape", dy), scope.ints({0}), scope.ints({-1}), scope.ints({1})},
               {{"begin_mask", 1}});
  Val last = scope.op("StridedSlice", {length, scope.ints({-1}), scope.ints({0}), scope.ints({1})},
                      {{"end_mask", 1}});
  Val whole = scope.op("ConcatV2", {std::vector<Val>{outer, last}, scope.int_scalar(0)});
  Val g = unary(back, fitted(dy, whole));
  g = scope.op("Real", {g}, {{"Tout", r.x(0).dtype()}});
  g = g * scope.cast(transform_size(g, rank), g.dtype());
  r.dx(0, fitted(g, unary("Shape", r.x(0))));
}

/// All but the first and, of an even length, the last one count twice.
void irfft(Rule& r, const char* forward, int rank) {
  GradientScope& scope = r.scope();
  Val dy = r.dy();
  const DataType type = r.x(0).dtype();
  Val g = r.op(forward, {dy, r.x(1)}, {{"Treal", dy.dtype()}, {"Tcomplex", type}});
  Val count = dim_of(unary("Shape", g), -1), length = dim_of(r.x(1), -1);
  Val odd = binary("FloorMod", length, scope.int_scalar(2));
  Val doubled = binary("Maximum", count - 2 + odd, scope.int_scalar(0));
  auto filled = [&](Val n, double v) { return r.op("Fill", {reshape(n, {1}), scope.scalar(dy.dtype(), v)}); };
  std::vector<Val> parts{filled(scope.int_scalar(1), 1), filled(doubled, 2), filled(1 - odd, 1)};
  Val weights = scope.op("ConcatV2", {parts, scope.int_scalar(0)});
  weights = scope.op("Slice", {weights, scope.ints({0}), reshape(count, {1})});
  weights = weights / scope.cast(transform_size(dy, rank), dy.dtype());
  r.dx(0, fitted(g * scope.cast(weights, type), unary("Shape", r.x(0))));
}

const RuleRow kRows[] = {
    {"MatrixInverse", inverse},
    {"BatchMatrixInverse", inverse},
    {"MatrixDeterminant", [](Rule& r) { determinant_like(r, r.dy() * conj(r.y())); }},
    {"BatchMatrixDeterminant", [](Rule& r) { determinant_like(r, r.dy() * conj(r.y())); }},
    {"LogMatrixDeterminant", log_determinant},
    {"MatrixSquareRoot", square_root},
    {"Cholesky", cholesky},
    {"BatchCholesky", cholesky},
    {"MatrixSolve", solve},
    {"BatchMatrixSolve", solve},
    {"MatrixTriangularSolve", triangular_solve},
    {"BatchMatrixTriangularSolve", triangular_solve},
    {"BandedTriangularSolve", banded_solve},
    {"MatrixSolveLs", least_squares},
    {"TridiagonalMatMul", tridiagonal_mat_mul},
    {"TridiagonalSolve", tridiagonal_solve},
    {"SelfAdjointEigV2", self_adjoint_eig},
    {"BatchSelfAdjointEigV2", self_adjoint_eig},
    {"Eig", eig},
    {"Svd", svd},
    {"Qr", qr},
    {"Einsum", einsum_rule},
    {"FFT", [](Rule& r) { fft(r, "IFFT", 1, true); }},
    {"FFT2D", [](Rule& r) { fft(r, "IFFT2D", 2, true); }},
    {"FFT3D", [](Rule& r) { fft(r, "IFFT3D", 3, true); }},
    {"IFFT", [](Rule& r) { fft(r, "FFT", 1, false); }},
    {"IFFT2D", [](Rule& r) { fft(r, "FFT2D", 2, false); }},
    {"IFFT3D", [](Rule& r) { fft(r, "FFT3D", 3, false); }},
    {"RFFT", [](Rule& r) { rfft(r, "IFFT", 1); }},
    {"RFFT2D", [](Rule& r) { rfft(r, "IFFT2D", 2); }},
    {"RFFT3D", [](Rule& r) { rfft(r, "IFFT3D", 3); }},
    {"IRFFT", [](Rule& r) { irfft(r, "RFFT", 1); }},
    {"IRFFT2D", [](Rule& r) { irfft(r, "RFFT2D", 2); }},
    {"IRFFT3D", [](Rule& r) { irfft(r, "RFFT3D", 3); }},
};

}  // namespace

std::span<const RuleRow> linalg_rules() { return kRows; }

}  // namespace troupe
