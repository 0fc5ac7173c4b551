#include "actors/cluster/task_id.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "graph/ir/device_name.h"

namespace troupe {

std::string TaskId::to_string() const { return absl::StrCat("/job:", job, "/replica:0/task:", index); }

std::optional<TaskId> TaskId::parse(absl::string_view name) {
  const std::optional<DeviceName> device = DeviceName::parse(name);
  if (!device || !device->job || !device->task || device->replica.value_or(0) != 0) return std::nullopt;
  return TaskId{*device->job, *device->task};
}

bool TaskId::is_job_name(absl::string_view name) {
  return !name.empty() && absl::ascii_isalpha(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
}

}  // namespace troupe
