#pragma once

#include <caf/typed_response_promise.hpp>

#include <functional>

#include "absl/container/flat_hash_map.h"
#include "actors/open_questions.h"
#include "actors/partial_run_actor.h"
#include "actors/partial_run_table.h"

namespace troupe {

/// The PARTIAL RUNs of a session, by handle. SESSION's own, called in its turns.
class PartialRuns {
 public:
  using Started = caf::result<std::string, PartialRunActor>;
  using Promise = caf::typed_response_promise<std::string, PartialRunActor>;
  /// How SESSION leases a slot; what it calls, it calls in a turn of its own.
  using Lease = std::function<void(const LeaseRequest&, std::function<void(absl::StatusOr<SlotReply>)>)>;
  /// Calls with the session's graph as soon as it does not change.
  using WithGraph = std::function<void(std::function<void(const std::shared_ptr<const Graph>&)>)>;

  /// `runs`: the core's, where clients find them.
  PartialRuns(SessionActor::pointer self, PartialRunTable* runs, Lease lease, WithGraph with_graph)
      : self_(self), lease_(std::move(lease)), with_graph_(std::move(with_graph)), runs_(runs) {}

  /// InvalidArgument for a lease below zero or above a year.
  Started set_up(const std::shared_ptr<SessionCore>& core, const PartialRunSetup& m);
  /// One that is there already.
  void add(const std::string& handle, PartialRunTable::Entry run) { runs_->add(handle, std::move(run)); }
  caf::result<RunReply> take_turn(const PartialRunRequest& m);
  Started fork(const ForkPartialRun& m);
  caf::result<Done> end(const EndPartialRun& m);
  caf::result<PartialRunReport> inspect(const InspectPartialRun& m);
  caf::result<PartialRunList> list();
  /// It is over. What was sent to it before this is answered first.
  void forget(const std::string& handle);
  /// Cancels the one whose step this is; 0: all.
  void cancel(int64_t step_id, const absl::Status& reason);
  /// SESSION ends.
  void end_all(const absl::Status& status);

 private:
  /// Spawns one of these parts, but for its name, and answers with both.
  void start(PartialRunParts parts, Promise promise);
  void adopt(const std::shared_ptr<PartialRunParts>& parts, Promise promise);
  /// Null when there is none of that name: it is over, or never was.
  PartialRunActor find(const std::string& handle) const;

  const SessionActor::pointer self_;
  const Lease lease_;
  const WithGraph with_graph_;
  PartialRunTable* const runs_;
  int64_t next_ = 0;
  OpenQuestions<PartialRunList> lists_;
  /// Who waits for a fork, by a number of ours.
  absl::flat_hash_map<int64_t, Promise> forks_;
  int64_t next_fork_ = 0;
};

}  // namespace troupe
