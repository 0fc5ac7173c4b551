#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "actors/cluster/task_id.h"
#include "graph/ir/graph.h"

namespace troupe {

/// The rendezvous keys under which values cross from task to task, as numbers: a key without its frame and iteration is a hundred
/// bytes of device names and is known to both sides, whose parts of the graph have its `_Send` and its `_Recv`. The number is a hash of
/// the text, so that nobody has to hand numbers out. Made when a part is registered; immutable.
class TransferKeys {
 public:
  /// What goes to another task, besides the value.
  struct Outgoing {
    TaskId peer;
    uint64_t key_id = 0;
    uint64_t frame = 0;
    uint64_t iteration = 0;
  };

  /// Of a part that runs in task `here`. InvalidArgument "Invalid rendezvous key (src)" or "(dst)" for a `_Send` or a `_Recv` that is not of
  /// this task, and for device names that are malformed; Internal when two keys have the same number.
  static absl::StatusOr<TransferKeys> make(const Graph& part, const TaskId& here);

  /// Where the value of a `_Send` goes, by its whole key; nothing when it stays in this task. InvalidArgument for a malformed key.
  absl::StatusOr<std::optional<Outgoing>> outgoing(absl::string_view key) const;
  /// The whole key of a value that came from `peer`. Aborted when no `_Recv` here waits for such a value from there: the peer has another
  /// graph, or is of another life, than this part was made for.
  absl::StatusOr<std::string> incoming(const TaskId& peer, uint64_t key_id, uint64_t frame,
                                       uint64_t iteration) const;

  size_t num_outgoing() const { return outgoing_.size(); }
  size_t num_incoming() const { return incoming_.size(); }

 private:
  struct Known {
    TaskId peer;
    std::string prefix;
  };
  absl::Status add(const Node& transfer, const TaskId& here);

  /// By prefix of the key: where it goes.
  absl::flat_hash_map<std::string, TaskId> outgoing_;
  /// By number.
  absl::flat_hash_map<uint64_t, Known> incoming_;
};

}  // namespace troupe
