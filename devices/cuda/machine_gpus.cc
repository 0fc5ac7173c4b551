#include "devices/cuda/machine_gpus.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/gpu_choice.h"

namespace troupe {
namespace {

std::string capability_text(int number) { return absl::StrCat(number / 10, ".", number % 10); }

}  // namespace

std::shared_ptr<MachineGpus> MachineGpus::find(const absl::StatusOr<const cuda::Driver*>& driver,
                                               const GpuKernels& kernels) {
  std::shared_ptr<MachineGpus> machine(new MachineGpus);
  machine->why_none_ = machine->look(driver, kernels);
  return machine;
}

MachineGpus::~MachineGpus() = default;

absl::Status MachineGpus::look(const absl::StatusOr<const cuda::Driver*>& driver, const GpuKernels& kernels) {
  if (kernels.images.empty()) return absl::UnavailableError("built without CUDA kernels");
  TROUPE_RETURN_IF_ERROR(driver.status());
  int count = 0;
  const cuda::CUresult result = (*driver)->cuDeviceGetCount(&count);
  TROUPE_RETURN_IF_ERROR(driver_status(**driver, result, "cuDeviceGetCount"));
  for (int i = 0; i < count; ++i) {
    absl::StatusOr<std::shared_ptr<Gpu>> gpu = Gpu::open(*driver, i, kernels.images);
    if (!gpu.ok()) {
      ignored_.push_back(absl::StrCat("Ignoring visible gpu device: ", gpu.status().message()));
      continue;
    }
    const GpuAttributes& a = (*gpu)->attributes();
    const int capability = 10 * a.compute_major + a.compute_minor;
    if (capability < kernels.least_capability) {
      ignored_.push_back(absl::StrCat("Ignoring visible gpu device (", (*gpu)->description(),
                                      ") with core compute capability ", capability_text(capability),
                                      ". The minimum required Cuda capability is ",
                                      capability_text(kernels.least_capability), "."));
      continue;
    }
    gpus_.push_back(*std::move(gpu));
  }
  if (!gpus_.empty()) return absl::OkStatus();
  return absl::UnavailableError(ignored_.empty() ? "no GPU" : absl::StrJoin(ignored_, "; "));
}

absl::StatusOr<std::vector<std::shared_ptr<VirtualGpu>>> MachineGpus::parts(const GpuOptions& options,
                                                                            std::optional<int> count) {
  std::vector<std::shared_ptr<VirtualGpu>> parts;
  if (gpus_.empty()) return parts;
  TROUPE_ASSIGN_OR_RETURN(const std::vector<GpuPart> chosen, choose_gpus(options, count, size()));
  std::lock_guard lock(mu_);
  for (const GpuPart& p : chosen) {
    TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<VirtualGpu> made,
                            part({p.gpu, p.part, p.limit_bytes, p.priority}, options));
    parts.push_back(std::move(made));
  }
  return parts;
}

absl::StatusOr<std::shared_ptr<VirtualGpu>> MachineGpus::part(const Key& key, const GpuOptions& options) {
  if (const auto found = parts_.find(key); found != parts_.end()) return found->second;
  const auto [at, number, limit_bytes, priority] = key;
  const std::shared_ptr<Gpu>& gpu = gpus_[at];
  TROUPE_RETURN_IF_ERROR(gpu->start());
  int64_t limit = limit_bytes;
  if (limit == 0) {
    TROUPE_ASSIGN_OR_RETURN(const int64_t free, gpu->free_memory());
    TROUPE_ASSIGN_OR_RETURN(
        limit, memory_share(options, gpu->attributes().memory_bytes, free, gpu->attributes().compute_major));
  }
  if (poller_ == nullptr) poller_ = std::make_shared<EventPoller>();
  // Any context's pinned memory is for all; not a lost one's.
  if (pinned_ == nullptr || pinned_->is_lost()) pinned_ = PinnedAllocator::make(gpu);
  VirtualGpu::Options wanted{.memory = {.name = absl::StrCat("GPU_", parts_.size(), "_bfc"),
                                        .limit_bytes = static_cast<size_t>(limit),
                                        .grows = options.allow_growth},
                             .priority = priority,
                             .poller = poller_,
                             .pinned = pinned_};
  TROUPE_ASSIGN_OR_RETURN(std::shared_ptr<VirtualGpu> made, VirtualGpu::make(gpu, std::move(wanted)));
  parts_[key] = made;
  return made;
}

DeviceType gpu_device_type(std::shared_ptr<MachineGpus> gpus) {
  DeviceType type;
  type.name = "GPU";
  type.priority = kGpuPriority;
  type.make = [gpus = std::move(gpus)](
                  const DeviceRequest& request) -> absl::StatusOr<std::vector<std::shared_ptr<Device>>> {
    TROUPE_ASSIGN_OR_RETURN(std::vector<std::shared_ptr<VirtualGpu>> parts,
                            gpus->parts(request.gpu, request.count));
    std::vector<std::shared_ptr<Device>> devices;
    for (std::shared_ptr<VirtualGpu>& part : parts) {
      const int index = static_cast<int>(devices.size());
      devices.push_back(
          make_cuda_device(request.task, index, std::move(part), request.host_memory, request.loops));
    }
    return devices;
  };
  return type;
}

}  // namespace troupe
