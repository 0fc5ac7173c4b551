#include <Eigen/Core>
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/common/matmul/product_shapes.h"
#include "devices/cpu/kernels/shared/fused_ops.h"
#include "devices/cpu/primitives/gemm.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

template <class T>
class MatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("transpose_a", &transpose_a_)("transpose_b", &transpose_b_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(const ProductShape sizes,
                            product_shape(a.shape(), transpose_a_, b.shape(), transpose_b_));
    const auto [m, n, k] = sizes;
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{m, n}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    parallel_gemm<T>(context.parallel(), transpose_a_ ? MatrixOp::kTranspose : MatrixOp::kNone,
                     transpose_b_ ? MatrixOp::kTranspose : MatrixOp::kNone, m, n, k, a.flat<T>().data(),
                     b.flat<T>().data(), out->flat<T>().data());
    return absl::OkStatus();
  }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

/// _FusedMatMul: a product in float, then bias and activation.
template <class T>
class FusedMatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("transpose_a", &transpose_a_)("transpose_b", &transpose_b_); }
  absl::Status init(const KernelConstruction& c) {
    TROUPE_ASSIGN_OR_RETURN(fused_, FusedOps::make(c));
    return absl::OkStatus();
  }

  absl::Status compute(KernelContext& context) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(const ProductShape sizes,
                            product_shape(a.shape(), transpose_a_, b.shape(), transpose_b_));
    const auto [m, n, k] = sizes;
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{m, n}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    MatrixOp op_a = transpose_a_ ? MatrixOp::kTranspose : MatrixOp::kNone;
    MatrixOp op_b = transpose_b_ ? MatrixOp::kTranspose : MatrixOp::kNone;
    if constexpr (std::is_same_v<T, float>) {
      parallel_gemm<float>(context.parallel(), op_a, op_b, m, n, k, a.flat<float>().data(),
                           b.flat<float>().data(), out->flat<float>().data());
      return fused_.finish(context, 2, out);
    } else {
      TROUPE_ASSIGN_OR_RETURN(const std::vector<FusedOps::Arg> args, fused_.args(context, 2));
      std::vector<float> wide_a = to_floats(a), wide_b = to_floats(b), result(static_cast<size_t>(m * n));
      parallel_gemm<float>(context.parallel(), op_a, op_b, m, n, k, wide_a.data(), wide_b.data(),
                           result.data());
      TROUPE_RETURN_IF_ERROR(fused_.apply(context.parallel(), args, m, n, result.data()));
      std::span<T> to = out->flat<T>();
      for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<T>(result[i]);
      return absl::OkStatus();
    }
  }

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
  FusedOps fused_;
};

/// SparseMatMul: a dense product whose operands are float or bfloat16 each; the hints at zeros are not needed.
class SparseMatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("transpose_a", &transpose_a_)("transpose_b", &transpose_b_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    if (a.rank() != 2) return absl::InvalidArgumentError("a is not a matrix");
    if (b.rank() != 2) return absl::InvalidArgumentError("b is not a matrix");
    const int64_t m = a.dim(transpose_a_ ? 1 : 0), k = a.dim(transpose_a_ ? 0 : 1);
    const int64_t n = b.dim(transpose_b_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) {
      return absl::InvalidArgumentError(absl::StrCat("Matrix size incompatible: a: ", a.shape().to_string(),
                                                     ", b: ", b.shape().to_string()));
    }
    TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({{m, n}}));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    std::vector<float> wide_a, wide_b;
    const float* pa = floats(a, &wide_a);
    const float* pb = floats(b, &wide_b);
    parallel_gemm<float>(context.parallel(), transpose_a_ ? MatrixOp::kTranspose : MatrixOp::kNone,
                         transpose_b_ ? MatrixOp::kTranspose : MatrixOp::kNone, m, n, k, pa, pb,
                         out->flat<float>().data());
    return absl::OkStatus();
  }

 private:
  static const float* floats(const Tensor& t, std::vector<float>* store) {
    if (t.dtype() == DataType::kFloat) return t.flat<float>().data();
    *store = to_floats(t);
    return store->data();
  }
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

