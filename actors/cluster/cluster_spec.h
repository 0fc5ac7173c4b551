#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "actors/cluster/task_id.h"

namespace troupe {

/// Where a task listens.
struct TaskAddress {
  /// A name or an address; IPv6 without its brackets.
  std::string host;
  /// 0: the system chooses one when the task starts.
  uint16_t port = 0;

  /// "host:port", "[::1]:port". InvalidArgument "Could not interpret "x" as a host-port pair: ..." and why.
  static absl::StatusOr<TaskAddress> parse(absl::string_view text);
  std::string to_string() const;
  friend bool operator==(const TaskAddress&, const TaskAddress&) = default;
};

/// Which tasks a cluster has and where they listen. Tasks of a job may have gaps. Jobs keep the order of their names. A value;
/// who has made one may trust it.
class ClusterSpec {
 public:
  using Tasks = std::map<int, TaskAddress>;

  /// In words: JOB[/FIRST]=ADDRESS,ADDRESS,...;JOB=... where FIRST is the number of the first task, 0 when left out:
  ///   "worker=127.0.0.1:7001,127.0.0.1:7002;ps=127.0.0.1:7003;ps/4=127.0.0.1:7004".
  /// InvalidArgument in one line that says what is wrong, with which task, and what was expected.
  static absl::StatusOr<ClusterSpec> parse(absl::string_view words);

  /// InvalidArgument for a name that no job can have, a negative task, a malformed address, a task that is there already, and an
  /// address that another task has (port 0 is nobody's).
  absl::Status add(const TaskId& task, absl::string_view address);

  /// The system has chosen a port for a task whose port was 0. Nothing for one that is not there.
  void set_port(const TaskId& task, uint16_t port);

  bool empty() const { return jobs_.empty(); }
  int num_tasks() const;
  const std::map<std::string, Tasks>& jobs() const { return jobs_; }
  /// In the order of jobs and numbers.
  std::vector<TaskId> tasks() const;
  bool has(const TaskId& task) const;
  /// Internal, as TensorFlow has it: "Job "x" was not defined in cluster", "Task 1 was not defined in job "x"".
  absl::StatusOr<TaskAddress> address(const TaskId& task) const;

  /// As `parse` takes it; every task of a job with gaps is named.
  std::string to_string() const;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  std::map<std::string, Tasks> jobs_;
  /// Of tasks whose ports are not 0.
  std::set<std::string> addresses_;
};

}  // namespace troupe
