// TridiagonalSolve, TridiagonalMatMul.
#include <cmath>
#include <limits>
#include <vector>

#include "devices/cpu/kernels/linalg/matrices.h"

namespace troupe {
namespace {

/// Gaussian elimination of a matrix of three diagonals, in place of `x`: its pivots, and what may be done
/// about zeros.
template <class S>
class TridiagonalElimination {
 public:
  using Real = typename Eigen::NumTraits<S>::Real;

  /// Pivots smaller than `perturbation` are moved away from 0 by as much; 0 leaves them.
  TridiagonalElimination(bool pivoting, Real perturbation)
      : pivoting_(pivoting), perturbation_(perturbation) {}

  /// Rows of `d`: superdiagonal, diagonal, subdiagonal. False when a pivot is 0.
  bool solve(const Matrix<S>& d, Matrix<S>* x) {
    const int64_t n = d.cols();
    // Row i of the triangular factor: u0 on the diagonal, u1 and u2 to the right of it.
    std::vector<S> u0(n), u1(n, S(0)), u2(n, S(0));
    u0[0] = d(1, 0);
    if (n > 1) u1[0] = d(0, 0);
    for (int64_t i = 0; i + 1 < n; ++i) {
      const S low = d(2, i + 1), next0 = d(1, i + 1), next1 = i + 2 < n ? d(0, i + 1) : S(0);
      if (!pivoting_ || std::abs(u0[i]) >= std::abs(low)) {
        if (!fix_pivot(&u0[i])) return false;
        const S factor = low / u0[i];
        u0[i + 1] = next0 - factor * u1[i];
        u1[i + 1] = next1;
        x->row(i + 1) -= factor * x->row(i);
      } else {
        const S factor = u0[i] / low;
        u0[i] = low;
        u0[i + 1] = u1[i] - factor * next0;
        u1[i] = next0;
        u2[i] = next1;
        u1[i + 1] = -factor * next1;
        x->row(i).swap(x->row(i + 1));
        x->row(i + 1) -= factor * x->row(i);
      }
    }
    if (!fix_pivot(&u0[n - 1])) return false;
    for (int64_t i = n - 1; i >= 0; --i) {
      if (i + 1 < n) x->row(i) -= u1[i] * x->row(i + 1);
      if (i + 2 < n) x->row(i) -= u2[i] * x->row(i + 2);
      x->row(i) /= u0[i];
    }
    return true;
  }

 private:
  bool fix_pivot(S* pivot) const {
    if (perturbation_ > 0 && std::abs(*pivot) <= perturbation_) {
      *pivot = Eigen::numext::real(*pivot) >= 0 ? S(perturbation_) : S(-perturbation_);
    }
    return *pivot != S(0);
  }

  bool pivoting_;
  Real perturbation_;
};

class TridiagonalSolve final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("partial_pivoting", &pivoting_)("perturb_singular", &perturb_); }
  absl::Status init(const KernelConstruction&) {
    if (perturb_ && !pivoting_) {
      return invalid("Setting perturb_singular requires also setting partial_pivoting.");
    }
    return absl::OkStatus();
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& diagonals = context.input(0);
    const Tensor& rhs = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch a, matrix_batch(diagonals, 0, false));
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch b, matrix_batch(rhs, 1, false));
    TROUPE_RETURN_IF_ERROR(same_batch(diagonals, rhs));
    if (a.rows != 3)
      return invalid("Expected diagonals to be provided as a matrix with 3 rows, got ", a.rows, " rows.");
    if (a.cols != b.rows) {
      return invalid("Expected the same number of left-hand sides and right-hand sides, got ", a.cols,
                     " and ", b.rows, ".");
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, rhs.shape()));
    if (rhs.num_elements() == 0) return absl::OkStatus();
    return with_own_type(rhs.dtype(), [&]<class S>(S*) -> absl::Status {
      using Real = typename Eigen::NumTraits<S>::Real;
      for (int64_t i = 0; i < a.count; ++i) {
        Matrix<S> d = load_matrix<S>(diagonals, i, 3, a.cols), x = load_matrix<S>(rhs, i, b.rows, b.cols);
        const Real perturbation =
            perturb_ ? std::numeric_limits<Real>::epsilon() * d.cwiseAbs().maxCoeff() : Real(0);
        if (!TridiagonalElimination<S>(pivoting_, perturbation).solve(d, &x)) {
          x.setConstant(S(std::numeric_limits<Real>::quiet_NaN()));
        }
        store_matrix<S>(x, out, i);
      }
      return absl::OkStatus();
    });
  }

 private:
  bool pivoting_ = true;
  bool perturb_ = false;
};

absl::Status tridiagonal_matmul(KernelContext& context) {
  const Tensor& rhs = context.input(3);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch b, matrix_batch(rhs, 3, false));
  for (int i = 0; i < 3; ++i) {
    TROUPE_RETURN_IF_ERROR(matrix_batch(context.input(i), i, false).status());
    TROUPE_RETURN_IF_ERROR(same_batch(context.input(i), rhs));
  }
  constexpr const char* kNames[] = {"superdiagonal", "maindiagonal", "subdiagonal"};
  for (int i = 0; i < 3; ++i) {
    const Tensor& d = context.input(i);
    if (d.dim(d.rank() - 2) != 1 || d.dim(d.rank() - 1) != b.rows)
      return invalid("Invalid ", kNames[i], " shape.");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, rhs.shape()));
  if (rhs.num_elements() == 0) return absl::OkStatus();
  return with_own_type(rhs.dtype(), [&]<class S>(S*) -> absl::Status {
    for (int64_t i = 0; i < b.count; ++i) {
      Matrix<S> x = load_matrix<S>(rhs, i, b.rows, b.cols), y(b.rows, b.cols);
      Matrix<S> super = load_matrix<S>(context.input(0), i, 1, b.rows),
                main = load_matrix<S>(context.input(1), i, 1, b.rows),
                sub = load_matrix<S>(context.input(2), i, 1, b.rows);
      for (int64_t r = 0; r < b.rows; ++r) {
        y.row(r) = main(0, r) * x.row(r);
        if (r > 0) y.row(r) += sub(0, r) * x.row(r - 1);
        if (r + 1 < b.rows) y.row(r) += super(0, r) * x.row(r + 1);
      }
      store_matrix<S>(y, out, i);
    }
    return absl::OkStatus();
  });
}

}  // namespace

void register_linalg_tridiagonal(KernelRegistry* registry) {
  registry->add(KernelDef("TridiagonalSolve").types("T", linalg_types()).kernel<TridiagonalSolve>());
  registry->add(KernelDef("TridiagonalMatMul").types("T", linalg_types()).fn(tridiagonal_matmul));
}

}  // namespace troupe
