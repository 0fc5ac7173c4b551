#include "devices/cuda/kernels/register_kernels.h"

#include "devices/cuda/kernels/array.h"
#include "devices/cuda/kernels/check_numerics.h"
#include "devices/cuda/kernels/control.h"
#include "devices/cuda/kernels/conv.h"
#include "devices/cuda/kernels/copies.h"
#include "devices/cuda/kernels/cwise.h"
#include "devices/cuda/kernels/image.h"
#include "devices/cuda/kernels/list.h"
#include "devices/cuda/kernels/matmul.h"
#include "devices/cuda/kernels/norm.h"
#include "devices/cuda/kernels/pool.h"
#include "devices/cuda/kernels/quantized.h"
#include "devices/cuda/kernels/random.h"
#include "devices/cuda/kernels/reduce.h"
#include "devices/cuda/kernels/scatter.h"
#include "devices/cuda/kernels/segment.h"
#include "devices/cuda/kernels/softmax.h"
#include "devices/cuda/kernels/stitch.h"
#include "devices/cuda/kernels/training.h"
#include "devices/cuda/kernels/variable.h"

namespace troupe {
namespace {

/// A family has the name of the CPU's.
struct Family {
  const char* name;
  void (*add)(KernelRegistry* registry);
};
constexpr Family kFamilies[] = {
    {"array", register_cuda_array_kernels},
    {"array", register_cuda_scatter_kernels},
    {"array", register_cuda_segment_kernels},
    {"array", register_cuda_stitch_kernels},
    {"control", register_cuda_control_kernels},
    {"control", register_cuda_copy_kernels},
    {"conv", register_cuda_conv_kernels},
    {"cwise", register_cuda_check_numerics_kernels},
    {"cwise", register_cuda_cwise_kernels},
    {"image", register_cuda_image_kernels},
    {"list", register_cuda_list_kernels},
    {"matmul", register_cuda_matmul_kernels},
    {"nn", register_cuda_softmax_kernels},
    {"norm", register_cuda_norm_kernels},
    {"pool", register_cuda_pool_kernels},
    {"quantized", register_cuda_quantized_kernels},
    {"random", register_cuda_random_kernels},
    {"reduce", register_cuda_reduce_kernels},
    {"training", register_cuda_training_kernels},
    {"variable", register_cuda_variable_kernels},
};

}  // namespace

void register_cuda_kernels(KernelRegistry* registry) {
  for (const Family& family : kFamilies) registry->add_family(family.name, family.add);
}

}  // namespace troupe
