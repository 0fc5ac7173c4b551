#include "devices/cuda/cuda_device.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "devices/cuda/virtual_gpu.h"
#include "devices/incarnation.h"

namespace troupe {

CudaDevice::CudaDevice(DeviceAttributes attributes, std::shared_ptr<VirtualGpu> gpu,
                       Allocator* host_allocator, ParallelRunner* runner)
    : Device(std::move(attributes), &gpu->memory(), runner), gpu_(std::move(gpu)),
      host_allocator_(host_allocator) {}

CudaDevice::~CudaDevice() {
  // Variables give their memory back while it is there.
  resources().clear();
}

Gpu& CudaDevice::gpu() const { return gpu_->gpu(); }
Stream& CudaDevice::compute() const { return gpu_->compute(); }
CopyEngine& CudaDevice::copies() const { return gpu_->copies(); }

void CudaDevice::when_done(std::function<void(absl::Status)> done) { gpu_->when_done(std::move(done)); }

absl::Status CudaDevice::health() const { return gpu().health(); }

std::shared_ptr<const Allocator> CudaDevice::share_memory() const { return {gpu_, &gpu_->memory()}; }

std::unique_ptr<CudaDevice> make_cuda_device(const std::string& prefix, int index,
                                             std::shared_ptr<VirtualGpu> gpu, Allocator* host_allocator,
                                             ParallelRunner* runner) {
  DeviceAttributes a;
  a.name = absl::StrCat(prefix, "/device:GPU:", index);
  a.type = "GPU";
  a.memory_limit_bytes = gpu->memory().stats().bytes_limit;
  a.incarnation = new_incarnation();
  a.physical_description = gpu->gpu().description();
  return std::make_unique<CudaDevice>(std::move(a), std::move(gpu), host_allocator, runner);
}

}  // namespace troupe
