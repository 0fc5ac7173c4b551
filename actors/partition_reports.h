#pragma once

#include <functional>

#include "absl/container/flat_hash_map.h"
#include "actors/graph_changes.h"

namespace troupe {

/// Who waits to hear what the partitions of a signature are: planned anew on the compile pool, since they are not kept as graphs. SESSION's
/// own, called in its turns.
class PartitionReports {
 public:
  using Then = std::function<void(absl::StatusOr<PartitionGraphs>)>;

  /// `session` gets PartitionsDescribed.
  PartitionReports(std::shared_ptr<SessionCore> core, GraphChanges* graph, SessionActor::pointer session)
      : core_(std::move(core)), graph_(graph), session_(session) {}

  /// Calls `then` once, in a turn of SESSION, or when it ends.
  void describe(const LeaseRequest& signature, Then then);
  void finish(const PartitionsDescribed& m);
  /// The session closes.
  void shut(const absl::Status& why);

 private:
  const std::shared_ptr<SessionCore> core_;
  GraphChanges* const graph_;
  const SessionActor::pointer session_;
  absl::flat_hash_map<int64_t, Then> waiting_;
  int64_t next_ = 0;
};

}  // namespace troupe
