// Stacks, TensorArrays and TensorLists of CPUs: their kernels are those of devices/common/list, here is what they do to elements.
#include <utility>

#include "devices/common/list/element_memory.h"
#include "devices/common/list/tensor_list.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/combine.h"
#include "devices/kernel_registry.h"
#include "graph/tensor/tensor_proto.h"

namespace troupe {
namespace {

CombineLoop sum_loop(DataType t) {
  return is_floating(t) || is_integer(t) || is_complex(t) ? combine_loop(Combine::kAdd, t) : nullptr;
}

/// A list may come from another device.
absl::Status check_host(const KernelContext& context, const Tensor& element) {
  const Allocator* from = element.buffer() == nullptr ? nullptr : element.buffer()->allocator();
  if (from == nullptr || from->is_host()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("An element is in the memory of ", from->name(), ", which ",
                                               context.device()->name(), " cannot read"));
}

class CpuElements final : public ElementMemory {
 public:
  absl::StatusOr<Tensor> here(KernelContext& context, const Tensor& element) const override {
    TROUPE_RETURN_IF_ERROR(check_host(context, element));
    return element;
  }
  absl::Status join(KernelContext& context, absl::Span<const ElementRun> runs, Tensor* out) const override {
    int64_t at = 0;
    for (const ElementRun& run : runs) {
      void* const to = element_at(*out, at);
      if (run.from == nullptr) {
        fill_zero(context.parallel(), out->dtype(), to, run.count);
      } else {
        TROUPE_RETURN_IF_ERROR(check_host(context, *run.from));
        copy_flat(context.parallel(), out->dtype(), element_at(*run.from, run.offset), to, run.count);
      }
      at += run.count;
    }
    return absl::OkStatus();
  }
  absl::Status cut(KernelContext& context, const Tensor& from, absl::Span<Tensor> parts) const override {
    int64_t at = 0;
    for (Tensor& part : parts) {
      copy_flat(context.parallel(), from.dtype(), element_at(from, at), part.raw(), part.num_elements());
      at += part.num_elements();
    }
    return absl::OkStatus();
  }
  absl::StatusOr<Tensor> zeros(KernelContext& context, DataType dtype, const Shape& shape) const override {
    TROUPE_ASSIGN_OR_RETURN(Tensor zero, context.allocate_temp(dtype, shape));
    fill_zero(context.parallel(), dtype, zero.raw(), zero.num_elements());
    return zero;
  }
  bool has_sum(DataType dtype) const override { return sum_loop(dtype) != nullptr; }
  absl::Status add(KernelContext& context, const Tensor& from, Tensor* to) const override {
    TROUPE_RETURN_IF_ERROR(check_host(context, from));
    TROUPE_RETURN_IF_ERROR(check_host(context, *to));
    if (!to->unique()) {
      TROUPE_ASSIGN_OR_RETURN(Tensor sum, context.allocate_temp(to->dtype(), to->shape()));
      copy_flat(context.parallel(), to->dtype(), std::as_const(*to).raw(), sum.raw(), sum.num_elements());
      *to = std::move(sum);
    }
    sum_loop(to->dtype())(to->raw(), from.raw(), from.num_elements());
    return absl::OkStatus();
  }
  absl::StatusOr<Tensor*> host_output(KernelContext& context, int i, const Shape& shape) const override {
    return context.allocate_output(i, shape);
  }
};

}  // namespace

void register_list_elements(KernelRegistry* registry) {
  register_variant_decoder(TensorList::kTypeName, TensorList::deserialize);
  static const CpuElements* const memory = new CpuElements;
  const AddElementOp add = [registry](ElementOp op) {
    KernelDef def(std::move(op.op));
    if (!op.types.empty()) def.constraints.emplace_back(op.type_attr, std::move(op.types));
    def.priority = op.priority;
    def.factory = std::move(op.factory);
    registry->add(std::move(def));
  };
  add_stack_ops(memory, add);
  add_tensor_array_ops(memory, add);
  add_tensor_list_ops(memory, add);
  add_variant_math_ops(memory, add);
}

}  // namespace troupe
