#pragma once

#include <span>

#include "devices/kernel_registry.h"

namespace troupe {

/// A family of kernels: a folder beside this file.
struct KernelFamily {
  const char* name;
  void (*add)(KernelRegistry* registry);
};

/// All families, by name.
std::span<const KernelFamily> kernel_families();

/// Adds the kernels of all families.
void register_cpu_kernels(KernelRegistry* registry);

/// Every CPU kernel, made once per process and never destroyed.
const KernelRegistry& builtin_kernels();

}  // namespace troupe
