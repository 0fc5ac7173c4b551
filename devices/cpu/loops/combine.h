#pragma once

#include <cstdint>

#include "graph/tensor/dtype.h"

namespace troupe {

/// How a new value joins an old one: scatters, segments, in-place updates.
enum class Combine : uint8_t { kAssign, kAdd, kSub, kMul, kDiv, kMin, kMax };

/// to[i] = to[i] op from[i] for n elements. Integers wrap; Add of bools is or, of strings concatenation; min and max
/// of a pair with a NaN is the second unless the first is the smaller or larger one.
using CombineLoop = void (*)(void* to, const void* from, int64_t n);

/// Null where the dtype lacks the operation.
CombineLoop combine_loop(Combine op, DataType dtype);

/// True when an integer among the `n` elements is 0, so that Div by them is refused. False for other dtypes.
bool has_integer_zero(DataType dtype, const void* data, int64_t n);

}  // namespace troupe
