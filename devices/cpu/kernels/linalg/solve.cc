// Inverses, determinants, linear systems, Cholesky.
#include "devices/cpu/kernels/linalg/matrices.h"
#include "devices/kernel_registry.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>

namespace troupe {
namespace {

/// Base of the kernels that have the attr adjoint.
class AdjointKernel : public Kernel {
 public:
  template <class K>
  static absl::StatusOr<std::unique_ptr<Kernel>> make(const KernelConstruction& c) {
    auto kernel = std::make_unique<K>();
    TROUPE_ASSIGN_OR_RETURN(kernel->adjoint_, c.attr<bool>("adjoint"));
    return kernel;
  }

 protected:
  bool adjoint_ = false;
};

template <class Scalar>
bool has_zero_pivot(const Eigen::PartialPivLU<Matrix<Scalar>>& lu) {
  return lu.matrixLU().rows() > 0 && !(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 0);
}

class MatrixInverse final : public AdjointKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<MatrixInverse>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
    if (input.num_elements() == 0) return absl::OkStatus();
    return with_own_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
      for (int64_t b = 0; b < batch.count; ++b) {
        Matrix<S> m = load_matrix<S>(input, b, batch.rows, batch.cols);
        if (adjoint_) m = m.adjoint().eval();
        Eigen::PartialPivLU<Matrix<S>> lu(m);
        if (has_zero_pivot(lu)) return invalid("Input is not invertible.");
        store_matrix<S>(lu.inverse(), out, b);
      }
      return absl::OkStatus();
    });
  }
};

/// The sign of a number, the phase of a complex one: NaN is kept, and 0 has none.
template <class Scalar>
Scalar phase_of(const Scalar& v) {
  if constexpr (Eigen::NumTraits<Scalar>::IsComplex) {
    return v == Scalar(0) ? v : v / std::abs(v);
  } else {
    return v == 0 || std::isnan(v) ? v : std::copysign(Scalar(1), v);
  }
}

/// Sign (or phase) and logarithm of the absolute value.
template <class Scalar>
std::pair<Scalar, typename Eigen::NumTraits<Scalar>::Real> log_determinant(const Matrix<Scalar>& m) {
  using Real = typename Eigen::NumTraits<Scalar>::Real;
  if (m.rows() == 0) return {Scalar(1), Real(0)};
  Eigen::PartialPivLU<Matrix<Scalar>> lu(m);
  Scalar sign(static_cast<Real>(lu.permutationP().determinant()));
  Real log = 0;
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const Scalar pivot = lu.matrixLU()(i, i);
    sign *= phase_of(pivot);
    log += std::log(std::abs(pivot));
  }
  return {sign, log};
}

absl::Status matrix_determinant(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, with_matrix(input, {})));
  return with_own_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
    for (int64_t b = 0; b < batch.count; ++b) {
      // A product of pivots would overflow on its way where the determinant does not.
      auto [sign, log] = log_determinant<S>(load_matrix<S>(input, b, batch.rows, batch.cols));
      Matrix<S> one(1, 1);
      one(0, 0) = sign * std::exp(log);
      store_matrix<S>(one, out, b);
    }
    return absl::OkStatus();
  });
}

absl::Status log_matrix_determinant(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
  TROUPE_ASSIGN_OR_RETURN(Tensor * sign, context.allocate_output(0, with_matrix(input, {})));
  TROUPE_ASSIGN_OR_RETURN(Tensor * log, context.allocate_output(1, with_matrix(input, {})));
  return with_own_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
    for (int64_t b = 0; b < batch.count; ++b) {
      auto [s, l] = log_determinant<S>(load_matrix<S>(input, b, batch.rows, batch.cols));
      Matrix<S> one(1, 1);
      one(0, 0) = s;
      store_matrix<S>(one, sign, b);
      using Real = typename Eigen::NumTraits<S>::Real;
      // An infinite complex number has no logarithm here, as in TensorFlow.
      if (Eigen::NumTraits<S>::IsComplex && l == std::numeric_limits<Real>::infinity())
        l = std::numeric_limits<Real>::quiet_NaN();
      one(0, 0) = S(l);
      store_matrix<S>(one, log, b);
    }
    return absl::OkStatus();
  });
}

class MatrixSolve final : public AdjointKernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const KernelConstruction& c) {
    return make<MatrixSolve>(c);
  }
  absl::Status compute(KernelContext& context) override {
    const Tensor& matrix = context.input(0);
    const Tensor& rhs = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch a, matrix_batch(matrix, 0, false));
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch b, matrix_batch(rhs, 1, false));
    TROUPE_RETURN_IF_ERROR(same_batch(matrix, rhs));
    if (a.rows != a.cols) return invalid("First input (lhs) must be a square matrix.");
    if (a.rows != b.rows) return invalid("Input matrix and rhs are incompatible.");
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, rhs.shape()));
    if (rhs.num_elements() == 0) return absl::OkStatus();
    return with_own_type(matrix.dtype(), [&]<class S>(S*) -> absl::Status {
      for (int64_t i = 0; i < a.count; ++i) {
        Matrix<S> m = load_matrix<S>(matrix, i, a.rows, a.cols);
        if (adjoint_) m = m.adjoint().eval();
        Eigen::PartialPivLU<Matrix<S>> lu(m);
        if (has_zero_pivot(lu)) return invalid("Input matrix is not invertible.");
        store_matrix<S>(lu.solve(load_matrix<S>(rhs, i, b.rows, b.cols)), out, i);
      }
      return absl::OkStatus();
    });
  }
};

