#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// SparseTensorDenseMatMul: part of register_matmul_kernels.
void register_sparse_matmul_kernels(KernelRegistry* r);

}  // namespace troupe
