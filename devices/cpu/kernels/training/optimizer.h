#pragma once

#include <cstdint>

#include "devices/common/training/optimizer_slots.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// One update of the slots of an optimiser: var and, behind it, its accumulators, moments and so on.
struct OptimizerCall {
  static constexpr int kMaxSlots = OptimizerLayout::kMaxSlots;
  static constexpr int kMaxScalars = OptimizerLayout::kMaxScalars;

  /// The elements, all of one dtype and shape; written in place. Two may be the same memory.
  void* slots[kMaxSlots] = {};
  const void* grad = nullptr;
  /// One element each, in the order of the op's signature without slots, gradient, indices and global step.
  const void* scalars[kMaxScalars] = {};
  int num_scalars = 0;
  int64_t global_step = 0;
  /// The op's own switch: use_nesterov, update_slots or multiply_linear_by_lr.
  bool flag = false;
  /// Row i of the gradient updates row rows[i] of the slots, each of `row_elements`; null for dense updates.
  const int64_t* rows = nullptr;
  int64_t row_elements = 0;
};

/// Updates the elements [begin, end), or, of a sparse call, for the rows [begin, end) of the gradient in that
/// order.
using OptimizerLoop = void (*)(const OptimizerCall& call, int64_t begin, int64_t end);

/// Which scalars must not have which sign.
enum class OptimizerSigns : uint8_t {
  kAny,
  /// lr > 0, l1 >= 0, l2 >= 0.
  kProximal,
  /// As kProximal, l2_shrinkage >= 0, lr_power <= 0, lr may be 0 if the flag is set; sparse forms only.
  kFtrl,
};

/// One optimiser: it serves the ops ApplyX, ResourceApplyX, SparseApplyX and ResourceSparseApplyX that exist.
struct OptimizerRow {
  static constexpr int kDense = 1;
  static constexpr int kResourceDense = 2;
  static constexpr int kSparse = 4;
  static constexpr int kResourceSparse = 8;
  static constexpr int kBoth = kDense | kResourceDense;
  static constexpr int kAll = 15;

  const char* name;
  int forms;
  /// Null for dtypes that the op has no kernel for.
  OptimizerLoop (*dense)(DataType dtype);
  OptimizerLoop (*sparse)(DataType dtype);
  /// Attr behind OptimizerCall::flag, or null.
  const char* flag = nullptr;
  OptimizerSigns signs = OptimizerSigns::kAny;
};

/// Registers all forms of a row.
void add_optimizer(KernelRegistry* registry, const OptimizerRow& row);

}  // namespace troupe
