#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "actors/interfaces.h"
#include "actors/node/messages.h"
#include "actors/node/part_runs.h"

namespace troupe {

struct SessionCore;
struct SignatureAlias;

/// A session of another master, here: a SESSION of this task that runs the parts that its devices have.
struct HostedSession {
  /// Whose it is: it ends with him.
  PeerId owner;
  SessionActor actor;
  std::shared_ptr<SessionCore> core;
  absl::flat_hash_map<uint64_t, std::shared_ptr<const SignatureAlias>> parts;
  std::shared_ptr<PartRuns> runs = std::make_shared<PartRuns>();
  /// Who wants to know of lost links and values, the last loss of each link that he does not know of, and the values.
  std::optional<NodeReply> watcher;
  std::map<TaskId, absl::Status> lost_links;
  std::deque<ValueLost> lost_values;

  /// Its steps fail with the reason, and its SESSION ends.
  void end(const absl::Status& why);
  void note_lost(const LinkLost& link);
  void note_lost(const ValueLost& value);
  void watch(const NodeReply& reply);

 private:
  void tell_watcher();
};

/// The sessions of other masters that a WORKER has, by the key that each has on all tasks, and those that are being opened. Not thread-safe.
class HostedSessions {
 public:
  using IsLost = std::function<bool(const PeerId& owner)>;

  /// `most_of_peer`: so many has one life of a peer at once.
  HostedSessions(TaskId task, size_t most_of_peer) : task_(std::move(task)), most_of_peer_(most_of_peer) {}

  /// Whether there is room for it: AlreadyExists, ResourceExhausted.
  absl::Status check_new(uint64_t id, const PeerId& owner) const;
  /// Its SESSION is being made.
  void begin(uint64_t id, const PeerId& owner);
  /// Its SESSION is there. An error when nobody wants it any more: why.
  absl::StatusOr<HostedSession*> add(uint64_t id, const SessionActor& actor,
                                     std::shared_ptr<SessionCore> core);
  /// There will be none.
  void give_up(uint64_t id) { opening_.erase(id); }

  /// Aborted when it is not there: it was, before this node was started again or its owner was lost. PermissionDenied when it is another's.
  absl::StatusOr<HostedSession*> find(uint64_t id, const PeerId& who);
  /// Whoever asks; null when it is not there.
  HostedSession* peek(uint64_t id);
  /// Ends it, if it is there. PermissionDenied when it is another's.
  absl::Status remove(uint64_t id, const PeerId& who, const absl::Status& why);
  /// Ends those of these owners.
  void lose(const IsLost& is_lost, const absl::Status& why);

  template <class Function>
  void for_each(const Function& function) {
    for (auto& [id, session] : sessions_) function(session);
  }
  /// With those that are being opened.
  size_t size() const { return sessions_.size() + opening_.size(); }
  bool is_opening() const { return !opening_.empty(); }

 private:
  struct Opening {
    PeerId owner;
    /// Why nobody wants it any more; OK: somebody does.
    absl::Status unwanted;
  };
  absl::Status check_owner(uint64_t id, const PeerId& owner, const PeerId& who) const;

  const TaskId task_;
  const size_t most_of_peer_;
  absl::flat_hash_map<uint64_t, HostedSession> sessions_;
  absl::flat_hash_map<uint64_t, Opening> opening_;
};

}  // namespace troupe
