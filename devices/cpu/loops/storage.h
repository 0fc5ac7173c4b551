#pragma once

#include <cstdint>

#include "graph/tensor/tensor.h"

namespace troupe {

/// Stands for 16-byte elements (complex128) where only their size matters.
struct Storage16 {
  uint64_t words[2];
};

/// Calls fn with a null pointer of the type that stores elements of `dtype`: an unsigned integer of their size, or
/// the class of strings, resources and variants. False for kInvalid. Keeps loops that only move elements down to one
/// instantiation a size.
template <class F>
bool with_storage(DataType dtype, F&& fn) {
  switch (dtype) {
    case DataType::kString: fn(static_cast<TString*>(nullptr)); return true;
    case DataType::kResource: fn(static_cast<ResourceHandle*>(nullptr)); return true;
    case DataType::kVariant: fn(static_cast<Variant*>(nullptr)); return true;
    default: break;
  }
  switch (dtype_size(dtype)) {
    case 1: fn(static_cast<uint8_t*>(nullptr)); return true;
    case 2: fn(static_cast<uint16_t*>(nullptr)); return true;
    case 4: fn(static_cast<uint32_t*>(nullptr)); return true;
    case 8: fn(static_cast<uint64_t*>(nullptr)); return true;
    case 16: fn(static_cast<Storage16*>(nullptr)); return true;
    default: return false;
  }
}

}  // namespace troupe
