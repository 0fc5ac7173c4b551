#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "actors/messages/in_process.h"
#include "actors/messages/session.h"

namespace troupe {

class OutstandingRun;
class StepLease;
struct GraphChange;
struct SessionCore;
struct Signature;
struct SignatureAlias;

/// @name To a SESSION, INTERNAL
/// A step's compiled signature, and an idle slot to run it on. Answer: SlotReply.
struct LeaseRequest {
  std::vector<std::string> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  /// For a partial run.
  bool partial = false;
  std::vector<std::pair<std::string, std::string>> connections = {};
  /// Of a run that is debugged.
  std::vector<TensorWatch> watches = {};
  /// Set when the signature is known and only a slot is wanted; the names are empty then.
  std::shared_ptr<const SignatureAlias> alias = nullptr;
  /// Of a callable: CallableOptions::feed_devices and fetch_devices, those whose memory is not the client's.
  std::map<std::string, std::string> feed_devices = {};
  std::map<std::string, std::string> fetch_devices = {};
};
struct SlotReply {
  /// For one who takes it; nobody's, it goes back.
  std::shared_ptr<StepLease> lease;
};
/// What the partitions of a signature are, as GraphDefs. Answer: PartitionGraphs.
struct PartitionGraphsRequest {
  LeaseRequest signature;
};
struct PartitionGraphs {
  /// Serialised GraphDefs.
  std::vector<std::string> graphs;
};
/// What stands behind a SESSION's handle, for a caller that runs steps on his own thread. Answer: CoreReply.
struct CoreRequest {};
struct CoreReply {
  std::shared_ptr<SessionCore> core;
};
/// A partial run is over.
struct PartialRunEnded {
  std::string handle;
};
/// What the compile pool made of a signature.
struct CompileDone {
  std::string key;
  std::shared_ptr<absl::StatusOr<std::shared_ptr<Signature>>> result;
};
/// What the compile pool made of a change of the graph.
struct GraphChanged {
  std::shared_ptr<absl::StatusOr<GraphChange>> result;
};
/// The answer to a PartitionGraphsRequest, by SESSION's number for it.
struct PartitionsDescribed {
  int64_t number = 0;
  std::shared_ptr<absl::StatusOr<PartitionGraphs>> result;
};
/// The master of a session elsewhere has answered: what SESSION is to do thereupon, in a turn of its own.
struct MasterAnswered {
  std::shared_ptr<std::function<void()>> then;
};
/// Look at the deadlines of the running steps.
struct CheckDeadlines {};
/// Look for slow steps. One of an earlier clock is late.
struct CheckSlowSteps {
  int64_t clock = 0;
};

/// A run wants a slot, and to be begun on it.
struct StartRun {
  std::shared_ptr<OutstandingRun> run;
};
/// A run that has ended well wants its partition graphs.
struct DescribeRun {
  std::shared_ptr<OutstandingRun> run;
};
/// A run by message that is debugged has begun, by SESSION's number for it; or has been refused: `step_id` is 0 then.
struct RunHasBegun {
  int64_t number = 0;
  int64_t step_id = 0;
};
/// A run by message is over, by SESSION's number for it.
struct RunAnswered {
  int64_t number = 0;
  absl::Status status;
  std::shared_ptr<RunReply> reply;
};

}  // namespace troupe
