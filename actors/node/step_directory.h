#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "actors/interfaces.h"
#include "actors/node/message.h"

namespace troupe {

/// Which RENDEZVOUS the values that come from other tasks are for, by session and step. Values that come before their step has begun here
/// wait for it; those of a step that is over are dropped. Thread-safe; handing over is one message.
class StepDirectory {
 public:
  /// From now on sessions with this key have steps here.
  void add_session(uint64_t session);
  /// Forgets all that there is of it.
  void remove_session(uint64_t session);

  void open(uint64_t session, int64_t step, const RendezvousActor& rendezvous);
  /// Also of a step that never began here.
  void close(uint64_t session, int64_t step);
  /// Values of one step, at least one, go on as one message. Of a session that is not known, or a step that is over: nobody's. ResourceExhausted when
  /// more than kMostEarlyBytes wait for steps of the session that have not begun.
  absl::Status deliver(std::vector<PushedValue> values);
  /// The same of messages' bodies, of any steps: those of one in a row are one message. InvalidArgument when one is no value.
  absl::Status deliver(absl::Span<const absl::Cord> bodies);

  /// Whether it has ended here, or was closed before it began: of the last kRemembered.
  bool is_over(uint64_t session, int64_t step) const;

  size_t num_open() const;
  size_t num_early() const;

  static constexpr size_t kMostEarlyBytes = size_t{4} << 30;

 private:
  /// How many steps that are over are remembered, of a session: values of theirs may still be under way.
  static constexpr size_t kRemembered = 1024;
  struct Session {
    absl::flat_hash_map<int64_t, RendezvousActor> open;
    absl::flat_hash_map<int64_t, std::vector<PushedValue>> early;
    size_t early_bytes = 0;
    absl::flat_hash_set<int64_t> over;
    std::deque<int64_t> over_order;
  };
  static void hand_over(const RendezvousActor& to, std::vector<PushedValue> values);

  mutable std::mutex mu_;
  absl::flat_hash_map<uint64_t, Session> sessions_;  // guarded by mu_
};

}  // namespace troupe
