#include "devices/cpu/kernels/string/string.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_string_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/string/registrars.def"
#undef TROUPE_KERNELS

void register_string_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_string_##file(registry);
#include "devices/cpu/kernels/string/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
