// Gather, GatherV2, GatherNd and their forms that read resource variables.
#include <algorithm>
#include <cstring>
#include <shared_mutex>
#include <type_traits>

#include "devices/common/array/gather_plan.h"
#include "devices/cpu/kernels/array/indexing.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/common/variable/variable.h"
#include "devices/cpu/loops/storage.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

template <class T, class Index>
void gather_runs(ParallelRunner& runner, const GatherPlan& plan, const T* from, const Index* index, T* to) {
  int64_t cost = plan.run * static_cast<int64_t>(sizeof(T)) / 4 + 3;
  runner.parallel_for(plan.batch * plan.outer * plan.indices, cost, [&](int64_t begin, int64_t end) {
    int64_t i = begin % plan.indices;
    int64_t block = begin / plan.indices;  // of batch * outer
    const Index* row = index + block / plan.outer * plan.indices;
    for (int64_t u = begin; u < end; ++u) {
      const T* f = from + (block * plan.axis + static_cast<int64_t>(row[i])) * plan.run;
      T* t = to + u * plan.run;
      if (plan.run == 1) {
        *t = *f;
      } else if constexpr (std::is_trivially_copyable_v<T>) {
        std::memcpy(t, f, static_cast<size_t>(plan.run) * sizeof(T));
      } else {
        std::copy_n(f, plan.run, t);
      }
      if (++i == plan.indices) {
        i = 0;
        ++block;
        row = index + block / plan.outer * plan.indices;
      }
    }
  });
}

absl::Status check_indices(const Tensor& indices, int64_t limit) {
  int64_t n = indices.num_elements();
  for (int64_t i = 0; i < n; ++i) {
    int64_t v = int_at(indices, i);
    if (v < 0 || v >= limit) {
      return invalid("indices", position_text(indices.shape(), i), " = ", v, " is not in [0, ", limit, ")");
    }
  }
  return absl::OkStatus();
}

absl::Status gather(KernelContext& context, const Tensor& params, const Tensor& indices, int64_t axis,
                    int64_t batch_dims) {
  TROUPE_ASSIGN_OR_RETURN(GatherPlan plan, plan_gather(params, indices, axis, batch_dims));
  TROUPE_RETURN_IF_ERROR(check_indices(indices, plan.axis));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  if (plan.shape.num_elements() == 0) return absl::OkStatus();
  Tensor narrow;
  const Tensor* index = &indices;
  if (indices.dtype() != DataType::kInt32 && indices.dtype() != DataType::kInt64) {
    TROUPE_ASSIGN_OR_RETURN(narrow, context.allocate_temp(DataType::kInt64, indices.shape()));
    for (int64_t i = 0; i < indices.num_elements(); ++i) narrow.flat<int64_t>()[i] = int_at(indices, i);
    index = &narrow;
  }
  with_storage(params.dtype(), [&]<class T>(T*) {
    const T* from = static_cast<const T*>(params.raw());
    T* to = static_cast<T*>(out->raw());
    if (index->dtype() == DataType::kInt32) {
      gather_runs(context.parallel(), plan, from, index->flat<int32_t>().data(), to);
    } else {
      gather_runs(context.parallel(), plan, from, index->flat<int64_t>().data(), to);
    }
  });
  return absl::OkStatus();
}

absl::Status gather_v1(KernelContext& context) {
  return gather(context, context.input(0), context.input(1), 0, 0);
}

class GatherV2 final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("batch_dims", &batch_dims_); }
  absl::Status compute(KernelContext& context) override {
    const Tensor& axis = context.input(2);
    if (!is_scalar(axis)) return invalid("axis must be scalar");
    int64_t a = int_at(axis, 0);
    if (a > INT32_MAX || a < -INT32_MAX) return invalid("axis ", a, " is out of range");
    return gather(context, context.input(0), context.input(1), a, batch_dims_);
  }

 private:
  int64_t batch_dims_ = 0;
};

class ResourceGather final : public Kernel {
 public:
  void attributes(AttrReader& a) { a("batch_dims", &batch_dims_); }
  absl::Status compute(KernelContext& context) override {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
    std::shared_lock lock(var->mu());
    TROUPE_RETURN_IF_ERROR(check_readable(*var, context.output_type(0)));
    int64_t batch_dims = batch_dims_ < 0 ? batch_dims_ + context.input(1).rank() : batch_dims_;
    return gather(context, var->locked(), context.input(1), batch_dims, batch_dims_);
  }

 private:
  int64_t batch_dims_ = 0;
};

absl::Status gather_nd(KernelContext& context, const Tensor& params, const Tensor& indices) {
  TROUPE_ASSIGN_OR_RETURN(GatherPlan plan, plan_gather_nd(params, indices));
  const int64_t n = plan.indices;
  const int d = static_cast<int>(indices.dim(indices.rank() - 1));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, plan.shape));
  if (n == 0) return absl::OkStatus();
  // The flat position of every index, checked; then one gather along one axis.
  TROUPE_ASSIGN_OR_RETURN(Tensor flat, context.allocate_temp(DataType::kInt64, Shape{n}));
  int64_t bad = flatten_indices(indices, params.shape(), d, flat.flat<int64_t>().data());
  if (bad >= 0) {
    Shape prefix = indices.shape();
    prefix.remove_dim(prefix.rank() - 1);
    return invalid("indices", position_text(prefix, bad), " = [", index_text(indices, bad),
                   "] does not index into param shape ", params.shape().to_string(),
                   ", node name: ", context.node().name);
  }
  with_storage(params.dtype(), [&]<class T>(T*) {
    gather_runs(context.parallel(), plan, static_cast<const T*>(params.raw()), flat.flat<int64_t>().data(),
                static_cast<T*>(out->raw()));
  });
  return absl::OkStatus();
}

absl::Status gather_nd_values(KernelContext& context) {
  return gather_nd(context, context.input(0), context.input(1));
}

absl::Status resource_gather_nd(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
  std::shared_lock lock(var->mu());
  TROUPE_RETURN_IF_ERROR(check_readable(*var, context.output_type(0)));
  return gather_nd(context, var->locked(), context.input(1));
}

}  // namespace

void register_array_gather(KernelRegistry* registry) {
  auto nd = with(every_type(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn, DataType::kQint8,
                                DataType::kQuint8, DataType::kQint32});
  auto types = with(nd, {DataType::kQint16, DataType::kQuint16});
  auto indices = with(index_types(), {DataType::kInt16});
  registry->add(KernelDef("Gather").types("Tparams", types).types("Tindices", index_types()).fn(gather_v1));
  registry->add(KernelDef("GatherV2").types("Tparams", types).types("Tindices", indices).kernel<GatherV2>());
  registry->add(KernelDef("GatherNd").types("Tparams", nd).types("Tindices", indices).fn(gather_nd_values));
  registry->add(KernelDef("ResourceGather")
                    .types("dtype", types)
                    .types("Tindices", index_types())
                    .kernel<ResourceGather>());
  registry->add(KernelDef("ResourceGatherNd")
                    .types("dtype", every_type())
                    .types("Tindices", index_types())
                    .fn(resource_gather_nd));
}

}  // namespace troupe
