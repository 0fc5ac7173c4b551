// How GPUs sum and multiply in Einsum (devices/common/matmul/einsum.h).
#include "devices/common/array_values.h"
#include "devices/common/matmul/einsum.h"
#include "devices/cuda/kernels/enqueue_fold.h"
#include "devices/cuda/kernels/matmul_parts.h"
#include "devices/cuda/kernels/products.h"
#include "devices/cuda/kernels/strided_copy.h"

namespace troupe {
namespace {

class Einsum final : public EinsumKernel {
 public:
  Einsum() : EinsumKernel(enqueue_axes) {}

 private:
  absl::Status zero(KernelContext& context, Tensor* out) const override {
    return enqueue_zeros(context, out);
  }

  absl::Status sum(KernelContext& context, const EinsumOperand& o, const std::vector<int>& kept,
                   Tensor* out) const override {
    FoldPlan plan;
    for (const EinsumAxis& a : in_order(o.axes, kept))
      TROUPE_RETURN_IF_ERROR(add_dim(&plan.kept, a.size, a.stride));
    for (const EinsumAxis& a : o.axes) {
      if (!has_label(kept, a.label)) TROUPE_RETURN_IF_ERROR(add_dim(&plan.reduced, a.size, a.stride));
    }
    return enqueue_fold(context, "sum", o.data.dtype(), o.data.raw(), out->raw(), plan);
  }

  absl::Status multiply(KernelContext& context, const EinsumProduct& product, const Tensor& a,
                        const Tensor& b, Tensor* out) const override {
    MatrixProduct p;
    p.dtype = a.dtype();
    p.a = product.transpose_a ? MatrixForm::kTransposed : MatrixForm::kPlain;
    p.b = product.transpose_b ? MatrixForm::kTransposed : MatrixForm::kPlain;
    p.batch = product.batch;
    p.m = product.m;
    p.n = product.n;
    p.k = product.k;
    p.a_stride = p.m * p.k;
    p.b_stride = p.k * p.n;
    return enqueue_product(context, p, a.raw(), b.raw(), out->raw());
  }
};

}  // namespace

void register_cuda_einsum(KernelRegistry* registry) {
  registry->add(KernelDef("Einsum")
                    .device("GPU")
                    .types("T", {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16,
                                 DataType::kComplex64, DataType::kComplex128})
                    .kernel<Einsum>());
}

}  // namespace troupe
