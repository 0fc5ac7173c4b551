#include "devices/cpu/kernels/array/array.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_array_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/array/registrars.def"
#undef TROUPE_KERNELS

void register_array_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_array_##file(registry);
#include "devices/cpu/kernels/array/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
