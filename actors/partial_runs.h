#pragma once

#include <caf/typed_response_promise.hpp>

#include "absl/container/flat_hash_map.h"
#include "actors/partial_run_actor.h"

namespace troupe {

/// The PARTIAL RUNs of a session, by handle. SESSION's own, called in its turns.
class PartialRuns {
 public:
  using Promise = caf::typed_response_promise<std::string, PartialRunActor>;

  explicit PartialRuns(SessionActor::pointer self) : self_(self) {}

  /// Spawns one of these parts, but for its name, and answers with both.
  void start(PartialRunParts parts, Promise promise);
  /// Null when there is none of that name: it is over, or never was.
  PartialRunActor find(const std::string& handle) const;
  /// It is over. What was sent to it before this is answered first.
  void forget(const std::string& handle);
  /// Cancels the one whose step this is; 0: all.
  void cancel(int64_t step_id, const absl::Status& reason);
  /// SESSION ends.
  void end_all();

 private:
  const SessionActor::pointer self_;
  absl::flat_hash_map<std::string, PartialRunActor> runs_;
  int64_t next_ = 0;
};

}  // namespace troupe
