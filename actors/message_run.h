#pragma once

#include <memory>
#include <vector>

#include "actors/interfaces.h"
#include "actors/step_lease.h"

namespace troupe {

/// A run that a client asked SESSION for by message, from when it is counted in to its answer. It holds a place in the gate and
/// a slot, and gives both back whatever becomes of SESSION: its step's end sends RunEnded, and when nobody is there to
/// hear it the last reference cleans up. Only SESSION calls it.
class MessageRun : public std::enable_shared_from_this<MessageRun> {
 public:
  using Promise = caf::typed_response_promise<RunReply>;

  /// `place`: of SessionCore::enter, with `cancels` from before it.
  MessageRun(std::shared_ptr<SessionCore> core, RunGate::Place place, int64_t cancels,
             std::vector<Tensor> feeds, RunOptions options, Promise promise)
      : core_(std::move(core)), place_(std::move(place)), cancels_(cancels), feeds_(std::move(feeds)),
        options_(options), promise_(std::move(promise)) {}
  MessageRun(const MessageRun&) = delete;

  /// Begins on a slot; `session` gets RunEnded, once.
  void start(StepLease lease, const SessionActor& session);
  /// Takes the results and gives the slot back. True when an actor of the slot had died before it began: the run wants another.
  bool conclude();
  const std::shared_ptr<const SignatureAlias>& alias() const { return lease_.kept_alias(); }
  const RunOptions& options() const { return options_; }

  /// @name The answer, once; it leaves the gate before
  void succeed();
  void fail(const absl::Status& status);
  /// The answer before the end, from a SESSION that will not hear of it.
  void answer_early(const absl::Status& status);
  /// How it ended.
  const absl::Status& status() const { return status_; }
  RunReply& reply() { return reply_; }

  /// What it runs, by names: when its options want partition graphs.
  LeaseRequest names;

 private:
  const std::shared_ptr<SessionCore> core_;
  RunGate::Place place_;
  const int64_t cancels_;
  const std::vector<Tensor> feeds_;
  const RunOptions options_;
  Promise promise_;
  StepLease lease_;
  int attempt_ = 0;
  absl::Status status_;
  RunReply reply_;
};

}  // namespace troupe
