#include "devices/cuda/kernels/scatter.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/common/array/gather_plan.h"
#include "devices/common/array/scatter_shape.h"
#include "devices/common/array_values.h"
#include "devices/common/variable/variable.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/array_args.h"
#include "devices/cuda/kernels/array_scatter_nd.h"
#include "devices/cuda/kernels/in_place.h"

namespace troupe {
namespace {

const char* index_suffix(const Tensor& indices) {
  return indices.dtype() == DataType::kInt64 ? "_i64" : "_i32";
}

/// "add_f32"; of what only moves elements the size: "update_4".
std::string with_element(absl::string_view operation, bool moves, DataType dtype) {
  return moves ? absl::StrCat(operation, "_", dtype_size(dtype)) : with_suffix(operation, dtype);
}

/// An op that joins new values with old ones.
struct Combination {
  /// As ops' names have it, and as kernels' do.
  const char* op;
  const char* kernel;
  std::vector<DataType> types;
  bool moves = false;
};

absl::Status enqueue_rows(KernelContext& context, const Combination& how, const Tensor& indices,
                          const Tensor& updates, Tensor* target) {
  const int64_t run = count_dims(target->shape(), 1, target->rank());
  const int64_t n = indices.num_elements() * run;
  return enqueue(context, absl::StrCat("scatter_rows_", with_element(how.kernel, how.moves, target->dtype())),
                 n, target->raw(), updates.raw(), int64_t{updates.rank() == 0 ? 0 : 1}, indices.raw(),
                 int32_t{indices.dtype() == DataType::kInt64}, target->dim(0), run, n);
}

/// Writes to a variable, by reference or handle; updates are the last of three inputs.
class ScatterKernel final : public Kernel {
 public:
  ScatterKernel(Combination how, bool is_nd) : how_(std::move(how)), is_nd_(is_nd) {}

  absl::Status compute(KernelContext& context) override {
    if (is_ref(context.input_type(0))) {
      const std::shared_ptr<RefTensor>& ref = context.input_ref(0);
      if (ref == nullptr) return invalid(is_nd_ ? "ScatterNd" : "Scatter", " needs a variable");
      {
        std::lock_guard lock(ref->mu);
        if (!ref->tensor.initialized()) return uninitialized_ref(*ref);
        TROUPE_RETURN_IF_ERROR(write(context, false, &ref->tensor));
      }
      context.set_output_ref(0, ref);
      return absl::OkStatus();
    }
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    std::unique_lock lock(var->mu());
    if (is_nd_) {
      TROUPE_RETURN_IF_ERROR(check_readable(*var, context.input_type(2)));
    } else if (!var->locked().initialized()) {
      return absl::FailedPreconditionError("Resource variable is uninitialized.");
    }
    return write(context, true, var->locked_for_writing());
  }

 private:
  absl::Status write(KernelContext& context, bool is_resource, Tensor* target) const {
    const Tensor& indices = context.input(1);
    const Tensor& updates = context.input(2);
    TROUPE_RETURN_IF_ERROR(
        is_nd_ ? check_scatter_shapes(ScatterWording::kUpdate, indices, updates, target->shape())
               : check_row_scatter(is_resource, *target, indices, updates));
    TROUPE_ASSIGN_OR_RETURN(BadIndices policy, read_bad_indices_policy(context.node()));
    if (policy == BadIndices::kError)
      return invalid("ERROR bad_indices_policy is not supported on GPU devices.");
    TROUPE_RETURN_IF_ERROR(make_unique_on_gpu(context, target));
    return is_nd_ ? enqueue_scatter_nd(context, how_.kernel, indices, updates, target)
                  : enqueue_rows(context, how_, indices, updates, target);
  }

