#include "devices/cpu/kernels/linalg/linalg.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_linalg_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/linalg/registrars.def"
#undef TROUPE_KERNELS

void register_linalg_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_linalg_##file(registry);
#include "devices/cpu/kernels/linalg/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
