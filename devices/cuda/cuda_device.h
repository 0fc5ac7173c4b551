#pragma once

#include <memory>
#include <string>

#include "devices/cuda/stream.h"
#include "devices/device.h"
#include "devices/enqueuing_device.h"
#include "devices/kernel.h"

namespace troupe {

class CopyEngine;
class VirtualGpu;

/// Placement priority of GPUs among device types, as TensorFlow's.
inline constexpr int kGpuPriority = 210;

/// "GPU:i" of a session. Its memory and streams are a VirtualGpu's, which sessions of a runtime share: whatever one of them frees, the next may
/// take, as the work of all goes on one compute stream. Kernels enqueue and never wait. Thread-safe.
class CudaDevice final : public Device, public EnqueuingDevice {
 public:
  CudaDevice(DeviceAttributes attributes, std::shared_ptr<VirtualGpu> gpu, Allocator* host_allocator,
             ParallelRunner* runner);
  ~CudaDevice() override;

  /// The device of a kernel that was registered for "GPU".
  static CudaDevice& of(const KernelContext& context) { return static_cast<CudaDevice&>(*context.device()); }

  Gpu& gpu() const;
  VirtualGpu& virtual_gpu() const { return *gpu_; }
  /// The one stream on which all kernels go.
  Stream& compute() const;
  CopyEngine& copies() const;
  /// Where kernels put outputs that are host memory.
  Allocator* host_allocator() const { return host_allocator_; }

  void when_done(std::function<void(absl::Status)> done) override;
  std::shared_ptr<const Allocator> share_memory() const override;
  absl::Status health() const override;

 private:
  const std::shared_ptr<VirtualGpu> gpu_;
  Allocator* const host_allocator_;
};

/// Device number `index` among the GPUs of the task named by `prefix` ("/job:localhost/replica:0/task:0"), with a fresh incarnation.
/// `host_allocator` and `runner` must outlive it.
std::unique_ptr<CudaDevice> make_cuda_device(const std::string& prefix, int index,
                                             std::shared_ptr<VirtualGpu> gpu, Allocator* host_allocator,
                                             ParallelRunner* runner);

}  // namespace troupe
