#include "devices/cpu/kernels/list/list.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_list_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/list/registrars.def"
#undef TROUPE_KERNELS

void register_list_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_list_##file(registry);
#include "devices/cpu/kernels/list/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
