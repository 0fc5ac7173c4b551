#pragma once

#include "devices/kernel_registry.h"

namespace troupe {

/// A function of its context and of the registry that the kernel is in: for ops that run the kernels of others.
using RegistryKernelFn = absl::Status (*)(KernelContext& context, const KernelRegistry& kernels);

/// Makes a kernel of such a function. The registry must outlive its kernels.
KernelFactory with_registry(RegistryKernelFn fn, const KernelRegistry* kernels, bool cheap = false);

}  // namespace troupe
