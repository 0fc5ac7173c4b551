#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/cord.h"

namespace troupe {

/// Large enough that messages cost little beside their bytes, small enough that a reader acknowledges often while its writer goes on.
inline constexpr size_t kChunkBytes = size_t{256} << 10;

/// A piece of a value on its way from one node to another: bytes [offset, offset + bytes.size()) of `total`. All pieces but the last have
/// kChunkBytes; an empty value is one empty piece.
struct Chunk {
  /// Counts the values from one sender to one receiver, from 1 on.
  uint64_t stream = 0;
  uint64_t total = 0;
  uint64_t offset = 0;
  /// Shares the memory of the value.
  absl::Cord bytes;
};

}  // namespace troupe
