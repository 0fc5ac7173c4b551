#pragma once

#include <memory>

#include "devices/common/list/step_resource.h"
#include "devices/common/list/tensor_array.h"
#include "devices/common/array_values.h"

namespace troupe {

// What kernels of TensorArrays do first: take the array behind input 0, and compare dtypes.

using ArrayPtr = std::shared_ptr<TensorArray>;

/// Those that take and give several elements; called by add_tensor_array_ops.
void add_tensor_array_bulk_ops(const ElementMemory* memory, const AddElementOp& add);

inline absl::StatusOr<ArrayPtr> input_array(KernelContext& context) {
  return input_step_resource<TensorArray>(context);
}

inline absl::Status check_written_type(const TensorArray& array, DataType type) {
  if (array.dtype() == type) return absl::OkStatus();
  return invalid("TensorArray dtype is ", dtype_name(array.dtype()), " but Op is trying to write dtype ",
                 dtype_name(type), ".");
}
inline absl::Status check_read_type(const TensorArray& array, DataType type) {
  if (array.dtype() == type) return absl::OkStatus();
  return invalid("TensorArray dtype is ", dtype_name(array.dtype()), " but Op requested dtype ",
                 dtype_name(type), ".");
}

}  // namespace troupe
