#include "actors/cluster/device_filters.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/ir/device_name.h"

namespace troupe {

absl::StatusOr<std::vector<TaskId>> filter_tasks(std::span<const TaskId> tasks,
                                                 std::span<const std::string> filters, const TaskId& master) {
  std::vector<DeviceName> parsed;
  for (const std::string& filter : filters) {
    std::optional<DeviceName> name = DeviceName::parse(filter);
    if (!name) {
      return absl::InvalidArgumentError(absl::StrCat("device_filters has \"", filter,
                                                     "\", expected the name of a device or a part of one, as "
                                                     "\"/job:ps\" or \"/job:worker/task:0\""));
    }
    parsed.push_back(*std::move(name));
  }
  std::vector<TaskId> kept;
  for (const TaskId& task : tasks) {
    DeviceName name;
    name.job = task.job;
    name.replica = 0;
    name.task = task.index;
    const bool fits = parsed.empty() || task == master ||
                      std::any_of(parsed.begin(), parsed.end(),
                                  [&](const DeviceName& filter) { return filter.compatible_with(name); });
    if (fits) kept.push_back(task);
  }
  return kept;
}

}  // namespace troupe