absl::Status lu(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
  TROUPE_ASSIGN_OR_RETURN(Tensor * packed, context.allocate_output(0, input.shape()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * order, context.allocate_output(1, with_matrix(input, {batch.rows})));
  if (input.num_elements() == 0) return absl::OkStatus();
  return with_own_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
    for (int64_t b = 0; b < batch.count; ++b) {
      Eigen::PartialPivLU<Matrix<S>> result(load_matrix<S>(input, b, batch.rows, batch.cols));
      if (!(result.matrixLU().diagonal().cwiseAbs().minCoeff() > 0))
        return invalid("Input is not invertible.");
      store_matrix<S>(result.matrixLU(), packed, b);
      // Row i of L * U is row order[i] of the input.
      const auto& moved = result.permutationP().indices();
      for (int64_t i = 0; i < batch.rows; ++i) set_int(order, b * batch.rows + moved[i], i);
    }
    return absl::OkStatus();
  });
}

/// Not positive definite: NaN in the lower triangle, as TensorFlow gives.
absl::Status cholesky(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  if (input.num_elements() == 0) return absl::OkStatus();
  return with_own_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
    for (int64_t b = 0; b < batch.count; ++b) {
      Eigen::LLT<Matrix<S>> llt(load_matrix<S>(input, b, batch.rows, batch.cols));
      Matrix<S> lower = llt.matrixL();
      if (llt.info() != Eigen::Success) {
        lower.template triangularView<Eigen::Lower>().setConstant(
            S(std::numeric_limits<typename Eigen::NumTraits<S>::Real>::quiet_NaN()));
      }
      store_matrix<S>(lower, out, b);
    }
    return absl::OkStatus();
  });
}

/// Given A = L L', the gradient of A from that of L: sym(inv(L)' * phi(L' * dL) * inv(L)), where phi takes
/// the lower triangle with half the diagonal.
absl::Status cholesky_grad(KernelContext& context) {
  const Tensor& l = context.input(0);
  const Tensor& grad = context.input(1);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(l, 0, false));
  TROUPE_RETURN_IF_ERROR(matrix_batch(grad, 1, false).status());
  if (batch.rows != batch.cols) return invalid("Input matrix must be square.");
  if (!(l.shape() == grad.shape())) return invalid("Inputs (L and grad) must have the same shape.");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, l.shape()));
  if (l.num_elements() == 0) return absl::OkStatus();
  for (int64_t b = 0; b < batch.count; ++b) {
    Matrix<double> lower = load_matrix<double>(l, b, batch.rows, batch.cols).triangularView<Eigen::Lower>();
    Matrix<double> dl = load_matrix<double>(grad, b, batch.rows, batch.cols).triangularView<Eigen::Lower>();
    Matrix<double> phi = (lower.transpose() * dl).triangularView<Eigen::Lower>();
    phi.diagonal() *= 0.5;
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(phi);  // inv(L') * phi
    Matrix<double> right = phi.transpose();
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(right);  // (phi * inv(L))'
    Matrix<double> result = 0.5 * (right + right.transpose());
    store_matrix<double>(result, out, b);
  }
  return absl::OkStatus();
}

}  // namespace

void register_linalg_solve(KernelRegistry* registry) {
  auto with_half = with(linalg_types(), {DataType::kHalf});
  const std::vector<DataType> reals = {DataType::kFloat, DataType::kDouble};
  registry->add(KernelDef("MatrixInverse").types("T", with_half).kernel<MatrixInverse>());
  registry->add(
      KernelDef("BatchMatrixInverse").types("T", with(reals, {DataType::kHalf})).kernel<MatrixInverse>());
  for (const char* op : {"MatrixDeterminant", "BatchMatrixDeterminant"}) {
    registry->add(KernelDef(op).types("T", linalg_types()).fn(matrix_determinant));
  }
  registry->add(KernelDef("LogMatrixDeterminant").types("T", linalg_types()).fn(log_matrix_determinant));
  for (const char* op : {"MatrixSolve", "BatchMatrixSolve"}) {
    registry->add(KernelDef(op).types("T", linalg_types()).kernel<MatrixSolve>());
  }
  registry->add(KernelDef("Lu").types("T", linalg_types()).fn(lu));
  registry->add(KernelDef("Cholesky").types("T", linalg_types()).fn(cholesky));
  registry->add(KernelDef("BatchCholesky").types("T", reals).fn(cholesky));
  for (const char* op : {"CholeskyGrad", "BatchCholeskyGrad"}) {
    registry->add(KernelDef(op).types("T", reals).fn(cholesky_grad));
  }
}

}  // namespace troupe
