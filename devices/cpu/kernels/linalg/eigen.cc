// SelfAdjointEig, Eig.
#include <Eigen/Eigenvalues>

#include "devices/cpu/kernels/linalg/matrices.h"

namespace troupe {
namespace {

/// The solvers read the lower triangle only, and do not always notice what is not finite there.
template <class S>
bool lower_part_finite(const Matrix<S>& m) {
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    if (!m.row(i).head(i + 1).allFinite()) return false;
  }
  return true;
}

class SelfAdjointEigV2 final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("compute_v", &vectors_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
    TROUPE_ASSIGN_OR_RETURN(Tensor * e, context.allocate_output(0, with_matrix(input, {batch.rows})));
    TROUPE_ASSIGN_OR_RETURN(Tensor * v,
                            vectors_ ? context.allocate_output(1, input.shape()) : unused_output(context, 1));
    if (input.num_elements() == 0) return absl::OkStatus();
    return with_wide_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
      for (int64_t b = 0; b < batch.count; ++b) {
        const Matrix<S> m = load_matrix<S>(input, b, batch.rows, batch.cols);
        Eigen::SelfAdjointEigenSolver<Matrix<S>> solver(m, vectors_ ? Eigen::ComputeEigenvectors
                                                                    : Eigen::EigenvaluesOnly);
        if (solver.info() != Eigen::Success || !lower_part_finite(m)) {
          return invalid(
              "Self-adjoint eigen decomposition was not successful. The input might not be valid.");
        }
        store_matrix<S>(solver.eigenvalues().template cast<S>(), e, b);
        if (vectors_) store_matrix<S>(solver.eigenvectors(), v, b);
      }
      return absl::OkStatus();
    });
  }

 private:
  bool vectors_ = true;
};

/// The old form: eigenvalues in the first row, vectors below.
absl::Status self_adjoint_eig(KernelContext& context) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out,
                          context.allocate_output(0, with_matrix(input, {batch.rows + 1, batch.cols})));
  if (input.num_elements() == 0) return absl::OkStatus();
  for (int64_t b = 0; b < batch.count; ++b) {
    const Matrix<double> m = load_matrix<double>(input, b, batch.rows, batch.cols);
    Eigen::SelfAdjointEigenSolver<Matrix<double>> solver(m);
    if (solver.info() != Eigen::Success || !lower_part_finite(m)) {
      return invalid("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
    }
    Matrix<double> both(batch.rows + 1, batch.cols);
    both.row(0) = solver.eigenvalues().transpose();
    both.bottomRows(batch.rows) = solver.eigenvectors();
    store_matrix<double>(both, out, b);
  }
  return absl::OkStatus();
}

class Eig final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("compute_v", &vectors_); }
  absl::Status compute(KernelContext& context) override {
    const bool complex = is_complex(context.input(0).dtype());
    return complex ? solve<std::complex<double>, Eigen::ComplexEigenSolver>(context)
                   : solve<double, Eigen::EigenSolver>(context);
  }

 private:
  /// Each solver has its own order of eigenvalues; TensorFlow's is theirs.
  template <class S, template <class> class Solver>
  absl::Status solve(KernelContext& context) const {
    using Complex = std::complex<double>;
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, true));
    TROUPE_ASSIGN_OR_RETURN(Tensor * e, context.allocate_output(0, with_matrix(input, {batch.rows})));
    TROUPE_ASSIGN_OR_RETURN(Tensor * v,
                            vectors_ ? context.allocate_output(1, input.shape()) : unused_output(context, 1));
    if (input.num_elements() == 0) return absl::OkStatus();
    for (int64_t b = 0; b < batch.count; ++b) {
      const Matrix<S> m = load_matrix<S>(input, b, batch.rows, batch.cols);
      Solver<Matrix<S>> solver(m, vectors_);
      if (solver.info() != Eigen::Success || !m.allFinite()) {
        return invalid("Eigen decomposition was not successful. The input might not be valid.");
      }
      store_matrix<Complex>(solver.eigenvalues(), e, b);
      if (vectors_) store_matrix<Complex>(solver.eigenvectors(), v, b);
    }
    return absl::OkStatus();
  }

  bool vectors_ = true;
};

}  // namespace

void register_linalg_eigen(KernelRegistry* registry) {
  registry->add(KernelDef("SelfAdjointEigV2").types("T", linalg_types()).kernel<SelfAdjointEigV2>());
  registry->add(KernelDef("BatchSelfAdjointEigV2").types("T", linalg_types()).kernel<SelfAdjointEigV2>());
  for (const char* op : {"SelfAdjointEig", "BatchSelfAdjointEig"}) {
    registry->add(KernelDef(op).types("T", {DataType::kFloat, DataType::kDouble}).fn(self_adjoint_eig));
  }
  registry->add(KernelDef("Eig").types("T", linalg_types()).kernel<Eig>());
}

}  // namespace troupe
