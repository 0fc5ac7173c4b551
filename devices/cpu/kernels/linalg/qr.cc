// Qr.
#include <Eigen/QR>

#include "devices/cpu/kernels/linalg/matrices.h"

namespace troupe {
namespace {

class Qr final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("full_matrices", &full_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& input = context.input(0);
    TROUPE_ASSIGN_OR_RETURN(MatrixBatch batch, matrix_batch(input, 0, false));
    int64_t inner = full_ ? batch.rows : std::min(batch.rows, batch.cols);
    TROUPE_ASSIGN_OR_RETURN(Shape q_shape, checked_with_matrix(input, {batch.rows, inner}));
    TROUPE_ASSIGN_OR_RETURN(Shape r_shape, checked_with_matrix(input, {inner, batch.cols}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * q, context.allocate_output(0, q_shape));
    TROUPE_ASSIGN_OR_RETURN(Tensor * r, context.allocate_output(1, r_shape));
    return with_wide_type(input.dtype(), [&]<class S>(S*) -> absl::Status {
      for (int64_t b = 0; b < batch.count; ++b) {
        if (batch.rows == 0 || batch.cols == 0) {
          store_matrix<S>(Matrix<S>::Identity(batch.rows, inner), q, b);
          continue;
        }
        Eigen::HouseholderQR<Matrix<S>> qr(load_matrix<S>(input, b, batch.rows, batch.cols));
        Matrix<S> thin = qr.householderQ() * Matrix<S>::Identity(batch.rows, inner);
        Matrix<S> upper = qr.matrixQR().topRows(inner).template triangularView<Eigen::Upper>();
        store_matrix<S>(thin, q, b);
        store_matrix<S>(upper, r, b);
      }
      return absl::OkStatus();
    });
  }

 private:
  bool full_ = false;
};

}  // namespace

void register_linalg_qr(KernelRegistry* registry) {
  registry->add(KernelDef("Qr").types("T", with(linalg_types(), {DataType::kHalf})).kernel<Qr>());
}

}  // namespace troupe
