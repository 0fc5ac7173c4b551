#include "devices/cuda/gpu.h"

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace troupe {
Gpu::Current::Current(Gpu& gpu) : gpu_(gpu) {
  gpu_.driver_->cuCtxGetCurrent(&before_);
  if (before_ != gpu_.context_) gpu_.driver_->cuCtxSetCurrent(gpu_.context_);
}

Gpu::Current::~Current() {
  // A thread that had none keeps ours: it is one of ours, and will come again.
  if (before_ != nullptr && before_ != gpu_.context_) gpu_.driver_->cuCtxSetCurrent(before_);
}

absl::StatusOr<std::shared_ptr<Gpu>> Gpu::open(const cuda::Driver* driver, int ordinal,
                                               std::vector<const void*> images) {
  std::shared_ptr<Gpu> gpu(new Gpu(driver, ordinal, std::move(images)));
  TROUPE_RETURN_IF_ERROR(gpu->read_attributes());
  return gpu;
}

Gpu::~Gpu() {
  companion_.reset();
  end_context();
}

absl::Status Gpu::read_attributes() {
  label_ = absl::StrCat("GPU ", ordinal_);
  TROUPE_RETURN_IF_ERROR(check(driver_->cuDeviceGet(&device_, ordinal_), "cuDeviceGet"));
  std::array<char, 256> text{};
  TROUPE_RETURN_IF_ERROR(
      check(driver_->cuDeviceGetName(text.data(), text.size(), device_), "cuDeviceGetName"));
  attributes_.name = text.data();
  TROUPE_RETURN_IF_ERROR(
      check(driver_->cuDeviceGetPCIBusId(text.data(), text.size(), device_), "cuDeviceGetPCIBusId"));
  // Lower case, as in the files of the system.
  attributes_.pci_bus_id = absl::AsciiStrToLower(text.data());
  size_t bytes = 0;
  TROUPE_RETURN_IF_ERROR(check(driver_->cuDeviceTotalMem(&bytes, device_), "cuDeviceTotalMem"));
  attributes_.memory_bytes = static_cast<int64_t>(bytes);
  const std::pair<cuda::CUdevice_attribute, int*> numbers[] = {
      {cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &attributes_.compute_major},
      {cuda::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &attributes_.compute_minor},
      {cuda::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &attributes_.multiprocessors},
      {cuda::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &attributes_.threads_per_multiprocessor},
      {cuda::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &attributes_.threads_per_block},
      {cuda::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &attributes_.shared_bytes_per_block},
  };
  for (const auto& [attribute, value] : numbers) {
    TROUPE_RETURN_IF_ERROR(
        check(driver_->cuDeviceGetAttribute(value, attribute, device_), "cuDeviceGetAttribute"));
  }
  label_ = absl::StrCat("GPU ", ordinal_, " (", attributes_.name, ", ", attributes_.pci_bus_id, ")");
  return absl::OkStatus();
}

absl::Status Gpu::start() {
  std::lock_guard lock(start_mu_);
  if (started_) return absl::OkStatus();
  const absl::Status status = make_context();
  started_ = status.ok();
  if (!started_) end_context();
  return status;
}

absl::Status Gpu::make_context() {
  TROUPE_RETURN_IF_ERROR(
      check(driver_->cuDevicePrimaryCtxRetain(&context_, device_), "cuDevicePrimaryCtxRetain"));
  Current current(*this);
  for (const void* image : images_) {
    cuda::CUmodule module = nullptr;
    TROUPE_RETURN_IF_ERROR(check(driver_->cuModuleLoadData(&module, image), "cuModuleLoadData"));
    modules_.push_back(module);
  }
  return absl::OkStatus();
}

void Gpu::end_context() {
  if (context_ == nullptr) return;
  if (!is_lost()) {
    Current current(*this);
    for (cuda::CUmodule module : modules_) driver_->cuModuleUnload(module);
  }
  modules_.clear();
  driver_->cuDevicePrimaryCtxRelease(device_);
  context_ = nullptr;
}

std::string Gpu::description() const {
  return absl::StrCat("device: ", ordinal_, ", name: ", attributes_.name,
                      ", pci bus id: ", attributes_.pci_bus_id,
                      ", compute capability: ", attributes_.compute_major, ".", attributes_.compute_minor);
}

absl::StatusOr<const GpuFunction*> Gpu::function(absl::string_view name) {
  {
    std::shared_lock lock(functions_mu_);
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second.get();
  }
  TROUPE_RETURN_IF_ERROR(health());
  const std::string text(name);
  Current current(*this);
  for (cuda::CUmodule module : modules_) {
    auto function = std::make_unique<GpuFunction>();
    const cuda::CUresult result = driver_->cuModuleGetFunction(&function->handle, module, text.c_str());
    if (result == cuda::CUDA_ERROR_NOT_FOUND) continue;
    TROUPE_RETURN_IF_ERROR(check(result, "cuModuleGetFunction"));
    // The driver has no count of them: the first that is none is an invalid value.
    size_t offset = 0, bytes = 0;
    cuda::CUresult known = cuda::CUDA_SUCCESS;
    while ((known = driver_->cuFuncGetParamInfo(function->handle, function->parameter_bytes.size(), &offset,
                                                &bytes)) == cuda::CUDA_SUCCESS)
      function->parameter_bytes.push_back(bytes);
    if (known != cuda::CUDA_ERROR_INVALID_VALUE) TROUPE_RETURN_IF_ERROR(check(known, "cuFuncGetParamInfo"));
    std::unique_lock lock(functions_mu_);
    // Whoever was first.
    return functions_.try_emplace(text, std::move(function)).first->second.get();
  }
  return absl::NotFoundError(absl::StrCat("No CUDA kernel '", name, "' for ", label_));
}

absl::StatusOr<bool> Gpu::enable_peer(Gpu& peer) {
  if (&peer == this || peer.ordinal_ == ordinal_) return true;
  TROUPE_RETURN_IF_ERROR(health());
  std::lock_guard lock(peers_mu_);
  if (const auto known = peers_.find(peer.ordinal_); known != peers_.end()) return known->second;
  int can = 0;
  TROUPE_RETURN_IF_ERROR(
      check(driver_->cuDeviceCanAccessPeer(&can, device_, peer.device_), "cuDeviceCanAccessPeer"));
  if (can != 0) {
    Current current(*this);
    const cuda::CUresult result = driver_->cuCtxEnablePeerAccess(peer.context_, 0);
    if (result == cuda::CUDA_ERROR_TOO_MANY_PEERS || result == cuda::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED) {
      can = 0;
    } else if (result != cuda::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
      TROUPE_RETURN_IF_ERROR(check(result, "cuCtxEnablePeerAccess"));
    }
  }
  return peers_[peer.ordinal_] = can != 0;
}

absl::StatusOr<int64_t> Gpu::free_memory() {
  TROUPE_RETURN_IF_ERROR(health());
  Current current(*this);
  size_t free = 0;
  size_t total = 0;
  TROUPE_RETURN_IF_ERROR(check(driver_->cuMemGetInfo(&free, &total), "cuMemGetInfo"));
  return static_cast<int64_t>(free);
}

std::shared_ptr<void> Gpu::companion(absl::FunctionRef<std::shared_ptr<void>()> make) {
  std::lock_guard lock(companion_mu_);
  if (companion_ == nullptr) companion_ = make();
  return companion_;
}

absl::Status Gpu::check(cuda::CUresult result, absl::string_view call) {
  if (result == cuda::CUDA_SUCCESS) [[likely]]
    return absl::OkStatus();
  const absl::Status status = driver_status(*driver_, result, call);
  if (!means_lost_device(result)) return annotate(status, absl::StrCat(label_, ": "));
  {
    std::lock_guard lock(lost_mu_);
    if (lost_why_.ok()) lost_why_ = annotate(status, absl::StrCat(label_, " is lost: "));
  }
  lost_.store(true, std::memory_order_release);
  return health();
}

absl::Status Gpu::health() const {
  if (!is_lost()) [[likely]]
    return absl::OkStatus();
  std::lock_guard lock(lost_mu_);
  return lost_why_;
}

}  // namespace troupe
