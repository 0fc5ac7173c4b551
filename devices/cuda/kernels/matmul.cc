#include "devices/cuda/kernels/matmul.h"

#include "devices/common/matmul/product_shapes.h"
#include "devices/cuda/kernels/fused_steps.h"
#include "devices/cuda/kernels/matmul_parts.h"
#include "devices/cuda/kernels/products.h"

namespace troupe {
namespace {

MatrixForm transposed_if(bool transpose) { return transpose ? MatrixForm::kTransposed : MatrixForm::kPlain; }
MatrixForm adjoint_if(bool adjoint, DataType dtype) {
  if (!adjoint) return MatrixForm::kPlain;
  const bool complex = dtype == DataType::kComplex64 || dtype == DataType::kComplex128;
  return complex ? MatrixForm::kAdjoint : MatrixForm::kTransposed;
}

/// What MatMul and _FusedMatMul have in common.
struct MatMulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;

  absl::StatusOr<MatrixProduct> product(const Tensor& a, const Tensor& b) const {
    TROUPE_ASSIGN_OR_RETURN(const ProductShape sizes,
                            product_shape(a.shape(), transpose_a, b.shape(), transpose_b));
    MatrixProduct p;
    p.dtype = a.dtype();
    p.a = transposed_if(transpose_a);
    p.b = transposed_if(transpose_b);
    p.m = sizes.m;
    p.n = sizes.n;
    p.k = sizes.k;
    return p;
  }
};

class MatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("transpose_a", &attrs_.transpose_a)("transpose_b", &attrs_.transpose_b);
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor &a = context.input(0), &b = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(const MatrixProduct p, attrs_.product(a, b));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{p.m, p.n}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    return enqueue_product(context, p, a.raw(), b.raw(), out->raw());
  }

 private:
  MatMulAttrs attrs_;
};

/// _FusedMatMul: a product, then bias and activation.
class FusedMatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) {
    a("transpose_a", &attrs_.transpose_a)("transpose_b", &attrs_.transpose_b);
  }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(steps_, FusedSteps::make(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor &a = context.input(0), &b = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(const MatrixProduct p, attrs_.product(a, b));
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{p.m, p.n}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    const ProductEnd end = product_end(context, steps_, 2, p.n);
    TROUPE_ASSIGN_OR_RETURN(const bool done, enqueue_product(context, p, a.raw(), b.raw(), out->raw(), end));
    if (done && !end.none()) return absl::OkStatus();
    return enqueue_fused_steps(context, steps_, 2, true, *out);
  }

 private:
  MatMulAttrs attrs_;
  FusedSteps steps_;
};

/// How a batch of products is enqueued: the innermost batch dimensions along which both operands go on evenly as one call; the others,
/// which only broadcasting needs, one call each.
struct BatchWalk {
  struct Dim {
    int64_t size, x, y;
  };
  /// Matrices from one step to the next along a dimension; 0 where an operand repeats.
  std::vector<Dim> outer;
  Dim inner = {1, 0, 0};

  explicit BatchWalk(const BatchPlan& plan) {
    int64_t x = 1, y = 1;
    for (size_t i = plan.x_dims.size(); i-- > 0;) {
      const int64_t size = plan.out.dim(static_cast<int>(i));
      const Dim dim = {size, plan.x_dims[i] == 1 ? 0 : x, plan.y_dims[i] == 1 ? 0 : y};
      x *= plan.x_dims[i];
      y *= plan.y_dims[i];
      if (size == 1) continue;
      if (inner.size == 1) {
        inner = dim;
      } else if (outer.empty() && dim.x == inner.x * inner.size && dim.y == inner.y * inner.size) {
        inner.size *= size;
      } else {
        outer.insert(outer.begin(), dim);
      }
    }
  }

  /// Calls fn(number of the call, first matrix of x, first of y).
  template <class Fn>
  absl::Status each_call(Fn fn) const {
    int64_t calls = 1;
    for (const Dim& dim : outer) calls *= dim.size;
    for (int64_t call = 0; call < calls; ++call) {
      int64_t rest = call, x = 0, y = 0;
      for (size_t i = outer.size(); i-- > 0;) {
        x += rest % outer[i].size * outer[i].x;
        y += rest % outer[i].size * outer[i].y;
        rest /= outer[i].size;
      }
      TROUPE_RETURN_IF_ERROR(fn(call, x, y));
    }
    return absl::OkStatus();
  }
};

template <bool kBroadcasts>
class BatchMatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("adj_x", &adj_x_)("adj_y", &adj_y_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor &x = context.input(0), &y = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(const BatchPlan plan,
                            plan_batches(x.shape(), y.shape(), adj_x_, adj_y_, kBroadcasts));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.out));
    if (out->num_elements() == 0) return absl::OkStatus();
    const BatchWalk walk(plan);
    MatrixProduct p;
    p.dtype = x.dtype();
    p.a = adjoint_if(adj_x_, p.dtype);
    p.b = adjoint_if(adj_y_, p.dtype);
    p.m = plan.m;
    p.n = plan.n;
    p.k = plan.k;
    p.batch = walk.inner.size;
    p.a_stride = walk.inner.x * p.m * p.k;
    p.b_stride = walk.inner.y * p.k * p.n;
    const auto element = static_cast<int64_t>(dtype_size(p.dtype));
    const int64_t x_bytes = p.m * p.k * element, y_bytes = p.k * p.n * element,
                  out_bytes = p.batch * p.m * p.n * element;
    return walk.each_call([&](int64_t call, int64_t first_x, int64_t first_y) {
      return enqueue_product(context, p, static_cast<const char*>(x.raw()) + first_x * x_bytes,
                             static_cast<const char*>(y.raw()) + first_y * y_bytes,
                             static_cast<char*>(out->raw()) + call * out_bytes);
    });
  }

 private:
  bool adj_x_ = false;
  bool adj_y_ = false;
};

}  // namespace

void register_cuda_matmul_kernels(KernelRegistry* registry) {
  auto gpu = [](const char* op) { return KernelDef(op).device("GPU"); };
  for (DataType t : {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16,
                     DataType::kComplex64, DataType::kComplex128}) {
    registry->add(gpu("MatMul").types("T", {t}).kernel<MatMulKernel>());
    registry->add(gpu("BatchMatMul").types("T", {t}).kernel<BatchMatMulKernel<false>>());
    registry->add(gpu("BatchMatMulV2").types("T", {t}).kernel<BatchMatMulKernel<true>>());
    registry->add(gpu("BatchMatMulV3")
                      .types("Ta", {t})
                      .types("Tb", {t})
                      .types("Tout", {t})
                      .kernel<BatchMatMulKernel<true>>());
  }
  registry->add(gpu("_FusedMatMul")
                    .types("T", {DataType::kFloat, DataType::kHalf, DataType::kBfloat16})
                    .kernel<FusedMatMulKernel>());
  register_cuda_einsum(registry);
}

}  // namespace troupe
