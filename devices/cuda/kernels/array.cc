#include "devices/cuda/kernels/array.h"

#include "devices/cuda/kernels/array_parts.h"

namespace troupe {

void register_cuda_array_kernels(KernelRegistry* registry) {
  register_cuda_array_shape(registry);
  register_cuda_array_join(registry);
  register_cuda_array_slice(registry);
  register_cuda_array_move(registry);
  register_cuda_array_pad(registry);
  register_cuda_array_block(registry);
  register_cuda_array_gather(registry);
  register_cuda_array_scatter_nd(registry);
  register_cuda_array_matrix(registry);
  register_cuda_array_sort(registry);
}

}  // namespace troupe
