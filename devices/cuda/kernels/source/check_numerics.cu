// CheckNumerics: whether there is NaN (found[0]), +infinity (1), -infinity (2).
#include "devices/cuda/kernels/source/array.h"

namespace troupe::launchable {
namespace {

template <class T>
TROUPE_DEVICE_ONLY void check_numerics(const T* x, int32_t* found, int64_t n) {
  TROUPE_FOR_EACH(i, n) {
    const auto v = static_cast<compute_t<T>>(x[i]);
    if (v - v == 0) continue;
    atomic_max(found + (v != v ? 0 : v > 0 ? 1 : 2), int32_t{1});
  }
}

}  // namespace
}  // namespace troupe::launchable

#define TROUPE_CHECK(suffix, T)                                                     \
  TROUPE_KERNEL(check_numerics_##suffix, (const T* x, int32_t* found, int64_t n)) { \
    check_numerics(x, found, n);                                                    \
  }
TROUPE_EACH_FLOAT(TROUPE_CHECK)
