#include "devices/cpu/kernels/register_kernels.h"

#include "devices/cpu/kernels/array/array.h"
#include "devices/cpu/kernels/checkpoint/checkpoint.h"
#include "devices/cpu/kernels/control/control.h"
#include "devices/cpu/kernels/conv/conv.h"
#include "devices/cpu/kernels/cwise/cwise.h"
#include "devices/cpu/kernels/dataset/dataset.h"
#include "devices/cpu/kernels/image/image.h"
#include "devices/cpu/kernels/linalg/linalg.h"
#include "devices/cpu/kernels/list/list.h"
#include "devices/cpu/kernels/matmul/matmul.h"
#include "devices/cpu/kernels/nn/nn.h"
#include "devices/cpu/kernels/norm/norm.h"
#include "devices/cpu/kernels/parsing/parsing.h"
#include "devices/cpu/kernels/pool/pool.h"
#include "devices/cpu/kernels/quantized/quantized.h"
#include "devices/cpu/kernels/queue/queue.h"
#include "devices/cpu/kernels/ragged/ragged.h"
#include "devices/cpu/kernels/random/random.h"
#include "devices/cpu/kernels/reduce/reduce.h"
#include "devices/cpu/kernels/signal/signal.h"
#include "devices/cpu/kernels/sparse/sparse.h"
#include "devices/cpu/kernels/string/string.h"
#include "devices/cpu/kernels/summary/summary.h"
#include "devices/cpu/kernels/table/table.h"
#include "devices/cpu/kernels/training/training.h"
#include "devices/cpu/kernels/variable/variable.h"

namespace troupe {
namespace {

constexpr KernelFamily kFamilies[] = {
    {"array", register_array_kernels},
    {"checkpoint", register_checkpoint_kernels},
    {"control", register_control_kernels},
    {"conv", register_conv_kernels},
    {"cwise", register_cwise_kernels},
    {"dataset", register_dataset_kernels},
    {"image", register_image_kernels},
    {"linalg", register_linalg_kernels},
    {"list", register_list_kernels},
    {"matmul", register_matmul_kernels},
    {"nn", register_nn_kernels},
    {"norm", register_norm_kernels},
    {"parsing", register_parsing_kernels},
    {"pool", register_pool_kernels},
    {"quantized", register_quantized_kernels},
    {"queue", register_queue_kernels},
    {"ragged", register_ragged_kernels},
    {"random", register_random_kernels},
    {"reduce", register_reduce_kernels},
    {"signal", register_signal_kernels},
    {"sparse", register_sparse_kernels},
    {"string", register_string_kernels},
    {"summary", register_summary_kernels},
    {"table", register_table_kernels},
    {"training", register_training_kernels},
    {"variable", register_variable_kernels},
};

}  // namespace

std::span<const KernelFamily> kernel_families() { return kFamilies; }

void register_cpu_kernels(KernelRegistry* registry) {
  for (const KernelFamily& family : kFamilies) registry->add_family(family.name, family.add);
}

const KernelRegistry& builtin_kernels() {
  static const KernelRegistry* registry = [] {
    auto* r = new KernelRegistry;
    register_cpu_kernels(r);
    return r;
  }();
  return *registry;
}

}  // namespace troupe
