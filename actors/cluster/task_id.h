#pragma once

#include <compare>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace troupe {

/// A task of a cluster: the `index`-th of its job. A plain value; its text is the prefix of the names of its devices.
struct TaskId {
  std::string job;
  int index = 0;

  /// "/job:worker/replica:0/task:1".
  std::string to_string() const;
  /// The task that a device is of, by the name of the device or of the task; a replica must be 0 or left out. Nothing when job or
  /// task is missing or the name is malformed.
  static std::optional<TaskId> parse(absl::string_view name);
  /// Whether a job may be called this: a letter, then letters, digits and '_'.
  static bool is_job_name(absl::string_view name);

  friend auto operator<=>(const TaskId&, const TaskId&) = default;
  template <class H>
  friend H AbslHashValue(H h, const TaskId& t) {
    return H::combine(std::move(h), t.job, t.index);
  }
};

}  // namespace troupe
