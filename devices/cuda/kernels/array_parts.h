#pragma once

#include <string>
#include <vector>

#include "devices/common/array_values.h"
#include "devices/cuda/enqueue.h"
#include "devices/cuda/kernels/host_kernel.h"
#include "devices/cuda/kernels/strided_copy.h"

namespace troupe {

// What the array ops' sources for GPUs have in common.

/// What lies in a GPU's memory; int32, which shapes are made of, is with most ops in the host's, as in TensorFlow.
inline std::vector<DataType> gpu_types() {
  return {DataType::kFloat,     DataType::kDouble,     DataType::kHalf,   DataType::kBfloat16,
          DataType::kComplex64, DataType::kComplex128, DataType::kBool,   DataType::kInt8,
          DataType::kUint8,     DataType::kInt16,      DataType::kUint16, DataType::kUint32,
          DataType::kInt64,     DataType::kUint64};
}
inline std::vector<DataType> gpu_types_and_int32() { return with(gpu_types(), {DataType::kInt32}); }

/// Registers the CPU's kernel for values of the type attr `attr` that are int32, all of whose `args` are then in the host's memory.
inline void add_int32_on_host(KernelRegistry* registry, const char* op, std::vector<std::string> args,
                              const char* attr = "T") {
  add_host_kernel(registry,
                  KernelDef(op).device("GPU").types(attr, {DataType::kInt32}).host_memory(std::move(args)));
}

/// The sources' registrations.
void register_cuda_array_shape(KernelRegistry* registry);
void register_cuda_array_join(KernelRegistry* registry);
void register_cuda_array_slice(KernelRegistry* registry);
void register_cuda_array_move(KernelRegistry* registry);
void register_cuda_array_pad(KernelRegistry* registry);
void register_cuda_array_block(KernelRegistry* registry);
void register_cuda_array_gather(KernelRegistry* registry);
void register_cuda_array_scatter_nd(KernelRegistry* registry);
void register_cuda_array_matrix(KernelRegistry* registry);
void register_cuda_array_sort(KernelRegistry* registry);

}  // namespace troupe
