#pragma once

#include <string>

#include "devices/kernel_registry.h"

namespace troupe {

/// What an element-wise kernel of GPUs does with its operands.
enum class CwiseKind : uint8_t {
  kUnary,
  /// Two operands that broadcast.
  kBinary,
  /// Equal and NotEqual: with incompatible_shape_error=false operands that do not broadcast give one answer for all.
  kEqual,
  kNotEqual,
  /// A gradient and what it is of, which must have one shape.
  kActivationGrad,
  /// An output and its gradient, of equal element counts.
  kOutputGrad,
};

/// Makes kernels that start `kernel` (a name with its suffix: "add_f32").
KernelFactory cuda_cwise_factory(CwiseKind kind, std::string kernel);

/// InvalidArgument "Inputs to operation N of type OP must have the same size and shape.  Input I: ... != input J: ..."
absl::Status shapes_differ(const KernelContext& context, int i, int j);
/// That error, unless inputs i and j have one shape.
absl::Status check_same_shape(const KernelContext& context, int i, int j);

/// Output 0 of the broadcast of inputs 0 and 1, in the memory of one of them where it may. InvalidArgument "Incompatible shapes: ...".
absl::Status enqueue_binary(KernelContext& context, const std::string& kernel);

}  // namespace troupe
