#include "devices/cpu/kernels/pool/pool.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_pool_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/pool/registrars.def"
#undef TROUPE_KERNELS

void register_pool_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_pool_##file(registry);
#include "devices/cpu/kernels/pool/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
