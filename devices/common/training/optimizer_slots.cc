#include "devices/common/training/optimizer_slots.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "devices/common/array_values.h"

namespace troupe {

absl::StatusOr<OptimizerLayout> OptimizerLayout::of(const OpDef& op) {
  OptimizerLayout layout;
  for (int i = 0; i < static_cast<int>(op.inputs.size()); ++i) {
    const ArgDef& arg = op.inputs[static_cast<size_t>(i)];
    if (arg.is_ref || arg.type == DataType::kResource) {
      if (layout.num_slots != i || i >= kMaxSlots)
        return absl::InternalError("unexpected signature of " + op.name);
      const bool is_sum = absl::StartsWith(arg.name, "gradient_");
      layout.slot_names[static_cast<size_t>(layout.num_slots++)] = is_sum ? "accum" : arg.name;
    } else if (arg.name == "grad" || arg.name == "delta") {
      layout.grad = i;
    } else if (arg.name == "indices") {
      layout.indices = i;
    } else if (arg.name == "global_step") {
      layout.global_step = i;
    } else {
      if (layout.num_scalars >= kMaxScalars) return absl::InternalError("unexpected signature of " + op.name);
      layout.scalars[static_cast<size_t>(layout.num_scalars++)] = i;
    }
  }
  if (layout.num_slots == 0 || layout.grad < 0)
    return absl::InternalError("unexpected signature of " + op.name);
  return layout;
}

std::string optimizer_scalar_name(const std::string& arg) {
  if (arg == "l1" || arg == "l2") return arg + " regularization strength";
  if (arg == "l2_shrinkage") return "l2 shrinkage regularization strength";
  return arg;
}

LockedSlots::~LockedSlots() {
  for (int i = locked_; i-- > 0;) {
    if (ref_[order_[i]] != nullptr) {
      ref_[order_[i]]->mu.unlock();
    } else {
      var_[order_[i]]->mu().unlock();
    }
  }
}

absl::Status LockedSlots::lock(KernelContext& context, int count) {
  for (int i = 0; i < count; ++i) {
    order_[i] = i;
    if (is_ref(context.input_type(i))) {
      ref_[i] = context.input_ref(i).get();
      if (ref_[i] == nullptr) return invalid("input ", i, " must be a variable");
    } else {
      TROUPE_ASSIGN_OR_RETURN(const ResourceHandle* handle, input_handle(context, i));
      auto found = lookup_handle<Var>(context, *handle);
      if (!found.ok()) {
        return absl::IsNotFound(found.status()) ? absl::InternalError("Invalid variable reference.")
                                                : found.status();
      }
      kept_[i] = *std::move(found);
      var_[i] = kept_[i].get();
    }
  }
  std::sort(order_, order_ + count, [this](int a, int b) { return address(a) < address(b); });
  count = static_cast<int>(
      std::unique(order_, order_ + count, [this](int a, int b) { return address(a) == address(b); }) -
      order_);
  for (; locked_ < count; ++locked_) {
    if (ref_[order_[locked_]] != nullptr) {
      ref_[order_[locked_]]->mu.lock();
    } else {
      var_[order_[locked_]]->mu().lock();
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<const Tensor*> LockedSlots::read(KernelContext& context, int i) const {
  const Tensor& value = ref_[i] != nullptr ? ref_[i]->tensor : var_[i]->locked();
  if (!value.initialized()) {
    if (ref_[i] != nullptr) return uninitialized_ref(*ref_[i]);
    return absl::FailedPreconditionError(absl::StrCat("Attempting to use uninitialized variables: ",
                                                      context.input(i).value<ResourceHandle>().name));
  }
  return &value;
}

namespace {

absl::Status check_rows(const Tensor& var, const Tensor& grad, const Tensor& indices) {
  if (var.rank() < 1) return invalid("var must be at least 1 dimensional");
  if (indices.rank() != 1) return invalid("indices must be one-dimensional");
  if (grad.rank() != var.rank()) {
    return invalid("var and grad must have the same rank, but their shapes are ", var.shape().to_string(),
                   " and ", grad.shape().to_string());
  }
  for (int d = 1; d < var.rank(); ++d) {
    if (var.dim(d) != grad.dim(d)) return invalid("var and grad must match in dimension ", d);
  }
  if (grad.dim(0) != indices.dim(0))
    return invalid("grad must be the same size as indices in the first dimension.");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<const Tensor*> check_optimizer_slots(KernelContext& context, const OptimizerLayout& layout,
                                                    DataType dtype, const LockedSlots& slots) {
  TROUPE_ASSIGN_OR_RETURN(const Tensor* var, slots.read(context, 0));
  for (int i = 0; i < layout.num_slots; ++i) {
    TROUPE_ASSIGN_OR_RETURN(const Tensor* slot, slots.read(context, i));
    if (slot->dtype() != dtype) {
      return invalid("Trying to update variable of dtype ", dtype_name(slot->dtype()),
                     " using a Tensor of dtype ", dtype_name(dtype));
    }
    if (!(slot->shape() == var->shape())) {
      return invalid("var and ", layout.slot_names[static_cast<size_t>(i)], " do not have the same shape",
                     var->shape().to_string(), " ", slot->shape().to_string());
    }
  }
  return var;
}

absl::Status check_optimizer_gradient(const KernelContext& context, const OptimizerLayout& layout,
                                      const Tensor& var) {
  const Tensor& grad = context.input(layout.grad);
  if (layout.indices >= 0) return check_rows(var, grad, context.input(layout.indices));
  if (var.shape() == grad.shape()) return absl::OkStatus();
  return invalid("var and ", context.node().op->inputs[static_cast<size_t>(layout.grad)].name,
                 " do not have the same shape", var.shape().to_string(), " ", grad.shape().to_string());
}

}  // namespace troupe
