#include "devices/cpu/kernels/parsing/parsing.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_parsing_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/parsing/registrars.def"
#undef TROUPE_KERNELS

void register_parsing_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_parsing_##file(registry);
#include "devices/cpu/kernels/parsing/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
