#include "devices/cpu/kernels/checkpoint/checkpoint.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_checkpoint_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/checkpoint/registrars.def"
#undef TROUPE_KERNELS

void register_checkpoint_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_checkpoint_##file(registry);
#include "devices/cpu/kernels/checkpoint/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
