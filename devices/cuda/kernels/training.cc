// The ops of all optimisers: finds the slots, checks shapes, locks, and enqueues the rule's kernel (source/training_*.cu).
#include "devices/cuda/kernels/training.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "devices/common/array_values.h"
#include "devices/common/training/optimizer_slots.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/in_place.h"
#include "devices/cuda/kernels/optimizer_args.h"

namespace troupe {
namespace {

static_assert(OptimizerArgs::kMaxSlots == OptimizerLayout::kMaxSlots);
static_assert(OptimizerArgs::kMaxScalars == OptimizerLayout::kMaxScalars);

/// One optimiser: it serves the ops ApplyX, ResourceApplyX, SparseApplyX and ResourceSparseApplyX that exist.
struct Row {
  const char* name;
  bool has_ref_forms;
  bool has_sparse_forms;
  std::vector<DataType> dense_types;
  std::vector<DataType> sparse_types;
  /// Attr behind OptimizerArgs::flag, or null.
  const char* flag = nullptr;
};

class OptimizerKernel final : public Kernel {
 public:
  static absl::StatusOr<std::unique_ptr<Kernel>> create(const char* name, const char* flag,
                                                        const KernelConstruction& c) {
    auto kernel = std::make_unique<OptimizerKernel>();
    TROUPE_ASSIGN_OR_RETURN(kernel->layout_, OptimizerLayout::of(*c.node().op));
    TROUPE_ASSIGN_OR_RETURN(kernel->dtype_, c.attr<DataType>("T"));
    kernel->kernel_ = with_suffix(absl::StrCat("optimize_", name), kernel->dtype_);
    kernel->flag_ = flag != nullptr && c.node().attrs.get_or<bool>(flag, false);
    return kernel;
  }

  absl::Status compute(KernelContext& context) override {
    OptimizerArgs args;
    args.flag = flag_ ? 1 : 0;
    {
      LockedSlots slots;
      TROUPE_RETURN_IF_ERROR(slots.lock(context, layout_.num_slots));
      TROUPE_ASSIGN_OR_RETURN(const Tensor* var, check_optimizer_slots(context, layout_, dtype_, slots));
      TROUPE_RETURN_IF_ERROR(take_scalars(context, &args));
      TROUPE_RETURN_IF_ERROR(check_optimizer_gradient(context, layout_, *var));
      const Tensor& grad = context.input(layout_.grad);
      args.grad = grad.raw();
      args.elements = grad.num_elements();
      Tensor claims;  // until the update is enqueued
      if (layout_.indices >= 0 && args.elements > 0) {
        TROUPE_ASSIGN_OR_RETURN(claims, claim_rows(context, *var, &args));
      }
      for (int i = 0; i < layout_.num_slots; ++i) {
        Tensor* slot = slots.for_writing(i);
        TROUPE_RETURN_IF_ERROR(make_unique_on_gpu(context, slot));
        args.slots[i] = slot->raw();
      }
      TROUPE_RETURN_IF_ERROR(enqueue(context, kernel_, args.elements, args));
    }
    if (is_ref(context.input_type(0))) context.forward_input(0, 0);
    return absl::OkStatus();
  }

 private:
  absl::Status take_scalars(KernelContext& context, OptimizerArgs* args) const {
    for (int k = 0; k < layout_.num_scalars; ++k) {
      const int i = layout_.scalars[static_cast<size_t>(k)];
      const Tensor& t = context.input(i);
      if (t.rank() != 0) {
        return invalid(optimizer_scalar_name(context.node().op->inputs[static_cast<size_t>(i)].name),
                       " is not a scalar: ", t.shape().to_string());
      }
      args->scalars[k] = t.raw();
    }
    if (layout_.global_step < 0) return absl::OkStatus();
    const Tensor& step = context.input(layout_.global_step);
    if (step.rank() != 0) return invalid("global_step is not a scalar: ", step.shape().to_string());
    args->global_step = static_cast<const int64_t*>(step.raw());
    return absl::OkStatus();
  }

