#include <Eigen/Core>
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "devices/cpu/kernels/shared/fused_ops.h"
#include "devices/cpu/primitives/gemm.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

absl::Status sizes_differ(const Tensor& a, const Tensor& b, absl::string_view tail = "") {
  return absl::InvalidArgumentError(absl::StrCat("Matrix size-incompatible: In[0]: ", a.shape().to_string(),
                                                 ", In[1]: ", b.shape().to_string(), tail));
}

absl::Status check_matrices(const Tensor& a, const Tensor& b) {
  if (a.rank() != 2) return absl::InvalidArgumentError("In[0] ndims must be >= 2");
  if (b.rank() != 2) return absl::InvalidArgumentError("In[1] ndims must be >= 2");
  return absl::OkStatus();
}

template <class T>
class MatMulKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("transpose_a", &transpose_a_)("transpose_b", &transpose_b_); }

  absl::Status compute(KernelContext& context) override {
    const Tensor& a = context.input(0);
    const Tensor& b = context.input(1);
    TROUPE_RETURN_IF_ERROR(check_matrices(a, b));
    const int64_t m = a.dim(transpose_a_ ? 1 : 0), k = a.dim(transpose_a_ ? 0 : 1);
    const int64_t n = b.dim(transpose_b_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) return sizes_differ(a, b);
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
    TROUPE_RETURN_IF_ERROR(check_matrices(a, b));
    const int64_t m = a.dim(transpose_a_ ? 1 : 0), k = a.dim(transpose_a_ ? 0 : 1);
    const int64_t n = b.dim(transpose_b_ ? 0 : 1);
    if (k != b.dim(transpose_b_ ? 1 : 0)) return sizes_differ(a, b);
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

/// The extents of a batch of products, and where the operands of each lie.
struct BatchPlan {
  int64_t m, n, k, batches;
  Shape out;
  /// Index of the matrix of x and of y for each product; empty when it is the product's own index.
  std::vector<int64_t> x_index, y_index;
};

/// Fills in the batch dimensions of `plan` after NumPy's broadcasting rule. False when they do not fit.
bool broadcast_batches(const Shape& x, const Shape& y, BatchPlan* plan) {
  const int rank = std::max(x.rank(), y.rank()) - 2;
  std::vector<int64_t> xs(static_cast<size_t>(rank), 1), ys = xs, dims;
  for (int i = 0; i < rank; ++i) {
    const int xi = i - (rank - (x.rank() - 2)), yi = i - (rank - (y.rank() - 2));
    const auto s = static_cast<size_t>(i);
    xs[s] = xi < 0 ? 1 : x.dim(xi);
    ys[s] = yi < 0 ? 1 : y.dim(yi);
    if (xs[s] != ys[s] && xs[s] != 1 && ys[s] != 1) return false;
    dims.push_back(xs[s] == 1 ? ys[s] : xs[s]);
  }
  dims.push_back(plan->m);
  dims.push_back(plan->n);
  auto shape = Shape::make(dims);
  if (!shape.ok()) return false;
  plan->out = *std::move(shape);
  plan->batches = plan->out.num_elements(0, rank);
  if (xs == ys || plan->batches == 0) return true;
  plan->x_index.resize(static_cast<size_t>(plan->batches));
  plan->y_index.resize(static_cast<size_t>(plan->batches));
  for (int64_t b = 0; b < plan->batches; ++b) {
    int64_t rest = b, xi = 0, yi = 0, x_stride = 1, y_stride = 1;
    for (int i = rank - 1; i >= 0; --i) {
      const auto s = static_cast<size_t>(i);
      const int64_t at = rest % dims[s];
      rest /= dims[s];
      if (xs[s] != 1) xi += at * x_stride;
      if (ys[s] != 1) yi += at * y_stride;
      x_stride *= xs[s];
      y_stride *= ys[s];
    }
    plan->x_index[static_cast<size_t>(b)] = xi;
    plan->y_index[static_cast<size_t>(b)] = yi;
  }
  return true;
}

absl::StatusOr<BatchPlan> plan_batches(const Tensor& x, const Tensor& y, bool adj_x, bool adj_y,
                                       bool broadcasts) {
  std::string shapes_vs =
      absl::StrCat(x.shape().to_string(), broadcasts ? " vs. " : " vs ", y.shape().to_string());
  if (!broadcasts && x.rank() != y.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In[0] and In[1] has different ndims: ", x.shape().to_string(), " vs. ", y.shape().to_string()));
  }
  if (x.rank() < 2) return absl::InvalidArgumentError(absl::StrCat("In[0] ndims must be >= 2: ", x.rank()));
  if (y.rank() < 2) return absl::InvalidArgumentError(absl::StrCat("In[1] ndims must be >= 2: ", y.rank()));
  if (!broadcasts) {
    for (int i = 0; i + 2 < x.rank(); ++i) {
      if (x.dim(i) == y.dim(i)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("In[0].dim(", i, ") and In[1].dim(", i, ") must be the same: ", shapes_vs));
    }
  }
  BatchPlan plan{};
  const int xr = x.rank(), yr = y.rank();
  plan.m = x.dim(adj_x ? xr - 1 : xr - 2);
  plan.k = x.dim(adj_x ? xr - 2 : xr - 1);
  plan.n = y.dim(adj_y ? yr - 2 : yr - 1);
  if (!broadcast_batches(x.shape(), y.shape(), &plan)) {
    return absl::InvalidArgumentError(
        absl::StrCat("In[0] and In[1] must have compatible batch dimensions: ", shapes_vs));
  }
  if (plan.k != y.dim(adj_y ? yr - 1 : yr - 2)) {
    return sizes_differ(x, y, absl::StrCat(" ", adj_x ? 1 : 0, " ", adj_y ? 1 : 0));
  }
  return plan;
}

template <class T>
void run_batches(ParallelRunner& runner, const BatchPlan& p, MatrixOp op_x, MatrixOp op_y, const T* x,
                 const T* y, T* out) {
  if (p.batches == 0 || p.m == 0 || p.n == 0) return;
  auto one = [&](int64_t b, bool parallel) {
    const auto i = static_cast<size_t>(b);
    const T* xb = x + (p.x_index.empty() ? b : p.x_index[i]) * p.m * p.k;
    const T* yb = y + (p.y_index.empty() ? b : p.y_index[i]) * p.k * p.n;
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
    TROUPE_ASSIGN_OR_RETURN(BatchPlan plan, plan_batches(x, y, adj_x_, adj_y_, kBroadcasts));
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
    TROUPE_ASSIGN_OR_RETURN(BatchPlan plan,
                            plan_batches(context.input(0), context.input(1), adj_x_, adj_y_, true));
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
