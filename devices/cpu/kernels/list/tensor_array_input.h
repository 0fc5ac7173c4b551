#pragma once

#include <memory>

#include "devices/cpu/kernels/list/step_resource.h"
#include "devices/cpu/kernels/list/tensor_array.h"
#include "devices/cpu/kernels/shared/array_util.h"

namespace troupe {

// What kernels of TensorArrays do first: take the array behind input 0, and compare dtypes.

using ArrayPtr = std::shared_ptr<TensorArray>;

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
