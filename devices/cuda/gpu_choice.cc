#include "devices/cuda/gpu_choice.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/status.h"

namespace troupe {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

absl::StatusOr<std::vector<int>> visible_gpus(const std::string& list, int num_gpus) {
  std::vector<int> visible;
  if (list.empty()) {
    visible.resize(num_gpus);
    std::iota(visible.begin(), visible.end(), 0);
    return visible;
  }
  for (const absl::string_view entry : absl::StrSplit(list, ',')) {
    int id = 0;
    if (!absl::SimpleAtoi(entry, &id)) {
      return absl::InvalidArgumentError(absl::StrCat("Could not parse entry in 'visible_device_list': '",
                                                     entry, "'. visible_device_list = ", list));
    }
    if (id < 0 || id >= num_gpus) {
      return absl::InvalidArgumentError(absl::StrCat("'visible_device_list' listed an invalid Device id '",
                                                     id, "' but visible device count is ", num_gpus));
    }
    visible.push_back(id);
  }
  if (std::set<int>(visible.begin(), visible.end()).size() != visible.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("visible_device_list contained a duplicate entry: ", list));
  }
  return visible;
}

absl::Status check_virtual_devices(const GpuOptions& options, int num_visible, int num_used) {
  const int num_split = static_cast<int>(options.virtual_devices.size());
  if (options.per_process_gpu_memory_fraction > 0) {
    return absl::InvalidArgumentError(
        "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.");
  }
  if (num_used < num_split) {
    return absl::UnknownError(absl::StrCat("Not enough GPUs to create virtual devices. num_gpus_to_use: ",
                                           num_used, " #virtual_devices: ", num_split));
  }
  if (!options.visible_device_list.empty() && num_visible != num_split) {
    return absl::InvalidArgumentError(
        absl::StrCat("The number of GPUs in visible_device_list doesn't match the number of elements in the "
                     "virtual_devices list. "
                     "#GPUs in visible_device_list: ",
                     num_visible, " virtual_devices.size(): ", num_split));
  }
  if (num_used != num_split) {
    return absl::UnknownError(
        absl::StrCat("The number of valid GPUs doesn't match the number of elements in the virtual_devices "
                     "list. #valid GPUs: ",
                     num_used, " virtual_devices.size(): ", num_split));
  }
  for (int i = 0; i < num_split; ++i) {
    const GpuOptions::VirtualDevices& split = options.virtual_devices[i];
    if (split.priority.empty() || split.priority.size() == split.memory_limit_mb.size()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Number of virtual device priorities specified doesn't match with number of "
                     "memory_limit_mb specified for GPU# ",
                     i, " memory_limit_mb size: ", split.memory_limit_mb.size(),
                     " and priority size: ", split.priority.size()));
  }
  return absl::OkStatus();
}

absl::Status add_parts(int gpu, const GpuOptions::VirtualDevices& split, std::vector<GpuPart>* parts) {
  if (split.memory_limit_mb.empty()) parts->push_back({.gpu = gpu});
  for (size_t j = 0; j < split.memory_limit_mb.size(); ++j) {
    const float mb = split.memory_limit_mb[j];
    // Also when it is no number.
    if (!(mb > 0 && mb < static_cast<float>(std::numeric_limits<int64_t>::max() / kMiB))) {
      return absl::InvalidArgumentError(
          absl::StrCat("The memory limit of virtual device ", j, " on GPU# ", gpu, " is ", mb, " MiB"));
    }
    parts->push_back(
        {.gpu = gpu,
         .part = static_cast<int>(j),
         .limit_bytes = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(mb) * kMiB)),
         .priority = split.priority.empty() ? 0 : split.priority[j]});
  }
  return absl::OkStatus();
}

/// What the driver, libraries and other processes need beside tensors, as TensorFlow reckons it.
int64_t system_bytes(int64_t free_bytes, int compute_major) {
  if (free_bytes < 2048 * kMiB) return 225 * kMiB;
  if (compute_major <= 6) return 500 * kMiB;
  if (compute_major <= 7) return 1050 * kMiB;
  if (compute_major <= 8) return 1536 * kMiB;
  return 1800 * kMiB;
}

}  // namespace

absl::StatusOr<std::vector<GpuPart>> choose_gpus(const GpuOptions& options, std::optional<int> count,
                                                 int num_gpus) {
  std::vector<GpuPart> parts;
  if (count == 0) return parts;
  TROUPE_ASSIGN_OR_RETURN(const std::vector<int> visible,
                          visible_gpus(options.visible_device_list, num_gpus));
  const int num_visible = static_cast<int>(visible.size());
  const int num_used = std::min(num_visible, count.value_or(num_visible));
  if (!options.virtual_devices.empty())
    TROUPE_RETURN_IF_ERROR(check_virtual_devices(options, num_visible, num_used));
  for (int i = 0; i < num_used; ++i) {
    const bool split = !options.virtual_devices.empty();
    TROUPE_RETURN_IF_ERROR(
        add_parts(visible[i], split ? options.virtual_devices[i] : GpuOptions::VirtualDevices(), &parts));
  }
  return parts;
}

absl::StatusOr<int64_t> memory_share(const GpuOptions& options, int64_t total_bytes, int64_t free_bytes,
                                     int compute_major) {
  const double fraction = options.per_process_gpu_memory_fraction;
  if (!(fraction >= 0 && fraction <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("per_process_gpu_memory_fraction is ", fraction,
                     ": it must be from 0 to 1, as there is no unified memory"));
  }
  if (fraction > 0)
    return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(total_bytes) * fraction));
  const int64_t system = system_bytes(free_bytes, compute_major);
  return free_bytes > system ? free_bytes - system : free_bytes;
}

}  // namespace troupe
