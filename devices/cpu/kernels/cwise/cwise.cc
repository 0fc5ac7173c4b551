#include "devices/cpu/kernels/cwise/cwise.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_cwise_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/cwise/registrars.def"
#undef TROUPE_KERNELS

void register_cwise_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_cwise_##file(registry);
#include "devices/cpu/kernels/cwise/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
