#include "devices/stateful_kernels.h"

namespace troupe {

absl::StatusOr<std::shared_ptr<Kernel>> StatefulKernels::find_or_create(
    const std::string& key, const std::function<absl::StatusOr<std::unique_ptr<Kernel>>()>& make) {
  std::lock_guard lock(mu_);
  auto& slot = kernels_[key];
  if (slot == nullptr) {
    auto made = make();
    if (!made.ok()) {
      kernels_.erase(key);
      return made.status();
    }
    slot = *std::move(made);
  }
  return slot;
}

}  // namespace troupe
