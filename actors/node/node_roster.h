#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "actors/cluster/roster.h"
#include "actors/node/cluster_view.h"
#include "actors/node/message.h"

namespace troupe {

/// The words in which nodes and their clients speak about tasks that join and leave. InvalidArgument for what is none.
absl::Cord pack_roster(std::span<const RosterChange> changes, const ClusterSpec& cluster = {});
absl::StatusOr<std::vector<RosterChange>> unpack_roster(const absl::Cord& body,
                                                        ClusterSpec* cluster = nullptr);

/// The tasks of a NODE's cluster: what it hears of them, and what it is asked to change. Its thread's; what it knows is in the view, too.
class NodeRoster {
 public:
  /// `port`: where this node listens, which the cluster may have left to the system. `fixed`: nothing may change. Changes that are none are left out.
  NodeRoster(const TaskId& me, uint16_t port, std::shared_ptr<ClusterView> view,
             std::span<const RosterChange> changes, bool fixed);

  const ClusterSpec& cluster() const { return roster_.cluster(); }
  /// What a peer who has just come may not know, in messages small enough for who does not know yet who we are; none when nothing has changed since the start.
  std::vector<absl::Cord> all() const;
  /// Whether who says that he is that task, there, is the one whom the cluster has; a client is none. FailedPrecondition, which says who is.
  absl::Status check_place(const std::optional<TaskId>& task, const std::string& address) const;

  /// What a NODE has to do when the cluster is another.
  struct News {
    /// A task whose process is another now, or none.
    struct Moved {
      TaskId task;
      /// Cancelled, which says where it is.
      absl::Status why;
    };
    std::vector<Moved> moved;
    /// To be told those who may not know; empty: nothing.
    absl::Cord words;
    /// Not OK: this node is not the task that it was started as any more, and why.
    absl::Status expelled;
  };
  /// A peer tells what he knows. InvalidArgument.
  absl::StatusOr<News> hear(const absl::Cord& body);
  /// Whether a request is about the cluster.
  static bool is_asked(Method method) { return method >= Method::kJoinCluster; }
  /// The answer, and what follows from it. InvalidArgument, AlreadyExists, NotFound as Roster; FailedPrecondition where nothing may change; Unimplemented
  /// for another question.
  absl::StatusOr<absl::Cord> answer(Method method, const absl::Cord& body, News* news);

 private:
  News note(std::span<const RosterChange> changes);

  const TaskId me_;
  const bool fixed_;
  const std::shared_ptr<ClusterView> view_;
  Roster roster_;
  /// Where the cluster had this node at the start.
  const std::string address_;
};

}  // namespace troupe
