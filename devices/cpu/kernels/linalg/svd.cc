// Svd.
#include <Eigen/SVD>
#include <limits>

#include "devices/cpu/kernels/linalg/matrices.h"

namespace troupe {
namespace {

class Svd final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("compute_uv", &vectors_)("full_matrices", &full_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, false));
    int64_t inner = std::min(batch.rows, batch.cols);
    Shape u_shape, v_shape;
    if (vectors_) {
      TROUPE_ASSIGN_OR_RETURN(u_shape, checked_with_matrix(input, {batch.rows, full_ ? batch.rows : inner}));
      TROUPE_ASSIGN_OR_RETURN(v_shape, checked_with_matrix(input, {batch.cols, full_ ? batch.cols : inner}));
    }
    TROUPE_ASSIGN_OR_RETURN(Tensor * s, context.allocate_output(0, with_matrix(input, {inner})));
    TROUPE_ASSIGN_OR_RETURN(Tensor * u,
                            vectors_ ? context.allocate_output(1, u_shape) : unused_output(context, 1));
    TROUPE_ASSIGN_OR_RETURN(Tensor * v,
                            vectors_ ? context.allocate_output(2, v_shape) : unused_output(context, 2));
    const unsigned full = Eigen::ComputeFullU | Eigen::ComputeFullV,
                   thin = Eigen::ComputeThinU | Eigen::ComputeThinV;
    const unsigned options = !vectors_ ? 0u : full_ ? full : thin;
    return with_wide_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
      for (int64_t b = 0; b < batch.count; ++b) {
        if (inner == 0) {
          if (vectors_) {
            store_matrix<S>(Matrix<S>::Identity(batch.rows, full_ ? batch.rows : 0), u, b);
            store_matrix<S>(Matrix<S>::Identity(batch.cols, full_ ? batch.cols : 0), v, b);
          }
          continue;
        }
        Matrix<S> m = load_matrix<S>(input, b, batch.rows, batch.cols);
        if (!m.allFinite()) {
          const S nan(std::numeric_limits<double>::quiet_NaN());
          store_matrix<S>(Matrix<S>::Constant(inner, 1, nan), s, b);
          if (vectors_) {
            store_matrix<S>(Matrix<S>::Constant(batch.rows, full_ ? batch.rows : inner, nan), u, b);
            store_matrix<S>(Matrix<S>::Constant(batch.cols, full_ ? batch.cols : inner, nan), v, b);
          }
          continue;
        }
        Eigen::BDCSVD<Matrix<S>> svd(m, options);
        store_matrix<S>(svd.singularValues().template cast<S>(), s, b);
        if (vectors_) {
          store_matrix<S>(svd.matrixU(), u, b);
          store_matrix<S>(svd.matrixV(), v, b);
        }
      }
      return absl::OkStatus();
    });
  }

 private:
  bool vectors_ = true;
  bool full_ = false;
};

}  // namespace

void register_linalg_svd(KernelRegistry* registry) {
  registry->add(KernelDef("Svd").types("T", linalg_types()).kernel<Svd>());
  registry->add(KernelDef("BatchSvd").types("T", linalg_types()).kernel<Svd>());
}

}  // namespace troupe
