#include "actors/cluster/roster.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status.h"

namespace troupe {
namespace {

/// No cluster sees so many changes; who says so would leave no number for the next one.
constexpr uint64_t kMaxVersion = uint64_t{1} << 62;

/// Of a task and its address; hosts have names of 255 at most.
constexpr size_t kMaxTextBytes = 1024;

/// Tasks that have ever changed; what has left stays known, so that nobody brings it back.
constexpr size_t kMaxChanged = size_t{1} << 16;

/// Whether a cluster might have this task there.
absl::Status check(const TaskId& task, const std::string& address) {
  if (task.job.size() + address.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a task's job and address have ",
                                                   task.job.size() + address.size(), " characters, expected ",
                                                   kMaxTextBytes, " at most"));
  }
  ClusterSpec alone;
  TROUPE_RETURN_IF_ERROR(alone.add(task, address));
  if (alone.address(task)->port != 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(task.to_string(), " is said to listen at ", address, ", expected a port"));
}

}  // namespace

Roster::Roster(ClusterSpec started_with) : started_with_(std::move(started_with)), cluster_(started_with_) {}

absl::StatusOr<std::optional<RosterChange>> Roster::join(const TaskId& task, const std::string& address,
                                                         bool replace) {
  TROUPE_RETURN_IF_ERROR(check(task, address));
  TROUPE_RETURN_IF_ERROR(check_room(last_.contains(task) ? 0 : 1));
  for (const TaskId& other : cluster_.tasks()) {
    const std::string there = cluster_.address(other)->to_string();
    if (other == task && there == address) return std::nullopt;
    if (other == task ? !replace : there == address) {
      return absl::AlreadyExistsError(absl::StrCat(other.to_string(), " is served by ", there,
                                                   other == task
                                                       ? absl::StrCat(", and cannot be by ", address)
                                                       : absl::StrCat(", which cannot be ", task.to_string()),
                                                   " before that has left"));
    }
  }
  return change(task, address);
}

absl::Status Roster::check_room(size_t tasks) const {
  if (last_.size() + tasks <= kMaxChanged) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("with ", tasks, " more ", last_.size() + tasks,
                   " tasks would have joined the cluster or left it, expected ", kMaxChanged,
                   " at most: it is to be started anew with a list of its tasks"));
}

absl::StatusOr<RosterChange> Roster::leave(const TaskId& task) {
  if (cluster_.has(task)) return change(task, "");
  return absl::NotFoundError(absl::StrCat(task.to_string(), " is no task of this cluster, which has ",
                                          cluster_.empty() ? "none" : cluster_.to_string()));
}

RosterChange Roster::change(const TaskId& task, const std::string& address) {
  const RosterChange& made = last_[task] = {task, address, ++version_};
  build();
  return made;
}

absl::StatusOr<std::vector<RosterChange>> Roster::merge(std::span<const RosterChange> heard) {
  size_t unknown = 0;
  for (const RosterChange& c : heard) {
    if (c.version == 0 || c.version > kMaxVersion) {
      return absl::InvalidArgumentError(absl::StrCat(c.task.to_string(),
                                                     " is said to have changed by version ", c.version,
                                                     ", expected 1 to ", kMaxVersion));
    }
    TROUPE_RETURN_IF_ERROR(check(c.task, c.address.empty() ? "any:1" : c.address));
    unknown += !last_.contains(c.task);
  }
  TROUPE_RETURN_IF_ERROR(check_room(unknown));
  std::vector<RosterChange> news;
  for (const RosterChange& c : heard) {
    RosterChange& known = last_[c.task];
    // Two that were made at once: any order does that all have.
    if (std::tie(c.version, c.address) <= std::tie(known.version, known.address)) continue;
    known = c;
    version_ = std::max(version_, c.version);
    news.push_back(c);
  }
  if (!news.empty()) build();
  return news;
}

const RosterChange* Roster::last(const TaskId& task) const {
  const auto found = last_.find(task);
  return found == last_.end() ? nullptr : &found->second;
}

std::vector<RosterChange> Roster::changes() const {
  std::vector<RosterChange> all;
  for (const auto& [task, last] : last_) all.push_back(last);
  return all;
}

void Roster::build() {
  std::vector<RosterChange> now = changes();
  for (const TaskId& task : started_with_.tasks()) {
    if (!last_.contains(task)) now.push_back({task, started_with_.address(task)->to_string(), 0});
  }
  // Of two tasks at one address, who joined by different nodes at once, the later one has it.
  std::stable_sort(now.begin(), now.end(), [](const RosterChange& a, const RosterChange& b) {
    return std::tie(a.version, a.task) > std::tie(b.version, b.task);
  });
  cluster_ = {};
  for (const RosterChange& c : now) {
    if (!c.address.empty()) (void)cluster_.add(c.task, c.address);
  }
}

}  // namespace troupe
