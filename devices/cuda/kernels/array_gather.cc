// Gather, GatherV2, GatherNd, OneHot. Indices are on the GPU: one that is out of range, an error on the CPU, gives zeros.
#include "absl/strings/str_cat.h"
#include "devices/common/array/gather_plan.h"
#include "devices/cuda/kernels/array_parts.h"

namespace troupe {
namespace {

absl::Status gather(KernelContext& context, int64_t axis, int64_t batch_dims) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  TROUPE_ASSIGN_OR_RETURN(GatherPlan plan, plan_gather(params, indices, axis, batch_dims));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const auto [element, run] = widest_runs(params.dtype(), plan.run, {params.raw(), out->raw()});
  const int64_t n = out->num_elements() / plan.run * run;
  return enqueue(context, with_suffix(by_size("gather", element), indices.dtype()), n,
                 GatherArgs{plan.outer, plan.axis, plan.indices, run}, params.raw(), indices.raw(),
                 out->raw(), n);
}

absl::Status gather_v1(KernelContext& context) { return gather(context, 0, 0); }

class GatherV2 final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("batch_dims", &batch_dims_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& axis = context.input(2);
    if (!is_scalar(axis)) return invalid("axis must be scalar");
    const int64_t a = int_at(axis, 0);
    if (a > INT32_MAX || a < -INT32_MAX) return invalid("axis ", a, " is out of range");
    return gather(context, a, batch_dims_);
  }

 private:
  int64_t batch_dims_ = 0;
};

absl::Status gather_nd(KernelContext& context) {
  const Tensor& params = context.input(0);
  const Tensor& indices = context.input(1);
  TROUPE_ASSIGN_OR_RETURN(GatherPlan plan, plan_gather_nd(params, indices));
  IndexedDims dims = {};
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > IndexedDims::kMax)
    return absl::UnimplementedError(absl::StrCat("Gather from ", depth, " dimensions"));
  dims.rank = static_cast<int32_t>(depth);
  for (int i = 0; i < dims.rank; ++i) dims.sizes[i] = params.dim(i);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  const auto [element, run] = widest_runs(params.dtype(), plan.run, {params.raw(), out->raw()});
  const int64_t n = plan.indices * run;
  return enqueue(context, with_suffix(by_size("gather_nd", element), indices.dtype()), n, dims, params.raw(),
                 indices.raw(), out->raw(), int64_t{run}, n);
}

class OneHot final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("axis", &axis_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& indices = context.input(0);
    const Tensor& depth_tensor = context.input(1);
    const Tensor& on = context.input(2);
    const Tensor& off = context.input(3);
    const int rank = indices.rank();
    if (axis_ != -1 && (axis_ < 0 || axis_ > rank)) {
      return invalid("Expected axis to be -1 or between [0, ", rank + 1, ").  But received: ", axis_);
    }
    if (!is_scalar(depth_tensor))
      return invalid("depth must be a scalar, but got: ", depth_tensor.shape().to_string());
    if (!is_scalar(on)) return invalid("on_value must be a scalar, but got: ", on.shape().to_string());
    if (!is_scalar(off)) return invalid("off_value must be a scalar, but got: ", off.shape().to_string());
    const int64_t depth = int_at(depth_tensor, 0);
    if (depth < 0) return invalid("depth must be non-negative, got: ", depth);
    int64_t total = 0;
    if (rank >= Shape::kMaxRank || multiply_overflows(indices.num_elements(), depth, &total)) {
      return invalid("OneHot result would have shape ", indices.shape().to_string(), " + [", depth,
                     "], which exceeds 2**63 - 1 elements");
    }
    const int axis = axis_ == -1 ? rank : static_cast<int>(axis_);
    Shape shape = indices.shape();
    shape.insert_dim(axis, depth);
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
    return enqueue(context, with_suffix(by_size("one_hot", dtype_size(on.dtype())), indices.dtype()), total,
                   indices.raw(), on.raw(), off.raw(), out->raw(), depth,
                   count_dims(indices.shape(), axis, rank), total);
  }

 private:
  int64_t axis_ = -1;
};

}  // namespace

void register_cuda_array_gather(KernelRegistry* registry) {
  const std::vector<DataType> indices = with(index_types(), {DataType::kInt16});
  registry->add(KernelDef("Gather")
                    .device("GPU")
                    .types("Tparams", gpu_types_and_int32())
                    .types("Tindices", index_types())
                    .fn(gather_v1));
  registry->add(KernelDef("GatherV2")
                    .device("GPU")
                    .types("Tparams", gpu_types_and_int32())
                    .types("Tindices", indices)
                    .host_memory({"axis"})
                    .kernel<GatherV2>());
  registry->add(KernelDef("GatherNd")
                    .device("GPU")
                    .types("Tparams", gpu_types_and_int32())
                    .types("Tindices", indices)
                    .fn(gather_nd));
  registry->add(KernelDef("OneHot")
                    .device("GPU")
                    .types("T", gpu_types_and_int32())
                    .types("TI", {DataType::kUint8, DataType::kInt8, DataType::kInt32, DataType::kInt64})
                    .host_memory({"depth"})
                    .kernel<OneHot>());
}

}  // namespace troupe
