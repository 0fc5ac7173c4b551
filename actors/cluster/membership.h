#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "actors/cluster/cluster_spec.h"

namespace troupe {

/// Where a node of a cluster is in its life.
enum class NodeState {
  kAlive,
  /// Alive, but not heard of for a while.
  kSuspect,
  /// Finishes what it has, and is given nothing new.
  kDraining,
  /// Said goodbye.
  kLeft,
  /// Found dead.
  kDead,
};
absl::string_view to_string(NodeState state);

/// A process that serves, or served, a task of the cluster.
struct Member {
  TaskId task;
  /// Where it listens, as it says itself.
  std::string address;
  /// Tells one life of a task from the next; random, never 0.
  uint64_t incarnation = 0;
  NodeState state = NodeState::kAlive;
  /// The epoch of its last change.
  uint64_t epoch = 0;
};

/// What became of a member; `member` is how it is now.
struct MemberEvent {
  enum class Kind { kJoined, kReplaced, kSuspected, kTrusted, kDraining, kLeft, kDied };
  Kind kind;
  Member member;
  /// kReplaced: whose place it took; whatever waits for that life waits in vain. Else 0.
  uint64_t replaced_incarnation = 0;
};

/// Who of a cluster is there. Each change makes a new epoch and one event, which the caller tells whom it concerns; news of a life that is
/// over, and news that change nothing, make none. Not thread-safe: its actor calls it.
class Membership {
 public:
  /// Nobody is there yet. Only tasks of `cluster` may join.
  explicit Membership(ClusterSpec cluster) : cluster_(std::move(cluster)) {}

  /// A node says that it serves `task`. The life that is there may say so again. A new life takes the place of one that is at the same
  /// address, or that is suspect, draining, gone. InvalidArgument for a task that the cluster does not have, and incarnation 0;
  /// AlreadyExists when another process serves the task; Aborted for a life that is over already.
  absl::StatusOr<std::optional<MemberEvent>> join(const TaskId& task, const std::string& address,
                                                  uint64_t incarnation);
  /// As join, but takes the place of whoever is there.
  absl::StatusOr<std::optional<MemberEvent>> replace(const TaskId& task, const std::string& address,
                                                     uint64_t incarnation);
  /// Not heard of for a while; only who is alive.
  std::optional<MemberEvent> suspect(const TaskId& task, uint64_t incarnation);
  /// Heard of again; only who is suspect.
  std::optional<MemberEvent> trust(const TaskId& task, uint64_t incarnation);
  /// Only who is alive or suspect.
  std::optional<MemberEvent> drain(const TaskId& task, uint64_t incarnation);
  /// It says goodbye. Its life is over.
  std::optional<MemberEvent> leave(const TaskId& task, uint64_t incarnation);
  /// It was found dead. Its life is over, even if it is heard of again.
  std::optional<MemberEvent> die(const TaskId& task, uint64_t incarnation);

  const ClusterSpec& cluster() const { return cluster_; }
  /// Counts changes; 0: nobody ever joined.
  uint64_t epoch() const { return epoch_; }
  /// Who serves the task, or served it last; null when nobody ever did. Until the next change.
  const Member* find(const TaskId& task) const;
  /// All that ever joined, the last of each task, sorted by task.
  std::vector<Member> members() const;
  /// Those of `tasks` that nothing new can be given to: all but who is alive, or suspect and may be heard of again.
  std::vector<TaskId> missing(std::span<const TaskId> tasks) const;
  /// "waiting for /job:worker/replica:0/task:1, /job:ps/replica:0/task:0 (dead)"; "" when none is missing.
  std::string waiting_for(std::span<const TaskId> tasks) const;
  /// Whether a handle from that life of the task is still good. Aborted when another life has taken its place, and what it had,
  /// variables too, is lost; Unavailable when that life is over and nobody has come since. Names the task.
  absl::Status check(const TaskId& task, uint64_t incarnation) const;

 private:
  struct Place {
    Member member;
    /// Lives that are over, the last ones first, so that news of theirs that come late do not bring them back.
    std::deque<uint64_t> over;
  };
  using Kind = MemberEvent::Kind;

  absl::StatusOr<std::optional<MemberEvent>> enter(const TaskId& task, const std::string& address,
                                                   uint64_t incarnation, bool by_force);
  std::optional<MemberEvent> change(const TaskId& task, uint64_t incarnation,
                                    std::initializer_list<NodeState> from, NodeState to, Kind kind);
  MemberEvent record(Member* member, Kind kind);

  const ClusterSpec cluster_;
  std::map<TaskId, Place> places_;
  uint64_t epoch_ = 0;
};

}  // namespace troupe
