#include "devices/cpu/kernels/control/control.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_control_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/control/registrars.def"
#undef TROUPE_KERNELS

void register_control_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_control_##file(registry);
#include "devices/cpu/kernels/control/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
