#pragma once

#include <vector>

#include "devices/device_type.h"
#include "devices/kernel_registry.h"

namespace troupe {

/// Those of CPUs and of GPUs, whether there are any or not. Made once a process, when first asked for.
const KernelRegistry& kernels_with_gpus();

/// What a runtime has of the machine's devices when it brings no kernels of its own.
struct MachineDevices {
  /// Of CPUs; where there are GPUs, of these, too. Made once a process.
  const KernelRegistry* kernels = nullptr;
  /// "GPU", where there are some.
  std::vector<DeviceType> types;
};

/// Looks which GPUs there are, which starts none of them; what is wrong with those that are not used is logged, and why there are none.
MachineDevices find_machine_devices();

}  // namespace troupe
