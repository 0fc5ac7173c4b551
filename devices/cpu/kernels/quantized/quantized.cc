#include "devices/cpu/kernels/quantized/quantized.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_quantized_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/quantized/registrars.def"
#undef TROUPE_KERNELS

void register_quantized_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_quantized_##file(registry);
#include "devices/cpu/kernels/quantized/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
