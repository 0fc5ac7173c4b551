// Transpose, ConjugateTranspose, and the permutations that they take.
#include <complex>

#include "devices/common/array/reorder.h"
#include "devices/cpu/kernels/shared/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {
namespace {

template <class Real>
void conjugate(Tensor* t) {
  for (auto& v : t->flat<std::complex<Real>>()) v = std::conj(v);
}

absl::Status transpose_any(KernelContext& context, bool conjugated) {
  const Tensor& input = context.input(0);
  TROUPE_ASSIGN_OR_RETURN(auto transposed, transpose_of(context));
  auto& [perm, shape, moves] = transposed;
  conjugated = conjugated && is_complex(input.dtype());
  if (!conjugated && (!moves || input.num_elements() == 0)) {
    context.set_output(0, input.reshaped(std::move(shape)));
    return absl::OkStatus();
  }
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, shape));
  Indices from = strides_of(input.shape());
  Indices to = strides_of(shape);
  Box box;
  for (int i = 0; i < input.rank(); ++i) box.add(shape.dim(i), from[perm[i]], to[i]);
  copy_box(context.parallel(), input.dtype(), box, input.raw(), out->raw());
  if (conjugated && input.dtype() == DataType::kComplex64) conjugate<float>(out);
  if (conjugated && input.dtype() == DataType::kComplex128) conjugate<double>(out);
  return absl::OkStatus();
}

absl::Status transpose(KernelContext& context) { return transpose_any(context, false); }
absl::Status conjugate_transpose(KernelContext& context) { return transpose_any(context, true); }

absl::Status invert_permutation(KernelContext& context) {
  const Tensor& input = context.input(0);
  if (!is_vector(input)) return invalid("invert_permutation expects a 1D vector.");
  int64_t n = input.dim(0);
  if (n > INT32_MAX) return invalid("permutation of nonnegative int32s must have <= int32 max elements");
  TROUPE_ASSIGN_OR_RETURN(Tensor * out, context.allocate_output(0, input.shape()));
  for (int64_t i = 0; i < n; ++i) set_int(out, i, -1);
  for (int64_t i = 0; i < n; ++i) {
    int64_t v = int_at(input, i);
    if (v < 0 || v >= n) return invalid(v, " is not between 0 and ", n);
    if (int_at(*out, v) != -1) return invalid(v, " is duplicated in the input.");
    set_int(out, v, i);
  }
  return absl::OkStatus();
}

}  // namespace

void register_array_transpose(KernelRegistry* registry) {
  auto moved = with(every_type(), {DataType::kFloat8E5m2, DataType::kFloat8E4m3fn});
  registry->add(KernelDef("Transpose").types("T", moved).fn(transpose));
  registry->add(KernelDef("ConjugateTranspose").types("T", moved).fn(conjugate_transpose));
  registry->add(KernelDef("InvertPermutation").types("T", index_types()).fn(invert_permutation));
}

}  // namespace troupe
