#include "devices/cpu/kernels/norm/norm.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_norm_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/norm/registrars.def"
#undef TROUPE_KERNELS

void register_norm_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_norm_##file(registry);
#include "devices/cpu/kernels/norm/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
