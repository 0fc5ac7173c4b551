#pragma once

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/deadlines.h"
#include "actors/graph_changes.h"
#include "actors/inspections.h"
#include "actors/message_runs.h"
#include "actors/partial_runs.h"
#include "actors/subscriptions.h"
#include "actors/units/on_askers_thread.h"

namespace troupe {

/// What SESSIONs have in common, wherever the graph is: runs and callables, whose steps are on slots; who waits for a signature; cancels,
/// deadlines, reports. What becomes of the graph is for the two kinds to say (session_actor.cc, remote_session_actor.cc).
class SessionBase : public OnAskersThread<SessionActor::base> {
 public:
  SessionBase(caf::actor_config& config, std::shared_ptr<SessionCore> core);
  const char* name() const override { return "session"; }
  behavior_type make_behavior() final;

 protected:
  /// Called once, in a turn of this actor, or when it ends.
  using Leased = std::function<void(absl::StatusOr<SlotReply>)>;
  using Described = std::function<void(absl::StatusOr<PartitionGraphs>)>;

  /// @name What each kind does
  virtual caf::result<Done> change(GraphChanges::Kind what) = 0;
  virtual void graph_changed(const GraphChanged& m) = 0;
  /// Has a signature compiled whose names are sorted; `compiled` is called then, or at once, unless the session has closed.
  virtual void compile(const LeaseRequest& sorted, const std::string& key) = 0;
  virtual caf::result<CallableReply> prepare_callable(const CallableOptions& options) = 0;
  virtual PartialRuns::Started set_up(const PartialRunSetup& m) = 0;
  virtual std::unique_ptr<PartialRuns> make_partial_runs() = 0;
  virtual void describe(const LeaseRequest& names, Described then) = 0;
  virtual void described(const PartitionsDescribed& m) = 0;
  virtual caf::result<ListDevicesReply> list_devices() = 0;
  virtual caf::result<Done> clear_containers(const std::vector<std::string>& containers) = 0;
  virtual caf::result<Done> close() = 0;

  static caf::result<Done> answer(const absl::Status& status);
  /// A slot: at once when the signature is known, else when it is compiled.
  void lease_then(const LeaseRequest& m, Leased then);
  void compiled(const CompileDone& m);
  PartialRuns& partial_runs();
  /// The gate first, then the broadcast; idle slots end now, busy ones when their run is over.
  void shut_runs(const std::string& why);
  /// This actor ends: answers all who have asked for runs and reports. Nobody else will: CAF drops the promises and handlers of an
  /// actor that ends without a word. The runs give back their slots and places when their steps, which are cancelled, have ended.
  void end_runs(const absl::Status& status);

  /// Null once the actor has ended.
  std::shared_ptr<SessionCore> core_;

 private:
  struct Waiter {
    std::shared_ptr<SignatureAlias> alias;
    Leased then;
  };

  caf::result<Done> create(const CreateGraph& m);
  caf::result<Done> extend(const ExtendGraph& m);
  caf::result<SlotReply> lease(const LeaseRequest& m);
  absl::StatusOr<SlotReply> make_slot_reply(const std::shared_ptr<const SignatureAlias>& alias);
  caf::result<RunReply> run(const RunRequest& m);
  caf::result<RunReply> run_callable(const RunCallable& m);
  caf::result<CallableReply> make_callable(const MakeCallable& m);
  /// `names`: what the run's partition graphs are planned from.
  caf::result<RunReply> answer_at_end(const LeaseRequest& want, std::vector<Tensor> feeds,
                                      const RunOptions& options, const LeaseRequest& names);
  caf::result<RunBegun> begin(const BeginRun& m);
  void start_run(const std::shared_ptr<OutstandingRun>& run);
  caf::result<RunReply> take_turn(const PartialRunRequest& m);
  caf::result<PartitionGraphs> partition_graphs(const PartitionGraphsRequest& m);
  caf::result<InspectReply> inspect();
  caf::result<CancelReply> cancel(const CancelRequest& m);
  /// Trips its token at once and tells its STEP. False when that step (0: any) does not run there.
  bool cancel_step(StepSlot& slot, int64_t step_id, const absl::Status& reason);
  int broadcast_cancel(int64_t step_id, const absl::Status& reason);
  void check_deadlines();

  Deadlines deadlines_;
  /// By sorted key: who waits for the compiler.
  absl::flat_hash_map<std::string, std::vector<Waiter>> pending_;
  MessageRuns runs_{this};
  Inspections inspections_{this};
  Subscriptions subscriptions_{this};
  /// Null while nobody has asked for any, as in most sessions.
  std::unique_ptr<PartialRuns> partial_runs_;
};

}  // namespace troupe
