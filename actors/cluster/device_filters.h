#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "actors/cluster/task_id.h"
#include "graph/ir/device_name.h"

namespace troupe {

/// Which tasks and devices of a cluster a session may use (ConfigProto.device_filters): names of devices that leave out what does not
/// matter ("/job:ps", "/job:worker/task:0"). Without filters all. A value.
class DeviceFilters {
 public:
  DeviceFilters() = default;
  /// InvalidArgument for a filter that is malformed.
  static absl::StatusOr<DeviceFilters> parse(std::span<const std::string> filters);

  /// Whether a task, or a device, fits one of them. What is no name does not.
  bool pass(absl::string_view name) const;
  /// Of these tasks those that a session waits for and uses: the ones that pass, and always its master's own.
  std::vector<TaskId> choose(std::span<const TaskId> tasks, const TaskId& master) const;

 private:
  std::vector<DeviceName> filters_;
};

}  // namespace troupe
