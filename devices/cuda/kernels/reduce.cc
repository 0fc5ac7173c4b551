// Sum and its like, and where the greatest and the least are.
#include "devices/cuda/kernels/reduce.h"

#include "devices/common/array_values.h"
#include "devices/common/reduce/reduce_plan.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/enqueue_fold.h"
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

/// int32 is folded on the host, where shapes are.
template <auto fold, int32_t first>
class HostReduction final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("keep_dims", &keep_dims_); }
  absl::Status compute(KernelContext& c) override {
    const Tensor& in = c.input(0);
    ReducePlan plan;
    TROUPE_RETURN_IF_ERROR(plan.init(in.shape(), c.input(1), keep_dims_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, allocate_host_output(c, 0, plan.output()));
    const int32_t* x = in.flat<int32_t>().data();
    const int64_t inner = plan.inner();
    int64_t at = 0;
    for (int32_t& y : out->flat<int32_t>()) {
      y = first;
      const int64_t kept = plan.inner_reduced() ? at : at / inner;
      const int32_t* row =
          x + ReducePlan::offset(plan.kept(), kept) + (plan.inner_reduced() ? 0 : at % inner);
      for (int64_t r = 0; r < plan.num_reduced(); ++r) {
        const int32_t* from = row + ReducePlan::offset(plan.reduced(), r);
        for (int64_t k = 0; k < (plan.inner_reduced() ? inner : 1); ++k) y = fold(y, from[k]);
      }
      ++at;
    }
    return absl::OkStatus();
  }

 private:
  bool keep_dims_ = false;
};

int32_t sum_of(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
int32_t product_of(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
int32_t greater_of(int32_t a, int32_t b) { return std::max(a, b); }
int32_t lesser_of(int32_t a, int32_t b) { return std::min(a, b); }

template <bool kMax>
absl::Status arg_best(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& dimension = c.input(1);
  if (dimension.rank() != 0) {
    return invalid("dim must be a scalar, but received tensor of shape: ", dimension.shape().to_string());
  }
  int64_t axis = int_at(dimension, 0);
  if (axis < -x.rank() || axis >= x.rank()) {
    return invalid("Expected dimension in the range [", -x.rank(), ", ", x.rank(), "), but got ", axis);
  }
  if (axis < 0) axis += x.rank();
  const int at = static_cast<int>(axis);
  if (x.dim(at) == 0) return invalid("Reduction axis ", axis, " is empty in shape ", x.shape().to_string());
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

template <class K>
void add_host(KernelRegistry* r, const char* op) {
  r->add(gpu(op, {DataType::kInt32}).host_memory({"input", "reduction_indices", "output"}).kernel<K>());
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
  add_host<HostReduction<sum_of, 0>>(r, "Sum");
  add_host<HostReduction<product_of, 1>>(r, "Prod");
  add_host<HostReduction<greater_of, INT32_MIN>>(r, "Max");
  add_host<HostReduction<lesser_of, INT32_MAX>>(r, "Min");
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
