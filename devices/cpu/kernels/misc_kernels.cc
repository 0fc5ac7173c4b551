#include "devices/cpu/kernels/misc_families.h"

namespace troupe {

void register_misc_kernels(KernelRegistry* registry) {
  register_rng_resource_kernels(registry);
  register_random_binomial_kernels(registry);
  register_random_rounding_kernels(registry);
  register_random_box_kernels(registry);
  register_index_shuffle_kernels(registry);
  register_ragged_cross_kernels(registry);
  register_proto_kernels(registry);
}

}  // namespace troupe
