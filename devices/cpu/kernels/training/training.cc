#include "devices/cpu/kernels/training/training.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_training_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/training/registrars.def"
#undef TROUPE_KERNELS

void register_training_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_training_##file(registry);
#include "devices/cpu/kernels/training/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
