#include "devices/cpu/kernels/signal/signal.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_signal_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/signal/registrars.def"
#undef TROUPE_KERNELS

void register_signal_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_signal_##file(registry);
#include "devices/cpu/kernels/signal/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
