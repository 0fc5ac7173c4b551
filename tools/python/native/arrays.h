#pragma once

#include <utility>

#include "graph/tensor/tensor.h"
#include "tools/python/native/native.h"

namespace troupe::python {

/// @name Tensors and NumPy's arrays. All need the GIL.
/// @{

/// The value as a tensor of `dtype`, whose NumPy type it gets if it has another. The elements of a large, aligned, contiguous array are
/// not copied: the tensor keeps the array. A native Tensor is taken as it is. Raises TypeError and ValueError as NumPy does.
Tensor to_tensor(py::handle value, DataType dtype);

/// The tensor as an array, or as NumPy's scalar if it has rank 0. The array takes over the memory if nobody else uses it; others are
/// copied. Strings are bytes in an array of objects; resources and variants stay a native Tensor.
py::object to_array(Tensor tensor);
/// A list of these.
template <class Tensors>
py::list arrays_of(Tensors&& tensors) {
  py::list list(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) list[i] = to_array(std::move(tensors[i]));
  return list;
}
/// @}

}  // namespace troupe::python
