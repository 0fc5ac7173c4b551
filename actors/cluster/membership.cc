#include "actors/cluster/membership.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troupe {
namespace {

/// News travel for seconds; a task that starts anew more often than this meanwhile has other troubles.
constexpr size_t kRememberedLives = 16;

bool is_over(NodeState state) { return state == NodeState::kLeft || state == NodeState::kDead; }

bool may_get_work(NodeState state) { return state == NodeState::kAlive || state == NodeState::kSuspect; }

}  // namespace

absl::string_view to_string(NodeState state) {
  switch (state) {
    case NodeState::kAlive: return "alive";
    case NodeState::kSuspect: return "suspect";
    case NodeState::kDraining: return "draining";
    case NodeState::kLeft: return "left";
    case NodeState::kDead: return "dead";
  }
  return "?";
}

absl::StatusOr<std::optional<MemberEvent>> Membership::join(const TaskId& task, const std::string& address,
                                                            uint64_t incarnation) {
  return enter(task, address, incarnation, /*by_force=*/false);
}

absl::StatusOr<std::optional<MemberEvent>> Membership::replace(const TaskId& task, const std::string& address,
                                                               uint64_t incarnation) {
  return enter(task, address, incarnation, /*by_force=*/true);
}

absl::StatusOr<std::optional<MemberEvent>> Membership::enter(const TaskId& task, const std::string& address,
                                                             uint64_t incarnation, bool by_force) {
  if (!cluster_.has(task)) {
    return absl::InvalidArgumentError(absl::StrCat(task.to_string(), " at ", address,
                                                   " is no task of this cluster, expected one of ",
                                                   cluster_.to_string()));
  }
  if (incarnation == 0) {
    return absl::InvalidArgumentError(absl::StrCat(task.to_string(), " at ", address,
                                                   " joins with incarnation 0, expected another number"));
  }
  Place& place = places_[task];
  Member& there = place.member;
  const bool first = there.incarnation == 0;
  if (there.incarnation == incarnation && !is_over(there.state)) {
    if (there.state != NodeState::kSuspect) return std::nullopt;
    there.state = NodeState::kAlive;
    return record(&there, Kind::kTrusted);
  }
  if (there.incarnation == incarnation ||
      std::find(place.over.begin(), place.over.end(), incarnation) != place.over.end()) {
    return absl::AbortedError(absl::StrCat(task.to_string(), " at ", address, ": the life with incarnation ",
                                           incarnation, " is over, and cannot join again"));
  }
  if (!by_force && !first && there.state == NodeState::kAlive && there.address != address) {
    return absl::AlreadyExistsError(absl::StrCat(task.to_string(), " is served by ", there.address,
                                                 ", and cannot be by ", address, " before that has left"));
  }
  const uint64_t before = there.incarnation;
  if (!first) {
    place.over.push_front(before);
    if (place.over.size() > kRememberedLives) place.over.pop_back();
  }
  there = Member{task, address, incarnation, NodeState::kAlive};
  MemberEvent event = record(&there, first ? Kind::kJoined : Kind::kReplaced);
  event.replaced_incarnation = before;
  return event;
}

std::optional<MemberEvent> Membership::change(const TaskId& task, uint64_t incarnation,
                                              std::initializer_list<NodeState> from, NodeState to,
                                              Kind kind) {
  auto place = places_.find(task);
  if (place == places_.end()) return std::nullopt;
  Member& member = place->second.member;
  if (member.incarnation != incarnation) return std::nullopt;
  if (std::find(from.begin(), from.end(), member.state) == from.end()) return std::nullopt;
  member.state = to;
  return record(&member, kind);
}

MemberEvent Membership::record(Member* member, Kind kind) {
  member->epoch = ++epoch_;
  return MemberEvent{kind, *member};
}

std::optional<MemberEvent> Membership::suspect(const TaskId& task, uint64_t incarnation) {
  return change(task, incarnation, {NodeState::kAlive}, NodeState::kSuspect, Kind::kSuspected);
}

std::optional<MemberEvent> Membership::trust(const TaskId& task, uint64_t incarnation) {
  return change(task, incarnation, {NodeState::kSuspect}, NodeState::kAlive, Kind::kTrusted);
}

std::optional<MemberEvent> Membership::drain(const TaskId& task, uint64_t incarnation) {
  return change(task, incarnation, {NodeState::kAlive, NodeState::kSuspect}, NodeState::kDraining,
                Kind::kDraining);
}

std::optional<MemberEvent> Membership::leave(const TaskId& task, uint64_t incarnation) {
  return change(task, incarnation, {NodeState::kAlive, NodeState::kSuspect, NodeState::kDraining},
                NodeState::kLeft, Kind::kLeft);
}

std::optional<MemberEvent> Membership::die(const TaskId& task, uint64_t incarnation) {
  return change(task, incarnation, {NodeState::kAlive, NodeState::kSuspect, NodeState::kDraining},
                NodeState::kDead, Kind::kDied);
}

const Member* Membership::find(const TaskId& task) const {
  auto place = places_.find(task);
  return place == places_.end() ? nullptr : &place->second.member;
}

std::vector<Member> Membership::members() const {
  std::vector<Member> all;
  for (const auto& [task, place] : places_) all.push_back(place.member);
  return all;
}

std::vector<TaskId> Membership::missing(std::span<const TaskId> tasks) const {
  std::vector<TaskId> absent;
  for (const TaskId& task : tasks) {
    const Member* member = find(task);
    if (member == nullptr || !may_get_work(member->state)) absent.push_back(task);
  }
  return absent;
}

std::string Membership::waiting_for(std::span<const TaskId> tasks) const {
  const std::vector<TaskId> absent = missing(tasks);
  if (absent.empty()) return "";
  return absl::StrCat("waiting for ", absl::StrJoin(absent, ", ", [&](std::string* out, const TaskId& task) {
                        const Member* member = find(task);
                        absl::StrAppend(
                            out, task.to_string(),
                            member == nullptr ? "" : absl::StrCat(" (", to_string(member->state), ")"));
                      }));
}

absl::Status Membership::check(const TaskId& task, uint64_t incarnation) const {
  const Member* member = find(task);
  if (member == nullptr) {
    return absl::UnavailableError(absl::StrCat(task.to_string(), " has not joined the cluster"));
  }
  if (member->incarnation != incarnation) {
    return absl::AbortedError(absl::StrCat(task.to_string(), " has restarted: incarnation ", incarnation,
                                           " is over, ", member->incarnation, " is at ", member->address,
                                           "; what the old one had is lost"));
  }
  if (!is_over(member->state)) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(task.to_string(), " at ", member->address,
                   member->state == NodeState::kDead ? " is dead" : " has left the cluster"));
}

}  // namespace troupe
