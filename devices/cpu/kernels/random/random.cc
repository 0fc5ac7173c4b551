#include "devices/cpu/kernels/random/random.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_random_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/random/registrars.def"
#undef TROUPE_KERNELS

void register_random_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_random_##file(registry);
#include "devices/cpu/kernels/random/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
