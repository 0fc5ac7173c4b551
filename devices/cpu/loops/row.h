#pragma once

#include <stdint.h>

namespace troupe {

/// Which operand of a row is one element that stands for all.
enum class RowMode : uint8_t { kBoth, kScalarA, kScalarB };

/// out[i] = op(a[i], b[i]) for a row of n elements, where an operand may be a single element. Returns false when an
/// element had no result (integer division by zero); the caller knows the message.
using BinaryRow = bool (*)(const void* a, const void* b, void* out, int64_t n, RowMode mode);
/// out[i] = op(in[i]). `out` may be `in` when the element sizes are equal.
using UnaryRow = void (*)(const void* in, void* out, int64_t n);

}  // namespace troupe
