// Elements of one tensor or of another, and one element for many: by the size of elements, which are only moved.
#include "devices/cuda/kernels/source/elementwise.h"

/// Operands: condition, then, else.
#define TROUPE_SELECT(suffix, T)                                                                                               \
  TROUPE_KERNEL(select_##suffix, (const bool* condition, const T* t, const T* e, T* y, BroadcastPlan<3> plan)) {               \
    for_each_located(plan, [&](int64_t i, const auto& at) { y[i] = condition[at[0]] ? t[at[1]] : e[at[2]]; });                 \
  }                                                                                                                            \
  TROUPE_KERNEL(select_rows_##suffix, (const bool* condition, const T* t, const T* e, T* y, int64_t rows, int64_t row)) {      \
    TROUPE_FOR_EACH(i, rows * row) { y[i] = condition[i / row] ? t[i] : e[i]; }                                                \
  }                                                                                                                            \
  TROUPE_KERNEL(broadcast_##suffix, (const T* x, T* y, BroadcastPlan<1> plan)) {                                               \
    for_each_located(plan, [&](int64_t i, const auto& at) { y[i] = x[at[0]]; });                                               \
  }
TROUPE_SELECT(u8, uint8_t)
TROUPE_SELECT(u16, uint16_t)
TROUPE_SELECT(u32, uint32_t)
TROUPE_SELECT(u64, uint64_t)
TROUPE_SELECT(c128, complex128_t)