  const Combination how_;
  const bool is_nd_;
};

class ResourceGatherKernel final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("batch_dims", &batch_dims_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    const Tensor& indices = context.input(1);
    std::shared_lock lock(var->mu());
    TROUPE_RETURN_IF_ERROR(check_readable(*var, context.output_type(0)));
    const int64_t axis = batch_dims_ < 0 ? batch_dims_ + indices.rank() : batch_dims_;
    TROUPE_ASSIGN_OR_RETURN(GatherPlan plan, plan_gather(var->locked(), indices, axis, batch_dims_));
    TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
    return enqueue(context, absl::StrCat("gather_", dtype_size(out->dtype()), index_suffix(indices)),
                   out->num_elements(), GatherArgs{plan.outer, plan.axis, plan.indices, plan.run},
                   var->locked().raw(), indices.raw(), out->raw(), out->num_elements());
  }

 private:
  int64_t batch_dims_ = 0;
};

absl::Status resource_gather_nd(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
  const Tensor& indices = context.input(1);
  std::shared_lock lock(var->mu());
  TROUPE_RETURN_IF_ERROR(check_readable(*var, context.output_type(0)));
  const Tensor& params = var->locked();
  TROUPE_ASSIGN_OR_RETURN(GatherPlan plan, plan_gather_nd(params, indices));
  IndexedDims dims = {};
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > IndexedDims::kMax)
    return absl::UnimplementedError(absl::StrCat("Gather from ", depth, " dimensions"));
  dims.rank = static_cast<int32_t>(depth);
  for (int i = 0; i < dims.rank; ++i) dims.sizes[i] = params.dim(i);
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  return enqueue(context, absl::StrCat("gather_nd_", dtype_size(out->dtype()), index_suffix(indices)),
                 out->num_elements(), dims, params.raw(), indices.raw(), out->raw(), plan.run,
                 out->num_elements());
}

void add_scatter(KernelRegistry* registry, const std::string& op, const char* type_attr,
                 const Combination& how, bool is_nd, bool is_resource) {
  KernelDef def(op);
  def.device("GPU");
  def.constraints.emplace_back(type_attr, how.types);
  def.constraints.emplace_back("Tindices", index_types());
  if (is_resource) def.host_memory_args = {is_nd ? "ref" : "resource"};
  def.factory = [how, is_nd](const KernelConstruction&) -> absl::StatusOr<std::unique_ptr<Kernel>> {
    return std::make_unique<ScatterKernel>(how, is_nd);
  };
  registry->add(std::move(def));
}

}  // namespace

void register_cuda_scatter_kernels(KernelRegistry* registry) {
  using T = DataType;
  const std::vector<T> floats = float_types();
  const std::vector<T> numbers = with(floats, {T::kInt64});
  const std::vector<T> sums = with(numbers, {T::kComplex64, T::kComplex128});
  const Combination rows[] = {{"Update", "update", gpu_variable_types(), true},
                              {"Add", "add", sums},
                              {"Sub", "sub", numbers},
                              {"Mul", "mul", numbers},
                              {"Div", "div", floats},
                              {"Min", "min", numbers},
                              {"Max", "max", numbers}};
  for (const Combination& how : rows) {
    add_scatter(registry, absl::StrCat("Scatter", how.op), "T", how, false, false);
    add_scatter(registry, absl::StrCat("ResourceScatter", how.op), "dtype", how, false, true);
  }
  const Combination elements[] = {{"Update", "assign", gpu_variable_types(), true},
                                  {"Add", "add", gpu_sum_types()},
                                  {"Sub", "sub", gpu_sum_types()},
                                  {"Min", "min", numbers},
                                  {"Max", "max", numbers}};
  for (const Combination& how : elements) {
    add_scatter(registry, absl::StrCat("ScatterNd", how.op), "T", how, true, false);
    add_scatter(registry, absl::StrCat("ResourceScatterNd", how.op), "T", how, true, true);
  }
  registry->add(KernelDef("ResourceGather")
                    .device("GPU")
                    .types("dtype", gpu_variable_types())
                    .types("Tindices", index_types())
                    .host_memory({"resource"})
                    .kernel<ResourceGatherKernel>());
  registry->add(KernelDef("ResourceGatherNd")
                    .device("GPU")
                    .types("dtype", gpu_variable_types())
                    .types("Tindices", index_types())
                    .host_memory({"resource"})
                    .fn(resource_gather_nd));
}

}  // namespace troupe
