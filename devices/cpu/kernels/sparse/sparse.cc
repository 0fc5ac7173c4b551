#include "devices/cpu/kernels/sparse/sparse.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_sparse_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/sparse/registrars.def"
#undef TROUPE_KERNELS

void register_sparse_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_sparse_##file(registry);
#include "devices/cpu/kernels/sparse/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
