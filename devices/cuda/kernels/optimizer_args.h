#pragma once

#include <cstdint>

namespace troupe {

/// One update of the slots of an optimiser, as an argument of kernels. Pointers are to the device's memory.
struct OptimizerArgs {
  static constexpr int kMaxSlots = 4;
  static constexpr int kMaxScalars = 8;

  /// The variable and, behind it, its accumulators, moments and so on; written in place. Two may be the same memory.
  void* slots[kMaxSlots] = {};
  const void* grad = nullptr;
  /// One element each, in the order of the op's signature; null behind the last.
  const void* scalars[kMaxScalars] = {};
  const int64_t* global_step = nullptr;
  /// Of the gradient.
  int64_t elements = 0;
  /// The op's own switch: use_nesterov, update_slots or multiply_linear_by_lr.
  int32_t flag = 0;

  /// @name Sparse updates: row i of the gradient is for row rows[i] of the slots
  /// int32 or int64; null for dense updates.
  const void* rows = nullptr;
  int32_t has_wide_rows = 0;
  int64_t num_rows = 0;
  /// Rows of the slots; indices beyond are passed over.
  int64_t limit = 0;
  int64_t row_elements = 0;
  /// For each row of the slots: num_rows less the first i whose index it is (0: none), and how many there are.
  const int32_t* first = nullptr;
  const int32_t* count = nullptr;
};

}  // namespace troupe
