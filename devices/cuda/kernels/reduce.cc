// Sum and its like, and where the greatest and the least are.
#include "devices/cuda/kernels/reduce.h"

#include "devices/common/array_values.h"
#include "devices/common/reduce/axis.h"
#include "devices/common/reduce/reduce_plan.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/enqueue_fold.h"
#include "devices/cuda/kernels/host_kernel.h"
#include "devices/cuda/kernels/reduce_parts.h"

namespace troupe {
namespace {

absl::StatusOr<FoldPlan> fold_plan_of(const ReducePlan& plan) {
  FoldPlan result;
  for (const ReducePlan::Dim& d : plan.kept())
    TROUPE_RETURN_IF_ERROR(add_dim(&result.kept, d.size, d.stride));
  for (const ReducePlan::Dim& d : plan.reduced()) {
    TROUPE_RETURN_IF_ERROR(add_dim(&result.reduced, d.size, d.stride));
  }
  TROUPE_RETURN_IF_ERROR(add_dim(plan.inner_reduced() ? &result.reduced : &result.kept, plan.inner(), 1));
  return result;
}

struct SumOp {
  static constexpr char kName[] = "sum";
  static constexpr FoldFinish kFinish = FoldFinish::kNone;
  /// The result of a single element is that element.
  static constexpr bool kKeepsSingles = true;
};
struct MeanOp : SumOp {
  static constexpr FoldFinish kFinish = FoldFinish::kMean;
};
struct NormOp : SumOp {
  static constexpr char kName[] = "squares";
  static constexpr FoldFinish kFinish = FoldFinish::kRoot;
  static constexpr bool kKeepsSingles = false;
};
struct ProductOp : SumOp {
  static constexpr char kName[] = "prod";
};
struct MaxOp : SumOp {
  static constexpr char kName[] = "max";
};
struct MinOp : SumOp {
  static constexpr char kName[] = "min";
};
struct AllOp : SumOp {
  static constexpr char kName[] = "all";
};
struct AnyOp : SumOp {
  static constexpr char kName[] = "any";
};

template <class Op>
class Reduction final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("keep_dims", &keep_dims_); }
  absl::Status compute(KernelContext& c) override {
    const Tensor& in = c.input(0);
    ReducePlan plan;
    TROUPE_RETURN_IF_ERROR(plan.init(in.shape(), c.input(1), keep_dims_));
    if (Op::kKeepsSingles && plan.identity()) {
      c.set_output(0, in.reshaped(plan.output()));
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(FoldPlan folds, fold_plan_of(plan));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, plan.output()));
    if (out->num_elements() == 0) return absl::OkStatus();
    return enqueue_fold(c, Op::kName, in.dtype(), in.raw(), out->raw(), folds, Op::kFinish);
  }

 private:
  bool keep_dims_ = false;
};

template <bool kMax>
absl::Status arg_best(KernelContext& c) {
  const Tensor& x = c.input(0);
  TROUPE_ASSIGN_OR_RETURN(const int at, arg_axis(x, c.input(1)));
  Shape shape = x.shape();
  shape.remove_dim(at);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, c.allocate_output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const int64_t length = x.dim(at), inner = count_dims(x.shape(), at + 1, x.rank());
  FoldPlan plan;
  TROUPE_RETURN_IF_ERROR(add_dim(&plan.kept, count_dims(x.shape(), 0, at), length * inner));
  TROUPE_RETURN_IF_ERROR(add_dim(&plan.kept, inner, 1));
  TROUPE_RETURN_IF_ERROR(add_dim(&plan.reduced, length, inner));
  const bool narrow = out->dtype() == DataType::kInt32;
  const char* op = kMax ? (narrow ? "argmax_to_int32" : "argmax") : (narrow ? "argmin_to_int32" : "argmin");
  return enqueue_fold(c, op, x.dtype(), x.raw(), out->raw(), plan);
}

KernelDef gpu(const char* op, std::vector<DataType> types) {
  return KernelDef(op).device("GPU").types("T", std::move(types)).types("Tidx", index_types());
}

}  // namespace

void register_cuda_reduce_kernels(KernelRegistry* r) {
  using D = DataType;
  const std::vector<D> floats = float_types();
  const std::vector<D> fields = with(floats, {D::kComplex64, D::kComplex128});
  const std::vector<std::string> on_host = {"reduction_indices"};
  r->add(gpu("Sum",
             with(fields, {D::kInt8, D::kUint8, D::kInt16, D::kUint16, D::kUint32, D::kInt64, D::kUint64}))
             .host_memory(on_host)
             .kernel<Reduction<SumOp>>());
  r->add(gpu("Mean", fields).host_memory(on_host).kernel<Reduction<MeanOp>>());
  r->add(gpu("Prod", fields).host_memory(on_host).kernel<Reduction<ProductOp>>());
  r->add(gpu("EuclideanNorm", fields).host_memory(on_host).kernel<Reduction<NormOp>>());
  r->add(gpu("Max", with(floats, {D::kInt64})).host_memory(on_host).kernel<Reduction<MaxOp>>());
  r->add(gpu("Min", with(floats, {D::kInt64})).host_memory(on_host).kernel<Reduction<MinOp>>());
  auto logic = [&](const char* op) {
    return KernelDef(op).device("GPU").types("Tidx", index_types()).host_memory(on_host);
  };
  r->add(logic("All").kernel<Reduction<AllOp>>());
  r->add(logic("Any").kernel<Reduction<AnyOp>>());
  // int32 is folded on the host, where shapes are.
  for (const char* op : {"Sum", "Prod", "Max", "Min"}) {
    add_host_kernel(r, gpu(op, {D::kInt32}).host_memory({"input", "reduction_indices", "output"}));
  }
  auto place = [&](const char* op, KernelFn fn) {
    r->add(gpu(op, with(floats, {D::kBool}))
               .types("output_type", index_types())
               .host_memory({"dimension"})
               .fn(fn));
  };
  place("ArgMax", arg_best<true>);
  place("ArgMin", arg_best<false>);
  register_cuda_scans(r);
  register_cuda_counts(r);
}

}  // namespace troupe
