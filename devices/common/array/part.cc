#include "devices/common/array/part.h"

namespace troupe {
namespace {

/// Below, a copy is as quick as another buffer.
constexpr size_t kLeastPartBytes = 1024;
/// A part keeps at most so many times its own bytes.
constexpr size_t kMostKept = 4;

}  // namespace

bool can_be_part(const Tensor& whole, int64_t offset, int64_t count) {
  const size_t size = dtype_size(whole.dtype());
  const auto begin = reinterpret_cast<uintptr_t>(whole.raw()) + static_cast<size_t>(offset) * size;
  return static_cast<size_t>(count) * size >= kLeastPartBytes && begin % Allocator::kAlignmentBytes == 0;
}

bool can_be_only_part(const Tensor& whole, int64_t offset, int64_t count) {
  return can_be_part(whole, offset, count) && static_cast<size_t>(count) * dtype_size(whole.dtype()) >=
                                                  whole.buffer()->whole().bytes() / kMostKept;
}

}  // namespace troupe
