#include "actors/node/node_roster.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/status.h"
#include "proto/node_wire.pb.h"

namespace troupe {
namespace {

/// Of one change in a message: "/job:/replica:0/task:2147483647", a number, and what protobuf takes.
constexpr size_t kBesideTexts = 64;
/// A message that has so many has enough: with one change more, of 1 KiB and these at most, it is not larger than a hello may be (4 KiB).
constexpr size_t kEnoughBytes = 2048;

absl::StatusOr<TaskId> task_of(const std::string& name) {
  if (auto task = TaskId::parse(name)) return *std::move(task);
  return absl::InvalidArgumentError(
      absl::StrCat("\"", name, "\" is no task, expected one as /job:worker/task:1"));
}

std::string address_in(const ClusterSpec& cluster, const TaskId& task) {
  const auto address = cluster.address(task);
  return address.ok() ? address->to_string() : "";
}

ClusterSpec with_port(ClusterSpec cluster, const TaskId& task, uint16_t port) {
  if (const auto address = cluster.address(task); address.ok() && address->port == 0)
    cluster.set_port(task, port);
  return cluster;
}

}  // namespace

absl::Cord pack_roster(std::span<const RosterChange> changes, const ClusterSpec& cluster) {
  wire::Roster m;
  for (const RosterChange& c : changes) {
    wire::RosterChange* const out = m.add_changes();
    out->set_task(c.task.to_string());
    out->set_address(c.address);
    out->set_version(c.version);
  }
  if (!cluster.empty()) m.set_cluster(cluster.to_string());
  // Without tensors it cannot fail.
  return *pack(m);
}

absl::StatusOr<std::vector<RosterChange>> unpack_roster(const absl::Cord& body, ClusterSpec* cluster) {
  wire::Roster m;
  TROUPE_RETURN_IF_ERROR(unpack(body, &m));
  std::vector<RosterChange> changes;
  for (const wire::RosterChange& c : m.changes()) {
    TROUPE_ASSIGN_OR_RETURN(TaskId task, task_of(c.task()));
    changes.push_back({std::move(task), c.address(), c.version()});
  }
  if (cluster == nullptr) return changes;
  TROUPE_ASSIGN_OR_RETURN(*cluster, ClusterSpec::parse(m.cluster()));
  return changes;
}

NodeRoster::NodeRoster(const TaskId& me, uint16_t port, std::shared_ptr<ClusterView> view,
                       std::span<const RosterChange> changes, bool fixed)
    : me_(me), fixed_(fixed), view_(std::move(view)), roster_(with_port(view_->get(), me, port)),
      address_(address_in(roster_.cluster(), me)) {
  (void)roster_.merge(changes);
  view_->set(cluster());
}

std::vector<absl::Cord> NodeRoster::all() const {
  const std::vector<RosterChange> changes = roster_.changes();
  std::vector<absl::Cord> messages;
  size_t bytes = 0, first = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    bytes += changes[i].task.job.size() + changes[i].address.size() + kBesideTexts;
    if (bytes < kEnoughBytes && i + 1 < changes.size()) continue;
    messages.push_back(pack_roster(std::span(changes).subspan(first, i + 1 - first)));
    first = i + 1;
    bytes = 0;
  }
  return messages;
}

absl::Status NodeRoster::check_place(const std::optional<TaskId>& task, const std::string& address) const {
  const RosterChange* const last = task ? roster_.last(*task) : nullptr;
  if (last == nullptr || last->address == address) return absl::OkStatus();
  return absl::FailedPreconditionError(
      last->address.empty()
          ? absl::StrCat(task->to_string(), " has left the cluster, and has not joined it again")
          : absl::StrCat(task->to_string(), " is served by ", last->address, ", and not by ", address));
}

NodeRoster::News NodeRoster::note(std::span<const RosterChange> changes) {
  News news;
  if (changes.empty()) return news;
  const ClusterSpec before = view_->get();
  view_->set(cluster());
  for (const TaskId& task : before.tasks()) {
    const std::string now = address_in(cluster(), task);
    if (now == address_in(before, task)) continue;
    news.moved.push_back(
        {task, absl::CancelledError(now.empty() ? "it has left the cluster"
                                                : absl::StrCat("it is served by ", now, " now"))});
  }
  news.words = pack_roster(changes);
  news.expelled = check_place(me_, address_);
  if (news.expelled.ok() && !cluster().has(me_)) {
    news.expelled = absl::FailedPreconditionError(
        absl::StrCat("another task than ", me_.to_string(), " is at ", address_));
  }
  return news;
}

absl::StatusOr<NodeRoster::News> NodeRoster::hear(const absl::Cord& body) {
  TROUPE_ASSIGN_OR_RETURN(const std::vector<RosterChange> heard, unpack_roster(body));
  if (fixed_) return News();
  TROUPE_ASSIGN_OR_RETURN(const std::vector<RosterChange> news, roster_.merge(heard));
  return note(news);
}

absl::StatusOr<absl::Cord> NodeRoster::answer(Method method, const absl::Cord& body, News* news) {
  if (fixed_ && method != Method::kGetCluster) {
    return absl::FailedPreconditionError(
        absl::StrCat(me_.to_string(), " is of a cluster that a session has brought, whose tasks stay"));
  }
  switch (method) {
    case Method::kJoinCluster: {
      wire::JoinCluster m;
      TROUPE_RETURN_IF_ERROR(unpack(body, &m));
      TROUPE_ASSIGN_OR_RETURN(const TaskId task, task_of(m.task()));
      TROUPE_ASSIGN_OR_RETURN(const auto change, roster_.join(task, m.address(), m.replace()));
      if (change) *news = note({&*change, 1});
      break;
    }
    case Method::kLeaveCluster: {
      wire::LeaveCluster m;
      TROUPE_RETURN_IF_ERROR(unpack(body, &m));
      TROUPE_ASSIGN_OR_RETURN(const TaskId task, task_of(m.task()));
      TROUPE_ASSIGN_OR_RETURN(const RosterChange change, roster_.leave(task));
      *news = note({&change, 1});
      break;
    }
    case Method::kGetCluster: break;
    default:
      return absl::UnimplementedError(
          absl::StrCat(me_.to_string(), " knows no method ", static_cast<int>(method)));
  }
  return pack_roster(roster_.changes(), cluster());
}

}  // namespace troupe