/// Which matrix of x and of y each product of a batch takes; empty when it is the one of its own number.
struct BatchIndices {
  std::vector<int64_t> x, y;
};

BatchIndices batch_indices(const BatchPlan& plan) {
  BatchIndices indices;
  if (!plan.repeats()) return indices;
  indices.x.resize(static_cast<size_t>(plan.batches));
  indices.y.resize(static_cast<size_t>(plan.batches));
  for (int64_t b = 0; b < plan.batches; ++b) {
    int64_t rest = b, xi = 0, yi = 0, x_stride = 1, y_stride = 1;
    for (size_t i = plan.x_dims.size(); i-- > 0;) {
      const int64_t size = plan.out.dim(static_cast<int>(i)), at = rest % size;
      rest /= size;
      if (plan.x_dims[i] != 1) xi += at * x_stride;
      if (plan.y_dims[i] != 1) yi += at * y_stride;
      x_stride *= plan.x_dims[i];
      y_stride *= plan.y_dims[i];
    }
    indices.x[static_cast<size_t>(b)] = xi;
    indices.y[static_cast<size_t>(b)] = yi;
  }
  return indices;
}

template <class T>
void run_batches(ParallelRunner& runner, const BatchPlan& p, MatrixOp op_x, MatrixOp op_y, const T* x,
                 const T* y, T* out) {
  if (p.batches == 0 || p.m == 0 || p.n == 0) return;
  const BatchIndices indices = batch_indices(p);
  auto one = [&](int64_t b, bool parallel) {
    const auto i = static_cast<size_t>(b);
    const T* xb = x + (indices.x.empty() ? b : indices.x[i]) * p.m * p.k;
    const T* yb = y + (indices.y.empty() ? b : indices.y[i]) * p.k * p.n;
    T* to = out + b * p.m * p.n;
    if (parallel) {
      parallel_gemm<T>(runner, op_x, op_y, p.m, p.n, p.k, xb, yb, to);
    } else {
      gemm<T>(op_x, op_y, p.m, p.n, p.k, xb, yb, to);
    }
  };
  if (p.batches == 1) return one(0, true);
  // About 10 multiplications a nanosecond for products of the usual sizes, and a call costs some 300 ns.
  const double cost =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) / 10 + 300;
  runner.parallel_for(p.batches, static_cast<int64_t>(std::min(cost, 1e12)), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) one(b, false);
  });
}

template <class T, bool kBroadcasts>
class BatchMatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("adj_x", &adj_x_)("adj_y", &adj_y_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& x = context.input(0);
    const Tensor& y = context.input(1);
    TROUPE_ASSIGN_OR_RETURN(BatchPlan plan, plan_batches(x.shape(), y.shape(), adj_x_, adj_y_, kBroadcasts));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.out));
    run_batches<T>(context.parallel(), plan, adj_x_ ? MatrixOp::kAdjoint : MatrixOp::kNone,
                   adj_y_ ? MatrixOp::kAdjoint : MatrixOp::kNone, x.flat<T>().data(), y.flat<T>().data(),
                   out->flat<T>().data());
    return absl::OkStatus();
  }

 private:
  bool adj_x_ = false;
  bool adj_y_ = false;
};

template <class To, class From>
void convert(const Tensor& t, std::vector<To>* out) {
  auto from = t.flat<From>();
  out->resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) (*out)[i] = static_cast<To>(from[i]);
}

template <class To>
void convert_any(const Tensor& t, std::vector<To>* out) {
  switch (t.dtype()) {
    case DataType::kInt8: return convert<To, int8_t>(t, out);
    case DataType::kUint8: return convert<To, uint8_t>(t, out);
    default:
      if constexpr (std::is_same_v<To, float>) return convert<To, Eigen::bfloat16>(t, out);
  }
}

