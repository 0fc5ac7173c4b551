// Kernels for tests of what is below kernels: compiled for the emulated driver alone.
#include "devices/cuda/kernels/source/launchable.h"

TROUPE_KERNEL(test_set, (int32_t * x, int32_t value, int64_t n)) {
  TROUPE_FOR_EACH(i, n) { x[i] = value; }
}

TROUPE_KERNEL(test_add, (const int32_t* from, int32_t* to, int32_t by, int64_t n)) {
  TROUPE_FOR_EACH(i, n) { to[i] = from[i] + by; }
}
