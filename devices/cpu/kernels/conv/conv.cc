#include "devices/cpu/kernels/conv/conv.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_conv_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/conv/registrars.def"
#undef TROUPE_KERNELS

void register_conv_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_conv_##file(registry);
#include "devices/cpu/kernels/conv/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
