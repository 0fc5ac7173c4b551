#include "actors/cluster/device_filters.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace troupe {

absl::StatusOr<DeviceFilters> DeviceFilters::parse(std::span<const std::string> filters) {
  DeviceFilters out;
  for (const std::string& filter : filters) {
    std::optional<DeviceName> name = DeviceName::parse(filter);
    if (!name) {
      return absl::InvalidArgumentError(absl::StrCat("device_filters has \"", filter,
                                                     "\", expected the name of a device or a part of one, as "
                                                     "\"/job:ps\" or \"/job:worker/task:0\""));
    }
    out.filters_.push_back(*std::move(name));
  }
  return out;
}

bool DeviceFilters::pass(absl::string_view name) const {
  if (filters_.empty()) return true;
  const std::optional<DeviceName> parsed = DeviceName::parse(name);
  return parsed && std::any_of(filters_.begin(), filters_.end(),
                               [&](const DeviceName& filter) { return filter.compatible_with(*parsed); });
}

std::vector<TaskId> DeviceFilters::choose(std::span<const TaskId> tasks, const TaskId& master) const {
  std::vector<TaskId> kept;
  for (const TaskId& task : tasks) {
    if (task == master || pass(task.to_string())) kept.push_back(task);
  }
  return kept;
}

}  // namespace troupe
