#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"

namespace troupe {

/// What has become of a task since the cluster was started.
struct RosterChange {
  TaskId task;
  /// Where it is served; empty: it has left.
  std::string address;
  /// Orders the changes of one task: the highest counts. From 1.
  uint64_t version = 0;
  friend bool operator==(const RosterChange&, const RosterChange&) = default;
};

/// Which tasks a cluster has, as one node knows it: those it was started with, and what has changed since. Nodes tell each other their changes, in any
/// order and as often as they like; those that have heard the same have the same cluster. Not thread-safe: its actor calls it.
class Roster {
 public:
  explicit Roster(ClusterSpec started_with);

  const ClusterSpec& cluster() const { return cluster_; }
  /// Who listens there serves the task from now on, which the cluster need not have had. The change, to be told others; nothing when it is so
  /// already. InvalidArgument as ClusterSpec::add, and for port 0; AlreadyExists, naming it, when another address has the task, unless that is to be
  /// replaced, and when another task has the address.
  absl::StatusOr<std::optional<RosterChange>> join(const TaskId& task, const std::string& address,
                                                   bool replace);
  /// The cluster has the task no more. NotFound when it had not.
  absl::StatusOr<RosterChange> leave(const TaskId& task);
  /// Hears what others know; those changes that were news. InvalidArgument, which says of which task, for what no roster has made; nothing is taken
  /// then. ResourceExhausted when too many tasks have come and gone.
  absl::StatusOr<std::vector<RosterChange>> merge(std::span<const RosterChange> heard);
  /// The last change of a task; null: none since the start. Until the next one.
  const RosterChange* last(const TaskId& task) const;
  /// Since the start, the last of each task, sorted by task.
  std::vector<RosterChange> changes() const;

 private:
  /// Of so many tasks that have not changed before.
  absl::Status check_room(size_t tasks) const;
  /// The change of a task that everybody takes for the last one.
  RosterChange change(const TaskId& task, const std::string& address);
  void build();

  const ClusterSpec started_with_;
  std::map<TaskId, RosterChange> last_;
  ClusterSpec cluster_;
  uint64_t version_ = 0;
};

}  // namespace troupe
