#include "devices/cpu/kernels/shared/variant_math.h"

#include <typeinfo>

#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/cpu/loops/combine.h"

namespace troupe {
namespace {

std::string type_of(const Variant& v) { return v.empty() ? "" : v.value()->type_name(); }

absl::StatusOr<Variant> zeros_of(KernelContext& context, const Variant& value) {
  const auto* math = value.get<VariantMath>();
  if (math != nullptr) return math->zeros(context);
  return absl::InternalError(absl::StrCat(
      "No unary variant unary_op function found for op ZEROS_LIKE Variant type_name: ", type_of(value),
      " for device type: CPU"));
}

absl::StatusOr<Variant> sum_of(KernelContext& context, const Variant& a, const Variant& b) {
  const bool same =
      a.empty() || b.empty() ? a.empty() == b.empty() : typeid(*a.value()) == typeid(*b.value());
  if (!same) {
    return absl::InternalError(
        absl::StrCat("BinaryOpVariants: Variants a and b have different type ids.  Type names: '", type_of(a),
                     "' vs. '", type_of(b), "'"));
  }
  const auto* math = a.get<VariantMath>();
  if (math != nullptr) return math->plus(context, *b.value());
  return absl::InternalError(
      absl::StrCat("No unary variant binary_op function found for op ADD Variant type_name: '", type_of(a),
                   "' for device type: CPU"));
}

}  // namespace

absl::StatusOr<Tensor> zeros_of(KernelContext& context, const Tensor& t) {
  if (!t.initialized()) return Tensor();
  if (t.dtype() != DataType::kVariant && !is_trivial(t.dtype())) {
    return invalid("Trying to compute zeros_like for unsupported dtype ", dtype_name(t.dtype()));
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor zero, context.allocate_temp(t.dtype(), t.shape()));
  if (t.dtype() != DataType::kVariant) {
    fill_zero(context.parallel(), t.dtype(), zero.raw(), zero.num_elements());
    return zero;
  }
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    TROUPE_ASSIGN_OR_RETURN(zero.flat<Variant>()[i], zeros_of(context, t.flat<Variant>()[i]));
  }
  return zero;
}

absl::StatusOr<Tensor> sum_of(KernelContext& context, const Tensor& a, const Tensor& b) {
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
  TROUPE_ASSIGN_OR_RETURN(Tensor sum, context.allocate_temp(t, a.shape()));
  if (t == DataType::kVariant) {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      TROUPE_ASSIGN_OR_RETURN(sum.flat<Variant>()[i],
                              sum_of(context, a.flat<Variant>()[i], b.flat<Variant>()[i]));
    }
    return sum;
  }
  CombineLoop add =
      is_floating(t) || is_integer(t) || is_complex(t) ? combine_loop(Combine::kAdd, t) : nullptr;
  if (add == nullptr) return invalid("Trying to add unsupported dtype ", dtype_name(t));
  copy_flat(context.parallel(), t, a.raw(), sum.raw(), a.num_elements());
  add(sum.raw(), b.raw(), b.num_elements());
  return sum;
}

}  // namespace troupe
