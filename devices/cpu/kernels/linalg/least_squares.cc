// MatrixSolveLs.
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "devices/cpu/kernels/linalg/matrices.h"

namespace troupe {
namespace {

class MatrixSolveLs final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("fast", &fast_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& matrix = context.input(0);
    const Tensor& rhs = context.input(1);
    const Tensor& l2 = context.input(2);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch a, matrix_batch(matrix, 0, false));
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch b, matrix_batch(rhs, 1, false));
    if (!is_scalar(l2)) return invalid("l2_regularizer must be scalar, got shape ", l2.shape().to_string());
    double regularizer = l2.value<double>();
    if (!(regularizer >= 0)) return invalid("l2_regularizer must be >= 0.");
    TROUPE_RETURN_IF_ERROR(same_batch(matrix, rhs));
    if (a.rows != b.rows) return invalid("Input matrix and rhs are incompatible.");
    TROUPE_ASSIGN_OR_RETURN(Shape shape, checked_with_matrix(matrix, {a.cols, b.cols}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    if (shape.num_elements() == 0) return absl::OkStatus();
    if (a.rows == 0) {
      fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
      return absl::OkStatus();
    }
    if (fast_) {
      return with_own_type(matrix.dtype(), [&]<class S>(S*) -> absl::Status {
        for (int64_t i = 0; i < a.count; ++i) {
          Matrix<S> m = load_matrix<S>(matrix, i, a.rows, a.cols), y = load_matrix<S>(rhs, i, b.rows, b.cols),
                    x;
          if (!solve_normal<S>(m, y, regularizer, &x)) {
            return invalid(
                "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a "
                "larger "
                "l2_regularizer > 0.");
          }
          store_matrix<S>(x, out, i);
        }
        return absl::OkStatus();
      });
    }
    // The solution of least norm is unique, so that complex arithmetic serves real matrices too: one
    // instantiation.
    using S = std::complex<double>;
    for (int64_t i = 0; i < a.count; ++i) {
      Eigen::CompleteOrthogonalDecomposition<Matrix<S>> decomposition(
          load_matrix<S>(matrix, i, a.rows, a.cols));
      store_part(decomposition.solve(load_matrix<S>(rhs, i, b.rows, b.cols)), out, i);
    }
    return absl::OkStatus();
  }

 private:
  /// By the normal equations of the smaller side.
  template <class S>
  static bool solve_normal(const Matrix<S>& m, const Matrix<S>& y, double regularizer, Matrix<S>* x) {
    bool tall = m.rows() >= m.cols();
    Matrix<S> gram = tall ? Matrix<S>(m.adjoint() * m) : Matrix<S>(m * m.adjoint());
    gram.diagonal().array() += S(static_cast<typename Eigen::NumTraits<S>::Real>(regularizer));
    Eigen::LLT<Matrix<S>> llt(gram);
    if (llt.info() != Eigen::Success) return false;
    if (tall) {
      *x = llt.solve(m.adjoint() * y);
    } else {
      *x = m.adjoint() * llt.solve(y);
    }
    return true;
  }
  bool fast_ = true;
};

}  // namespace

void register_linalg_least_squares(KernelRegistry* registry) {
  registry->add(KernelDef("MatrixSolveLs").types("T", linalg_types()).kernel<MatrixSolveLs>());
  registry->add(KernelDef("BatchMatrixSolveLs")
                    .types("T", {DataType::kFloat, DataType::kDouble})
                    .kernel<MatrixSolveLs>());
}

}  // namespace troupe
