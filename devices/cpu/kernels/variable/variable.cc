#include "devices/cpu/kernels/variable/variable.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_variable_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/variable/registrars.def"
#undef TROUPE_KERNELS

void register_variable_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_variable_##file(registry);
#include "devices/cpu/kernels/variable/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
