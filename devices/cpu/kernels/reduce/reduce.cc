#include "devices/cpu/kernels/reduce/reduce.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_reduce_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/reduce/registrars.def"
#undef TROUPE_KERNELS

void register_reduce_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_reduce_##file(registry);
#include "devices/cpu/kernels/reduce/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
