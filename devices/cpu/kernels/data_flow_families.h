#pragma once

#include <optional>
#include <vector>

#include "devices/cpu/kernels/array_util.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// Adds the kernels of all families below.
void register_data_flow_kernels(KernelRegistry* registry);

void register_tensor_array_kernels(KernelRegistry* registry);
void register_accumulator_kernels(KernelRegistry* registry);
void register_barrier_kernels(KernelRegistry* registry);
void register_optional_kernels(KernelRegistry* registry);
void register_queue_kernels(KernelRegistry* registry);
void register_record_input_kernels(KernelRegistry* registry);
void register_reader_kernels(KernelRegistry* registry);
void register_stack_kernels(KernelRegistry* registry);
void register_staging_kernels(KernelRegistry* registry);
void register_table_kernels(KernelRegistry* registry);
void register_tensor_map_kernels(KernelRegistry* registry);
void register_tensor_list_kernels(KernelRegistry* registry);
void register_tensor_list_bulk_kernels(KernelRegistry* registry);
void register_variant_math_kernels(KernelRegistry* registry);

}  // namespace troupe
