#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/task_id.h"

namespace troupe {

/// The tasks of a cluster that a session may use (ConfigProto.device_filters): those that fit one of the filters, which are names of
/// devices that leave out what does not matter ("/job:ps", "/job:worker/task:0"), and always its master's own. All without filters.
/// A session waits for each of them to be there. InvalidArgument for a filter that is malformed.
absl::StatusOr<std::vector<TaskId>> filter_tasks(std::span<const TaskId> tasks,
                                                 std::span<const std::string> filters, const TaskId& master);

}  // namespace troupe
