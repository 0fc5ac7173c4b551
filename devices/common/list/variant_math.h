#pragma once

#include "devices/common/list/element_memory.h"
#include "devices/kernel.h"
#include "graph/tensor/variant.h"

namespace troupe {

/// What a variant's value is as well when ZerosLike and AddN take it. Immutable, like the value.
class VariantMath {
 public:
  virtual ~VariantMath() = default;
  /// A value of the same kind and size that adds nothing.
  virtual absl::StatusOr<Variant> zeros(KernelContext& context, const ElementMemory& memory) const = 0;
  /// The sum with a value of the same C++ type. InvalidArgument when the two do not fit.
  virtual absl::StatusOr<Variant> plus(KernelContext& context, const ElementMemory& memory,
                                       const VariantValue& other) const = 0;
};

/// Zeros in the form of a tensor inside a variant; of an unset one, an unset one. Variants inside are asked for theirs.
absl::StatusOr<Tensor> zeros_of(KernelContext& context, const ElementMemory& memory, const Tensor& t);
/// The sum of two tensors inside variants; an unset one counts as zeros. InvalidArgument when dtypes or shapes differ.
absl::StatusOr<Tensor> sum_of(KernelContext& context, const ElementMemory& memory, const Tensor& a,
                              const Tensor& b);

}  // namespace troupe
