#pragma once

#include <cstdint>

namespace troupe {

/// What the kernel `product` is asked for: C[b] = op(A[b]) op(B[b]) for every b of a batch. C is row-major and dense, one matrix
/// behind the other. Strides in elements.
struct ProductArgs {
  int64_t m = 0, n = 0, k = 0;
  int64_t batch = 1;
  /// From one matrix to the next; 0 takes the same again.
  int64_t a_batch = 0, b_batch = 0;
  /// op(A) is m by k, op(B) is k by n: from one row to the next, and along a row.
  int64_t a_row = 0, a_along = 1;
  int64_t b_row = 0, b_along = 1;
  /// Complex numbers are conjugated.
  bool conjugate_a = false, conjugate_b = false;
};

}  // namespace troupe
