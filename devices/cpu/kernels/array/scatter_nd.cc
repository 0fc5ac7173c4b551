// ScatterNd, TensorScatter*, ScatterNdNonAliasingAdd; ScatterNd* on ref and resource variables.
#include <mutex>

#include "devices/common/array/scatter_shape.h"
#include "devices/cpu/kernels/array/indexing.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

/// Shapes are checked; the target is the kernel's own.
absl::Status scatter_into(KernelContext& context, Combine op, const Tensor& indices, const Tensor& updates,
                          Tensor* target) {
  TROUPE_ASSIGN_OR_RETURN(BadIndices policy, read_bad_indices_policy(context.node()));
  if (target->num_elements() == 0 || updates.num_elements() == 0) return absl::OkStatus();
  ScatterShape s = scatter_shape(indices);
  int depth = static_cast<int>(s.depth);
  int64_t n = count_dims(updates.shape(), 0, s.outer);
  int64_t run = count_dims(target->shape(), depth, target->rank());
  CombineLoop loop = combine_loop(op, target->dtype());
  if (loop == nullptr)
    return absl::UnimplementedError(absl::StrCat("Scatter of ", dtype_name(target->dtype())));
  TROUPE_ASSIGN_OR_RETURN(Tensor flat, context.allocate_temp(DataType::kInt64, Shape{n}));
  int64_t* at = flat.flat<int64_t>().data();
  for (int64_t i = 0; i < n; ++i) {
    at[i] = 0;
    for (int k = 0; k < depth; ++k) {
      int64_t v = int_at(indices, i * depth + k);
      if (v < 0 || v >= target->dim(k)) {
        at[i] = -1;
        break;
      }
      at[i] = at[i] * target->dim(k) + v;
    }
    if (at[i] < 0 && policy != BadIndices::kIgnore) {
      Shape prefix = indices.shape();
      if (prefix.rank() > 1) prefix.remove_dim(prefix.rank() - 1);
      std::string numbers;
      for (int k = 0; k < depth; ++k)
        absl::StrAppend(&numbers, k > 0 ? ", " : "", int_at(indices, i * depth + k));
      return invalid("indices", position_text(prefix, i), " = [", numbers, "] does not index into shape ",
                     target->shape().to_string());
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    if (at[i] >= 0) loop(element_at(*target, at[i] * run), element_at(updates, i * run), run);
  }
  return absl::OkStatus();
}

absl::Status scatter_nd(KernelContext& context) {
  const Tensor& indices = context.input(0);
  const Tensor& updates = context.input(1);
  const Tensor& sizes = context.input(2);
  if (!is_vector(sizes)) return invalid("Shape must be a vector");
  Indices dims = ints_of(sizes);
  TROUPE_ASSIGN_OR_RETURN(Shape shape, Shape::make({dims.data(), dims.size()}));
  TROUPE_RETURN_IF_ERROR(check_scatter_shapes(ScatterWording::kNew, indices, updates, shape));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  fill_zero(context.parallel(), out->dtype(), out->raw(), out->num_elements());
  return scatter_into(context, Combine::kAdd, indices, updates, out);
}

absl::Status scatter_copy(KernelContext& context, Combine op, ScatterWording wording) {
  const Tensor& input = context.input(0);
  TROUPE_RETURN_IF_ERROR(check_scatter_shapes(wording, context.input(1), context.input(2), input.shape()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.forward_or_allocate_output({0}, 0, input.shape()));
  if (!out->shares_buffer_with(input)) {
    copy_flat(context.parallel(), input.dtype(), input.raw(), out->raw(), input.num_elements());
  }
  return scatter_into(context, op, context.input(1), context.input(2), out);
}

template <Combine kOp>
absl::Status tensor_scatter(KernelContext& context) {
  return scatter_copy(context, kOp, ScatterWording::kTensor);
}

absl::Status non_aliasing_add(KernelContext& context) {
  return scatter_copy(context, Combine::kAdd, ScatterWording::kUpdate);
}

template <Combine kOp>
absl::Status scatter_nd_ref(KernelContext& context) {
  const std::shared_ptr<RefTensor>& ref = context.input_ref(0);
  if (ref == nullptr) return invalid("ScatterNd needs a variable");
  {
    std::lock_guard lock(ref->mu);
    if (!ref->tensor.initialized()) return uninitialized_ref(*ref);
    TROUPE_RETURN_IF_ERROR(check_scatter_shapes(ScatterWording::kUpdate, context.input(1), context.input(2),
                                                ref->tensor.shape()));
    TROUPE_RETURN_IF_ERROR(make_unique(&ref->tensor, context.allocator()));
    TROUPE_RETURN_IF_ERROR(scatter_into(context, kOp, context.input(1), context.input(2), &ref->tensor));
  }
  context.set_output_ref(0, ref);
  return absl::OkStatus();
}

template <Combine kOp>
absl::Status scatter_nd_resource(KernelContext& context) {
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<Var> var, lookup_variable(context, 0));
  std::unique_lock lock(var->mu());
  TROUPE_RETURN_IF_ERROR(check_readable(*var, context.input_type(2)));
  TROUPE_RETURN_IF_ERROR(check_scatter_shapes(ScatterWording::kUpdate, context.input(1), context.input(2),
                                              var->locked().shape()));
  TROUPE_ASSIGN_OR_RETURN(Tensor * target, var->writable(context.allocator()));
  return scatter_into(context, kOp, context.input(1), context.input(2), target);
}

template <Combine kOp>
void add_variable_forms(KernelRegistry* registry, const std::string& suffix,
                        const std::vector<DataType>& types) {
  registry->add(KernelDef("ScatterNd" + suffix)
                    .types("T", types)
                    .types("Tindices", index_types())
                    .fn(scatter_nd_ref<kOp>));
  registry->add(KernelDef("ResourceScatterNd" + suffix)
                    .types("T", types)
                    .types("Tindices", index_types())
                    .fn(scatter_nd_resource<kOp>));
}

template <Combine kOp>
void add_tensor_form(KernelRegistry* registry, const std::string& suffix,
                     const std::vector<DataType>& types) {
  registry->add(KernelDef("TensorScatter" + suffix)
                    .types("T", types)
                    .types("Tindices", index_types())
                    .fn(tensor_scatter<kOp>));
}

}  // namespace

void register_array_scatter_nd(KernelRegistry* registry) {
  registry->add(
      KernelDef("ScatterNd").types("T", value_types()).types("Tindices", index_types()).fn(scatter_nd));
  registry->add(KernelDef("ScatterNdNonAliasingAdd")
                    .types("T", pod_types())
                    .types("Tindices", index_types())
                    .fn(non_aliasing_add));
  add_tensor_form<Combine::kAssign>(registry, "Update", value_types());
  add_tensor_form<Combine::kAdd>(registry, "Add", number_types());
  add_tensor_form<Combine::kSub>(registry, "Sub", number_types());
  add_tensor_form<Combine::kMin>(registry, "Min", real_number_types());
  add_tensor_form<Combine::kMax>(registry, "Max", real_number_types());
  add_variable_forms<Combine::kAssign>(registry, "Update", value_types());
  add_variable_forms<Combine::kAdd>(registry, "Add", pod_types());
  add_variable_forms<Combine::kSub>(registry, "Sub", pod_types());
  add_variable_forms<Combine::kMin>(registry, "Min", real_number_types());
  add_variable_forms<Combine::kMax>(registry, "Max", real_number_types());
}

}  // namespace troupe
