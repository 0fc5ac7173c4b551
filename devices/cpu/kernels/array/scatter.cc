// Scatter to rows of variables: Scatter* on ref variables, ResourceScatter* on resource variables.
#include <mutex>

#include "devices/common/array/scatter_shape.h"
#include "devices/cpu/kernels/array/indexing.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

/// target[indices[i]] op= updates[i] for every row; scalar updates go to all rows.
absl::Status scatter_rows(Combine op, const Tensor& indices, const Tensor& updates, Tensor* target) {
  int64_t n = indices.num_elements();
  int64_t rows = target->dim(0);
  int64_t run = count_dims(target->shape(), 1, target->rank());
  CombineLoop loop = combine_loop(op, updates.dtype());
  if (loop == nullptr)
    return absl::UnimplementedError(absl::StrCat("Scatter of ", dtype_name(updates.dtype())));
  if (op == Combine::kDiv && has_integer_zero(updates.dtype(), updates.raw(), updates.num_elements())) {
    return invalid("Integer division by zero");
  }
  // As in TensorFlow, what stands before a bad index is written.
  bool broadcast = updates.rank() == 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t row = int_at(indices, i);
    if (row < 0 || row >= rows) {
      return invalid("indices", position_text(indices.shape(), i), " = ", row, " is not in [0, ", rows, ")");
    }
    int64_t to = row * run;
    if (run == 0) continue;
    if (broadcast) {
      for (int64_t k = 0; k < run; ++k) loop(element_at(*target, to + k), updates.raw(), 1);
    } else {
      loop(element_at(*target, to), element_at(updates, i * run), run);
    }
  }
  return absl::OkStatus();
}

template <Combine kOp>
absl::Status scatter_ref(KernelContext& context) {
  const std::shared_ptr<RefTensor>& ref = context.input_ref(0);
  if (ref == nullptr) return invalid("Scatter needs a variable");
  const Tensor& indices = context.input(1);
  const Tensor& updates = context.input(2);
  {
    std::lock_guard lock(ref->mu);
    if (!ref->tensor.initialized()) {
      return uninitialized_ref(*ref);
    }
    TROUPE_RETURN_IF_ERROR(check_row_scatter(false, ref->tensor, indices, updates));
    TROUPE_RETURN_IF_ERROR(make_unique(&ref->tensor, context.allocator()));
    TROUPE_RETURN_IF_ERROR(scatter_rows(kOp, indices, updates, &ref->tensor));
  }
  context.set_output_ref(0, ref);
  return absl::OkStatus();
}

template <Combine kOp>
absl::Status scatter_resource(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
  const Tensor& indices = context.input(1);
  const Tensor& updates = context.input(2);
  std::unique_lock lock(var->mu());
  TROUPE_ASSIGN_OR_RETURN(Tensor * target, var->writable(context.allocator()));
  TROUPE_RETURN_IF_ERROR(check_row_scatter(true, *target, indices, updates));
  return scatter_rows(kOp, indices, updates, target);
}

template <Combine kOp>
void add_both(KernelRegistry* registry, const std::string& suffix, const std::vector<DataType>& ref_types,
              const std::vector<DataType>& resource_types) {
  registry->add(KernelDef("Scatter" + suffix)
                    .types("T", ref_types)
                    .types("Tindices", index_types())
                    .fn(scatter_ref<kOp>));
  registry->add(KernelDef("ResourceScatter" + suffix)
                    .types("dtype", resource_types)
                    .types("Tindices", index_types())
                    .fn(scatter_resource<kOp>));
}

}  // namespace

void register_array_scatter(KernelRegistry* registry) {
  add_both<Combine::kAssign>(registry, "Update", every_type(), with(value_types(), {DataType::kVariant}));
  add_both<Combine::kAdd>(registry, "Add", number_types(), number_types());
  add_both<Combine::kSub>(registry, "Sub", number_types(), number_types());
  add_both<Combine::kMul>(registry, "Mul", number_types(), number_types());
  add_both<Combine::kDiv>(registry, "Div", number_types(), number_types());
  add_both<Combine::kMin>(registry, "Min", real_number_types(), real_number_types());
  add_both<Combine::kMax>(registry, "Max", real_number_types(), real_number_types());
}

}  // namespace troupe