/// BatchMatMulV3 with operands of different dtypes: 8-bit integers against each other or against bfloat16. Sums in
/// Wide (int32 or float).
template <class Wide, class Tout>
class MixedBatchMatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("adj_x", &adj_x_)("adj_y", &adj_y_); }

  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(BatchPlan plan, plan_batches(context.input(0).shape(), context.input(1).shape(),
                                                         adj_x_, adj_y_, true));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.out));
    std::vector<Wide> x, y, wide(static_cast<size_t>(plan.out.num_elements()));
    convert_any<Wide>(context.input(0), &x);
    convert_any<Wide>(context.input(1), &y);
    run_batches<Wide>(context.parallel(), plan, adj_x_ ? MatrixOp::kAdjoint : MatrixOp::kNone,
                      adj_y_ ? MatrixOp::kAdjoint : MatrixOp::kNone, x.data(), y.data(), wide.data());
    std::span<Tout> to = out->flat<Tout>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<Tout>(wide[i]);
    return absl::OkStatus();
  }

 private:
  bool adj_x_ = false;
  bool adj_y_ = false;
};

template <class T>
void register_products(KernelRegistry* r) {
  r->add(KernelDef("MatMul").type<T>("T").template kernel<MatMulKernel<T>>());
  r->add(KernelDef("BatchMatMul").type<T>("T").template kernel<BatchMatMulKernel<T, false>>());
  r->add(KernelDef("BatchMatMulV2").type<T>("T").template kernel<BatchMatMulKernel<T, true>>());
  r->add(KernelDef("BatchMatMulV3")
             .type<T>("Ta")
             .template type<T>("Tb")
             .template type<T>("Tout")
             .template kernel<BatchMatMulKernel<T, true>>());
}

}  // namespace

void register_matmul_products(KernelRegistry* r) {
  register_products<float>(r);
  register_products<double>(r);
  register_products<int16_t>(r);
  register_products<int32_t>(r);
  register_products<int64_t>(r);
  register_products<std::complex<float>>(r);
  register_products<std::complex<double>>(r);
  register_products<Eigen::half>(r);
  register_products<Eigen::bfloat16>(r);
  const std::vector<DataType> bytes = {DataType::kInt8, DataType::kUint8};
  r->add(KernelDef("BatchMatMulV3")
             .types("Ta", bytes)
             .types("Tb", bytes)
             .type<int32_t>("Tout")
             .kernel<MixedBatchMatMulKernel<int32_t, int32_t>>());
  r->add(KernelDef("BatchMatMulV3")
             .types("Ta", bytes)
             .type<Eigen::bfloat16>("Tb")
             .type<Eigen::bfloat16>("Tout")
             .kernel<MixedBatchMatMulKernel<float, Eigen::bfloat16>>());
  r->add(KernelDef("BatchMatMulV3")
             .type<Eigen::bfloat16>("Ta")
             .types("Tb", bytes)
             .type<Eigen::bfloat16>("Tout")
             .kernel<MixedBatchMatMulKernel<float, Eigen::bfloat16>>());
  r->add(KernelDef("_FusedMatMul").type<float>("T").kernel<FusedMatMulKernel<float>>());
  r->add(KernelDef("_FusedMatMul").type<Eigen::half>("T").kernel<FusedMatMulKernel<Eigen::half>>());
  r->add(KernelDef("_FusedMatMul").type<Eigen::bfloat16>("T").kernel<FusedMatMulKernel<Eigen::bfloat16>>());
  const std::vector<DataType> sparse = {DataType::kFloat, DataType::kBfloat16};
  r->add(KernelDef("SparseMatMul").types("Ta", sparse).types("Tb", sparse).kernel<SparseMatMulKernel>());
}

}  // namespace troupe
