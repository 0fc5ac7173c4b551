#include "devices/cpu/kernels/matmul/matmul.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_matmul_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/matmul/registrars.def"
#undef TROUPE_KERNELS

void register_matmul_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_matmul_##file(registry);
#include "devices/cpu/kernels/matmul/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
