#include "actors/machine_devices.h"

#include <spdlog/spdlog.h>

#include <string>
#include <vector>

#include "devices/cpu/kernels/register_kernels.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/kernels/images.h"
#include "devices/cuda/kernels/register_kernels.h"
#include "devices/cuda/machine_gpus.h"

namespace troupe {

const KernelRegistry& kernels_with_gpus() {
  static const KernelRegistry* registry = [] {
    auto* r = new KernelRegistry;
    register_cpu_kernels(r);
    register_cuda_kernels(r);
    return r;
  }();
  return *registry;
}

MachineDevices find_machine_devices() {
  const GpuKernels kernels = kernel_images();
  // The driver is not started for nothing: it takes a while, and has threads.
  const absl::StatusOr<const cuda::Driver*> driver = kernels.images.empty() ? nullptr : machine_driver();
  const std::shared_ptr<MachineGpus> gpus = MachineGpus::find(driver, kernels);
  for (const std::string& ignored : gpus->ignored()) spdlog::warn("{}", ignored);
  if (gpus->size() == 0) {
    spdlog::debug("no GPUs: {}", std::string(gpus->why_none().message()));
    return {&builtin_kernels(), {}};
  }
  return {&kernels_with_gpus(), {gpu_device_type(gpus)}};
}

}  // namespace troupe
