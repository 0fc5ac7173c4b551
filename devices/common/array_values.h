#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// Sizes, indices and axes of one tensor: short, so inline.
using Indices = absl::InlinedVector<int64_t, 8>;

/// Element i of an integer tensor of any width; 0 for other dtypes.
inline int64_t int_at(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::kInt32: return t.flat<int32_t>()[i];
    case DataType::kInt64: return t.flat<int64_t>()[i];
    case DataType::kInt16: return t.flat<int16_t>()[i];
    case DataType::kInt8: return t.flat<int8_t>()[i];
    case DataType::kUint8: return t.flat<uint8_t>()[i];
    case DataType::kUint16: return t.flat<uint16_t>()[i];
    case DataType::kUint32: return t.flat<uint32_t>()[i];
    default: return 0;
  }
}

/// All elements of an integer tensor.
inline Indices ints_of(const Tensor& t) {
  Indices v(static_cast<size_t>(t.num_elements()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = int_at(t, static_cast<int64_t>(i));
  return v;
}

/// Writes element i of an int32 or int64 tensor.
inline void set_int(Tensor* t, int64_t i, int64_t value) {
  if (t->dtype() == DataType::kInt32) {
    t->flat<int32_t>()[i] = static_cast<int32_t>(value);
  } else {
    t->flat<int64_t>()[i] = value;
  }
}

/// Strides of a row-major tensor, in elements.
inline Indices strides_of(const Shape& shape) {
  Indices s(shape.rank());
  uint64_t n = 1;  // Wraps for shapes like [0, 2^62, 2^62], which have no elements to reach.
  for (int i = shape.rank() - 1; i >= 0; --i) {
    s[i] = static_cast<int64_t>(n);
    n *= static_cast<uint64_t>(shape.dim(i));
  }
  return s;
}

/// Product of the dimensions [begin, end); wraps where the shape has no elements.
inline int64_t count_dims(const Shape& shape, int begin, int end) {
  uint64_t n = 1;
  for (int i = begin; i < end; ++i) n *= static_cast<uint64_t>(shape.dim(i));
  return static_cast<int64_t>(n);
}

inline bool is_vector(const Tensor& t) { return t.rank() == 1; }
inline bool is_scalar(const Tensor& t) { return t.rank() == 0; }

template <class... A>
absl::Status invalid(const A&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// Groups of dtypes as kernels register for them.
inline std::vector<DataType> real_number_types() {
  return {DataType::kBfloat16, DataType::kDouble, DataType::kFloat,  DataType::kHalf,
          DataType::kInt16,    DataType::kInt32,  DataType::kInt64,  DataType::kInt8,
          DataType::kUint16,   DataType::kUint32, DataType::kUint64, DataType::kUint8};
}
inline std::vector<DataType> with(std::vector<DataType> types, std::initializer_list<DataType> more) {
  types.insert(types.end(), more);
  return types;
}
inline std::vector<DataType> number_types() {
  return with(real_number_types(), {DataType::kComplex64, DataType::kComplex128});
}
inline std::vector<DataType> pod_types() { return with(number_types(), {DataType::kBool}); }
inline std::vector<DataType> value_types() { return with(pod_types(), {DataType::kString}); }
inline std::vector<DataType> every_type() {
  return with(value_types(), {DataType::kResource, DataType::kVariant});
}
inline std::vector<DataType> quantized_types() {
  return {DataType::kQint8, DataType::kQuint8, DataType::kQint16, DataType::kQuint16, DataType::kQint32};
}
inline std::vector<DataType> float_types() {
  return {DataType::kFloat, DataType::kDouble, DataType::kHalf, DataType::kBfloat16};
}
inline std::vector<DataType> index_types() { return {DataType::kInt32, DataType::kInt64}; }

}  // namespace troupe
