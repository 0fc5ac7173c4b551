#pragma once

#include <cstdint>

namespace troupe {

/// Bytes that move within a device's memory; an entry of the tables that kernels of source/pieces.cu read.
struct Piece {
  /// Null: zeros.
  const void* from;
  void* to;
  int64_t bytes;
};

}  // namespace troupe
