#include "graph/ops/register_ops.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "graph/ops/shapes/shapes.h"

namespace troupe {
namespace {

constexpr OpFamily kFamilies[] = {
    {"array", register_array_ops},
    {"checkpoint", register_checkpoint_ops},
    {"control", register_control_ops},
    {"conv", register_conv_ops},
    {"cwise", register_cwise_ops},
    {"dataset", register_dataset_function_ops},
    {"dataset", register_dataset_iterator_ops},
    {"dataset", register_dataset_source_ops},
    {"dataset", register_dataset_transformation_ops},
    {"image", register_image_ops},
    {"linalg", register_linalg_ops},
    {"list", register_list_ops},
    {"matmul", register_matmul_ops},
    {"nn", register_nn_ops},
    {"norm", register_norm_ops},
    {"parsing", register_parsing_ops},
    {"pool", register_pool_ops},
    {"quantized", register_quantized_ops},
    {"queue", register_queue_ops},
    {"ragged", register_ragged_ops},
    {"random", register_random_ops},
    {"reduce", register_reduce_ops},
    {"signal", register_signal_ops},
    {"sparse", register_sparse_ops},
    {"string", register_string_ops},
    {"summary", register_summary_ops},
    {"table", register_table_ops},
    {"training", register_training_ops},
    {"variable", register_variable_ops},
};

}  // namespace

std::span<const OpFamily> op_families() { return kFamilies; }

absl::Status register_all_ops(OpRegistry* registry) {
  for (const OpFamily& family : kFamilies) {
    TROUPE_RETURN_IF_ERROR(registry->add_family(family.name, family.add));
  }
  return shapes::register_all_shapes(registry);
}

const OpRegistry& builtin_ops() {
  static const OpRegistry* registry = [] {
    auto* r = new OpRegistry;
    if (absl::Status s = register_all_ops(r); !s.ok()) {
      std::fprintf(stderr, "%s\n", std::string(s.message()).c_str());
      std::abort();
    }
    return r;
  }();
  return *registry;
}

}  // namespace troupe
