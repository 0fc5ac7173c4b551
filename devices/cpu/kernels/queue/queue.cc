#include "devices/cpu/kernels/queue/queue.h"

namespace troupe {

#define TROUPE_KERNELS(file) void register_queue_##file(KernelRegistry* registry);
#include "devices/cpu/kernels/queue/registrars.def"
#undef TROUPE_KERNELS

void register_queue_kernels(KernelRegistry* registry) {
#define TROUPE_KERNELS(file) register_queue_##file(registry);
#include "devices/cpu/kernels/queue/registrars.def"
#undef TROUPE_KERNELS
}

}  // namespace troupe
