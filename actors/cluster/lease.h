#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "actors/cluster/task_id.h"

namespace troupe {

/// Steady clocks only: what the time of day does is nobody's death.
using LeaseTime = std::chrono::steady_clock::time_point;

struct LeaseOptions {
  /// Who is not heard of for this long is dead.
  std::chrono::milliseconds lease{500};
  /// How often each node renews its lease with its peers, and how often `turn` is to be called. A fraction of the lease, so that
  /// one late renewal or two do no harm.
  std::chrono::milliseconds period{100};
  /// Who is not heard of for this long is suspect.
  std::chrono::milliseconds suspect_after{250};

  /// InvalidArgument unless a period is more than nothing and two of them are at most `suspect_after`, and that is less than the lease.
  absl::Status check() const;
};

/// What a lease says about a peer.
struct LeaseEvent {
  enum class Kind {
    /// Not heard of for `suspect_after`.
    kSuspect,
    /// Was suspect, and is heard of again.
    kTrusted,
    /// Not heard of for a lease. It is forgotten: who comes back must be watched anew.
    kExpired,
    /// Another life of the peer is heard of, which is watched instead: what the old one was asked is Aborted.
    kRestarted,
  };
  Kind kind;
  TaskId peer;
  /// kRestarted: the life that is over.
  uint64_t incarnation = 0;
  /// Since it was last heard of, without the time in which this process did not run.
  std::chrono::milliseconds silence{0};
};

/// Which peers are alive, by the messages that come from them. Its owner calls `turn` once a period and `heard` with each renewal; the
/// time comes from outside. A peer that falls silent is found dead within a lease and a period. When the owner itself did not run
/// (a stopped process, a suspended machine, an overloaded one), the time that it missed counts as one period, and nobody is found dead at
/// once: renewals of that time may lie unread in its mailbox. A time before the last one counts as the last one. Not thread-safe.
class LeaseTable {
 public:
  explicit LeaseTable(LeaseOptions options = {}) : options_(options) {}

  /// Watches a peer from now on, as if it had just renewed its lease; another life of it is forgotten.
  void watch(const TaskId& peer, uint64_t incarnation, LeaseTime now);
  /// It has left, or its place was taken. Nothing when unknown.
  void forget(const TaskId& peer);
  /// A renewal came, or any other message that says who sent it. Nothing for a peer that is not watched.
  std::optional<LeaseEvent> heard(const TaskId& peer, uint64_t incarnation, LeaseTime now);
  /// Who is suspect or dead by now, sorted by task.
  std::vector<LeaseEvent> turn(LeaseTime now);

  const LeaseOptions& options() const { return options_; }
  size_t size() const { return peers_.size(); }
  /// When `turn` is due next, if it was last called at `now`.
  LeaseTime next_turn(LeaseTime now) const { return now + options_.period; }

 private:
  struct Peer {
    uint64_t incarnation = 0;
    /// In time that this process lived: see lived_.
    std::chrono::nanoseconds heard{0};
    bool suspect = false;
    /// Would have been found dead after a gap, and got one period more.
    bool spared = false;
  };
  /// Counts the time since the last call, but no more of it than a process that runs lets pass.
  void live(LeaseTime now);

  const LeaseOptions options_;
  absl::flat_hash_map<TaskId, Peer> peers_;
  std::optional<LeaseTime> last_;
  /// How long this process has run since the first call.
  std::chrono::nanoseconds lived_{0};
};

}  // namespace troupe
