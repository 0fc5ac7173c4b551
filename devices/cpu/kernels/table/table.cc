#include "devices/cpu/kernels/table/table.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_table_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/table/registrars.def"
#undef TROUPE_KERNELS

void register_table_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_table_##file(registry);
#include "devices/cpu/kernels/table/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
