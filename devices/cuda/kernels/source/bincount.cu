// Bincount and DenseBincount. Sums of float weights are in any order; counts are exact.
#include "devices/cuda/kernels/source/launchable.h"

// values and weights (or null: ones) are [rows, columns], bins [rows, size]. What is no bin is left out. Binary bins: 1 for any.
#define TROUPE_BINCOUNT(index, I, sfx, T)                                                            \
  TROUPE_KERNEL(bincount_of_##index##_##sfx, (const I* values, const T* weights, T* bins, int64_t n, \
                                              int64_t columns, int64_t size, int32_t binary)) {      \
    TROUPE_FOR_EACH(i, n) {                                                                          \
      const int64_t value = values[i];                                                               \
      if (value < 0 || value >= size) continue;                                                      \
      T* bin = bins + i / columns * size + value;                                                    \
      if (binary != 0) {                                                                             \
        *bin = T(1);                                                                                 \
      } else {                                                                                       \
        atomic_add(bin, weights == nullptr ? T(1) : weights[i]);                                     \
      }                                                                                              \
    }                                                                                                \
  }

TROUPE_BINCOUNT(i32, int32_t, f32, float)
TROUPE_BINCOUNT(i32, int32_t, i32, int32_t)
TROUPE_BINCOUNT(i64, int64_t, f32, float)
TROUPE_BINCOUNT(i64, int64_t, i32, int32_t)
