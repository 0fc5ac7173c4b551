#include "devices/cpu/kernels/nn/nn.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_nn_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/nn/registrars.def"
#undef TROUPE_KERNELS

void register_nn_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_nn_##file(registry);
#include "devices/cpu/kernels/nn/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
