#include "actors/cluster/cluster_spec.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/status.h"

namespace troupe {
namespace {

absl::Status malformed_address(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("Could not interpret \"", text, "\" as a host-port pair: ", why));
}

/// "worker" or "worker/3": the first task of what follows.
absl::StatusOr<TaskId> parse_head(absl::string_view head, absl::string_view part) {
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(head, absl::MaxSplits('/', 1));
  TaskId first{std::string(absl::StripAsciiWhitespace(halves.first)), 0};
  const bool numbered = halves.first.size() < head.size();
  if (numbered && !absl::SimpleAtoi(halves.second, &first.index)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Cluster: \"", part, "\" begins with task \"", halves.second, "\", which is no number"));
  }
  return first;
}

/// "worker=a:1,b:2".
absl::Status add_words(absl::string_view part, ClusterSpec* cluster) {
  const std::vector<absl::string_view> sides = absl::StrSplit(part, '=');
  if (sides.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("Cluster: \"", part, "\" has ", sides.size() - 1,
                                                   " '=', expected JOB=HOST:PORT,HOST:PORT,..."));
  }
  TROUPE_ASSIGN_OR_RETURN(TaskId task, parse_head(sides[0], part));
  const std::vector<absl::string_view> addresses = absl::StrSplit(sides[1], ',');
  if (task.index > std::numeric_limits<int>::max() - static_cast<int64_t>(addresses.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Cluster: \"", part, "\" has tasks beyond the last number, ", std::numeric_limits<int>::max() - 1));
  }
  for (absl::string_view address : addresses) {
    address = absl::StripAsciiWhitespace(address);
    if (address.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Cluster: ", task.to_string(),
                       " is left out, expected HOST:PORT; numbers may have gaps: ", task.job, "/",
                       task.index + 1, "=HOST:PORT"));
    }
    TROUPE_RETURN_IF_ERROR(cluster->add(task, address));
    ++task.index;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TaskAddress> TaskAddress::parse(absl::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return malformed_address(text, "expected HOST:PORT, there is no ':'");
  absl::string_view host = text.substr(0, colon), port = text.substr(colon + 1);
  int number = 0;
  if (!absl::SimpleAtoi(port, &number)) {
    return malformed_address(text, absl::StrCat("the port is \"", port, "\", expected a number"));
  }
  if (number < 0 || number > std::numeric_limits<uint16_t>::max()) {
    return malformed_address(text, absl::StrCat("the port is ", number, ", expected 0 to 65535"));
  }
  const bool v6 = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (v6) host = host.substr(1, host.size() - 2);
  if (host.empty()) return malformed_address(text, "the host is empty");
  if (host.find_first_of("/[],;= \t\n") != absl::string_view::npos) {
    return malformed_address(text, absl::StrCat("\"", host, "\" is no host"));
  }
  if (!v6 && host.find(':') != absl::string_view::npos) {
    return malformed_address(text, "an IPv6 address goes into brackets: [ADDRESS]:PORT");
  }
  return TaskAddress{std::string(host), static_cast<uint16_t>(number)};
}

std::string TaskAddress::to_string() const {
  const bool v6 = host.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", host, v6 ? "]:" : ":", port);
}

absl::StatusOr<ClusterSpec> ClusterSpec::parse(absl::string_view words) {
  ClusterSpec cluster;
  for (absl::string_view part : absl::StrSplit(words, ';')) {
    part = absl::StripAsciiWhitespace(part);
    if (!part.empty()) TROUPE_RETURN_IF_ERROR(add_words(part, &cluster));
  }
  if (cluster.empty()) return absl::InvalidArgumentError("Cluster: no tasks, expected JOB=HOST:PORT,...");
  return cluster;
}

absl::Status ClusterSpec::add(const TaskId& task, absl::string_view address) {
  if (!TaskId::is_job_name(task.job)) {
    return absl::InvalidArgumentError(absl::StrCat("Cluster: \"", task.job,
                                                   "\" is no name of a job, expected a letter, then letters, "
                                                   "digits and '_'"));
  }
  if (task.index < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("Cluster: job \"", task.job, "\" has task ", task.index, ", expected 0 or more"));
  }
  absl::StatusOr<TaskAddress> parsed = TaskAddress::parse(address);
  if (!parsed.ok()) {
    return annotate(parsed.status(), "", absl::StrCat(" (", task.to_string(), ")"));
  }
  if (auto job = jobs_.find(task.job); job != jobs_.end()) {
    if (auto there = job->second.find(task.index); there != job->second.end()) {
      return absl::InvalidArgumentError(absl::StrCat("JobDef for job \"", task.job,
                                                     "\" specified two addresses for task \"", task.index,
                                                     "\": ", there->second.to_string(), " and ", address));
    }
  }
  if (parsed->port != 0 && !addresses_.insert(parsed->to_string()).second) {
    const std::vector<TaskId> all = tasks();
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const TaskId& t) { return *this->address(t) == *parsed; });
    return absl::InvalidArgumentError(absl::StrCat("Cluster: ", other->to_string(), " and ", task.to_string(),
                                                   " have the same address ", address));
  }
  jobs_[task.job][task.index] = *std::move(parsed);
  return absl::OkStatus();
}

void ClusterSpec::set_port(const TaskId& task, uint16_t port) {
  if (!has(task)) return;
  TaskAddress& address = jobs_[task.job][task.index];
  addresses_.erase(address.to_string());
  address.port = port;
  addresses_.insert(address.to_string());
}

int ClusterSpec::num_tasks() const {
  size_t n = 0;
  for (const auto& [job, tasks] : jobs_) n += tasks.size();
  return static_cast<int>(n);
}

std::vector<TaskId> ClusterSpec::tasks() const {
  std::vector<TaskId> all;
  for (const auto& [job, tasks] : jobs_) {
    for (const auto& [index, address] : tasks) all.push_back({job, index});
  }
  return all;
}

bool ClusterSpec::has(const TaskId& task) const {
  auto job = jobs_.find(task.job);
  return job != jobs_.end() && job->second.contains(task.index);
}

absl::StatusOr<TaskAddress> ClusterSpec::address(const TaskId& task) const {
  auto job = jobs_.find(task.job);
  if (job == jobs_.end()) {
    return absl::InternalError(absl::StrCat("Job \"", task.job, "\" was not defined in cluster"));
  }
  auto found = job->second.find(task.index);
  if (found == job->second.end()) {
    return absl::InternalError(
        absl::StrCat("Task ", task.index, " was not defined in job \"", task.job, "\""));
  }
  return found->second;
}

std::string ClusterSpec::to_string() const {
  std::string words;
  for (const auto& [job, tasks] : jobs_) {
    int next = -1;
    for (const auto& [index, address] : tasks) {
      if (index == next) {
        absl::StrAppend(&words, ",");
      } else {
        absl::StrAppend(&words, words.empty() ? "" : ";", job, index == 0 ? "" : absl::StrCat("/", index),
                        "=");
      }
      absl::StrAppend(&words, address.to_string());
      next = index + 1;
    }
  }
  return words;
}

}  // namespace troupe
