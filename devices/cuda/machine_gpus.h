#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "devices/cuda/virtual_gpu.h"
#include "devices/device_type.h"
#include "devices/gpu_options.h"

namespace troupe {

/// The machine code of kernels, for Gpu::open.
struct GpuKernels {
  /// None: this was built without.
  std::vector<const void*> images;
  /// The oldest GPUs that they run on: 80 is compute capability 8.0.
  int least_capability = 80;
};

/// The GPUs of this machine that the kernels run on, and what sessions have of them. One a runtime; lives until its sessions are gone.
/// Thread-safe.
class MachineGpus {
 public:
  /// Looks which there are, and starts none. `driver`: machine_driver(), or one that tests emulate; it must live as long as the process does.
  static std::shared_ptr<MachineGpus> find(const absl::StatusOr<const cuda::Driver*>& driver,
                                           const GpuKernels& kernels);
  ~MachineGpus();
  MachineGpus(const MachineGpus&) = delete;

  int size() const { return static_cast<int>(gpus_.size()); }
  Gpu& at(int i) const { return *gpus_[i]; }
  /// Why there is none: "no driver: ...", "built without CUDA kernels", "no GPU", or what is wrong with each. OK where there are some.
  const absl::Status& why_none() const { return why_none_; }
  /// What is said of GPUs that are there and not used, one each.
  const std::vector<std::string>& ignored() const { return ignored_; }

  /// What a session with these options has, in the order of its devices' numbers; `count`: at most so many GPUs, all if nothing. Starts those
  /// GPUs. Sessions that want the same part of a GPU share it, and then its memory's limit is what the first one said. Errors are TensorFlow's:
  /// InvalidArgument for lists that make no sense, Unknown for virtual devices of GPUs that are not there; the driver's.
  absl::StatusOr<std::vector<std::shared_ptr<VirtualGpu>>> parts(const GpuOptions& options,
                                                                 std::optional<int> count);

 private:
  /// GPU by place in gpus_, number of the part, its limit in bytes (0: by fraction), its priority.
  using Key = std::tuple<int, int, int64_t, int>;

  MachineGpus() = default;
  absl::Status look(const absl::StatusOr<const cuda::Driver*>& driver, const GpuKernels& kernels);
  /// With mu_ held.
  absl::StatusOr<std::shared_ptr<VirtualGpu>> part(const Key& key, const GpuOptions& options);

  // Constant once made.
  std::vector<std::shared_ptr<Gpu>> gpus_;
  absl::Status why_none_;
  std::vector<std::string> ignored_;

  std::mutex mu_;
  // Guarded by mu_.
  std::shared_ptr<EventPoller> poller_;
  std::shared_ptr<PinnedAllocator> pinned_;
  std::map<Key, std::shared_ptr<VirtualGpu>> parts_;
};

/// "GPU" as a type of devices: what a session gets of `gpus`, which may be none.
DeviceType gpu_device_type(std::shared_ptr<MachineGpus> gpus);

}  // namespace troupe