  /// Enqueues what finds out which rows of the gradient are for the same row of the variable. The result holds the memory.
  absl::StatusOr<Tensor> claim_rows(KernelContext& context, const Tensor& var, OptimizerArgs* args) const {
    const Tensor& indices = context.input(layout_.indices);
    args->num_rows = indices.num_elements();
    if (args->num_rows > std::numeric_limits<int32_t>::max())
      return absl::UnimplementedError(absl::StrCat("Sparse updates of ", args->num_rows, " rows"));
    args->rows = indices.raw();
    args->has_wide_rows = indices.dtype() == DataType::kInt64 ? 1 : 0;
    args->limit = var.dim(0);
    args->row_elements = args->elements / args->num_rows;
    TROUPE_ASSIGN_OR_RETURN(Tensor claims, context.allocate_temp(DataType::kInt32, Shape{2, args->limit}));
    TROUPE_RETURN_IF_ERROR(enqueue_zeros(context, &claims));
    auto* first = static_cast<int32_t*>(claims.raw());
    int32_t* count = first + args->limit;
    args->first = first;
    args->count = count;
    TROUPE_RETURN_IF_ERROR(enqueue(context, "claim_rows", args->num_rows, args->rows, args->has_wide_rows,
                                   args->num_rows, args->limit, first, count));
    return claims;
  }

  OptimizerLayout layout_;
  DataType dtype_ = DataType::kInvalid;
  std::string kernel_;
  bool flag_ = false;
};

void add(KernelRegistry* registry, const Row& row, const char* form, const std::vector<DataType>& types,
         bool is_sparse) {
  KernelDef def(absl::StrCat(form, row.name));
  def.device("GPU");
  def.constraints.emplace_back("T", types);
  if (is_sparse) def.constraints.emplace_back("Tindices", index_types());
  def.factory = [name = row.name, flag = row.flag](const KernelConstruction& c) {
    return OptimizerKernel::create(name, flag, c);
  };
  registry->add(std::move(def));
}

}  // namespace

void register_cuda_training_kernels(KernelRegistry* registry) {
  using T = DataType;
  const std::vector<T> wide{T::kFloat, T::kDouble};
  const std::vector<T> half = with(wide, {T::kHalf});
  const std::vector<T> floats = with(half, {T::kBfloat16});
  const std::vector<T> complex_half = with(half, {T::kComplex64, T::kComplex128});
  const std::vector<T> complex = with(floats, {T::kComplex64, T::kComplex128});
  const Row rows[] = {
      {"GradientDescent", true, false, complex, {}},
      {"ProximalGradientDescent", true, true, wide, wide},
      {"Momentum", true, true, complex, complex, "use_nesterov"},
      {"KerasMomentum", false, true, complex, complex, "use_nesterov"},
      {"AddSign", true, false, floats, {}},
      {"PowerSign", true, false, floats, {}},
      {"Adagrad", true, true, complex, complex, "update_slots"},
      {"AdagradV2", true, true, complex, complex, "update_slots"},
      {"ProximalAdagrad", true, true, wide, wide},
      {"AdagradDA", true, true, wide, wide},
      {"Ftrl", true, true, floats, floats, "multiply_linear_by_lr"},
      {"FtrlV2", true, true, floats, floats, "multiply_linear_by_lr"},
      {"Adam", true, false, complex, {}, "use_nesterov"},
      {"AdamWithAmsgrad", false, false, floats, {}},
      {"AdaMax", true, false, half, {}},
      {"RMSProp", true, true, complex, complex_half},
      {"CenteredRMSProp", true, true, complex, complex_half},
      {"Adadelta", true, true, complex, complex},
  };
  for (const Row& row : rows) {
    add(registry, row, "ResourceApply", row.dense_types, false);
    if (row.has_ref_forms) add(registry, row, "Apply", row.dense_types, false);
    if (!row.has_sparse_forms) continue;
    add(registry, row, "ResourceSparseApply", row.sparse_types, true);
    if (row.has_ref_forms) add(registry, row, "SparseApply", row.sparse_types, true);
  }
}

}  // namespace troupe
