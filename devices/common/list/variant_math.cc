#include "devices/common/list/variant_math.h"

#include <typeinfo>

#include "devices/common/array_values.h"

namespace troupe {
namespace {

std::string type_of(const Variant& v) { return v.empty() ? "" : v.value()->type_name(); }

absl::StatusOr<Variant> zeros_of(KernelContext& context, const ElementMemory& memory, const Variant& value) {
  const auto* math = value.get<VariantMath>();
  if (math != nullptr) return math->zeros(context, memory);
  return absl::InternalError(absl::StrCat(
      "No unary variant unary_op function found for op ZEROS_LIKE Variant type_name: ", type_of(value),
      " for device type: ", context.device()->type()));
}

absl::StatusOr<Variant> sum_of(KernelContext& context, const ElementMemory& memory, const Variant& a,
                               const Variant& b) {
  const bool same =
      a.empty() || b.empty() ? a.empty() == b.empty() : typeid(*a.value()) == typeid(*b.value());
  if (!same) {
    return absl::InternalError(
        absl::StrCat("BinaryOpVariants: Variants a and b have different type ids.  Type names: '", type_of(a),
                     "' vs. '", type_of(b), "'"));
  }
  const auto* math = a.get<VariantMath>();
  if (math != nullptr) return math->plus(context, memory, *b.value());
  return absl::InternalError(
      absl::StrCat("No unary variant binary_op function found for op ADD Variant type_name: '", type_of(a),
                   "' for device type: ", context.device()->type()));
}

}  // namespace

absl::StatusOr<Tensor> zeros_of(KernelContext& context, const ElementMemory& memory, const Tensor& t) {
  if (!t.initialized()) return Tensor();
  if (t.dtype() != DataType::kVariant && !is_trivial(t.dtype())) {
    return invalid("Trying to compute zeros_like for unsupported dtype ", dtype_name(t.dtype()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor zero, memory.zeros(context, t.dtype(), t.shape()));
  if (t.dtype() != DataType::kVariant) return zero;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(zero.flat<Variant>()[i], zeros_of(context, memory, t.flat<Variant>()[i]));
  }
  return zero;
}

absl::StatusOr<Tensor> sum_of(KernelContext& context, const ElementMemory& memory, const Tensor& a,
                              const Tensor& b) {
  if (!a.initialized()) return b;
  if (!b.initialized()) return a;
  const DataType t = a.dtype();
  if (t != b.dtype()) {
    return invalid("Trying to add two tensors with incompatible element types. One is ", dtype_name(t),
                   " and the other is ", dtype_name(b.dtype()));
  }
  if (!(a.shape() == b.shape())) {
    return invalid("Trying to add two tensors with incompatible element shapes. One is ",
                   a.shape().to_string(), " and the other is ", b.shape().to_string());
  }
  if (t == DataType::kVariant) {
    TROUPE_ASSIGN_OR_RETURN(Tensor sum, memory.zeros(context, t, a.shape()));
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      TROUPE_ASSIGN_OR_RETURN(sum.flat<Variant>()[i],
                              sum_of(context, memory, a.flat<Variant>()[i], b.flat<Variant>()[i]));
    }
    return sum;
  }
  if (!memory.has_sum(t)) return invalid("Trying to add unsupported dtype ", dtype_name(t));
  Tensor sum = a;
  TROUPE_RETURN_IF_ERROR(memory.add(context, b, &sum));
  return sum;
}

namespace {

absl::Status zeros_like(KernelContext& context, const ElementMemory& memory) {
  if (!is_scalar(context.input(0))) {
    return invalid("ZerosLike non-scalar Tensor with dtype=DT_VARIANT is not supported.");
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor zero, zeros_of(context, memory, context.input(0)));
  context.set_output(0, std::move(zero));
  return absl::OkStatus();
}

absl::Status add_n(KernelContext& context, const ElementMemory& memory) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (!is_scalar(context.input(i))) {
      return invalid("AddN of non-scalar Tensor with dtype=DT_VARIANT is not supported; inputs[", i,
                     "] has shape: ", context.input(i).shape().to_string(), ".");
    }
  }
  Tensor sum = context.input(0);
  for (int i = 1; i < context.num_inputs(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(sum, sum_of(context, memory, sum, context.input(i)));
  }
  context.set_output(0, std::move(sum));
  return absl::OkStatus();
}

}  // namespace

void add_variant_math_ops(const ElementMemory* memory, const AddElementOp& add) {
  add({"ZerosLike", "T", {DataType::kVariant}, {}, {}, element_kernel(zeros_like, memory), 1});
  add({"AddN", "T", {DataType::kVariant}, {}, {}, element_kernel(add_n, memory)});
}

}  // namespace troupe
