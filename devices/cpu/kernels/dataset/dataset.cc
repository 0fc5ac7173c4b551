#include "devices/cpu/kernels/dataset/dataset.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_dataset_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/dataset/registrars.def"
#undef TROUPE_KERNELS

void register_dataset_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_dataset_##file(registry);
#include "devices/cpu/kernels/dataset/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
