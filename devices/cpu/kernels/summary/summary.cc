#include "devices/cpu/kernels/summary/summary.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_summary_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/summary/registrars.def"
#undef TROUPE_KERNELS

void register_summary_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_summary_##file(registry);
#include "devices/cpu/kernels/summary/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
