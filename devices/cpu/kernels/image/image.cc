#include "devices/cpu/kernels/image/image.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_image_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/image/registrars.def"
#undef TROUPE_KERNELS

void register_image_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_image_##file(registry);
#include "devices/cpu/kernels/image/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
