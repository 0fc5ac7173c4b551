#include "devices/cpu/kernels/ragged/ragged.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_ragged_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/ragged/registrars.def"
#undef TROUPE_KERNELS

void register_ragged_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_ragged_##file(registry);
#include "devices/cpu/kernels/ragged/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
