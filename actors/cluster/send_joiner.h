#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "actors/cluster/task_id.h"

namespace troupe {

struct JoinLimits {
  /// What is larger goes alone: a message costs as much as copying this much.
  size_t item_bytes = size_t{4} << 10;
  /// Of one joined message, and how many it has.
  size_t bytes = size_t{64} << 10;
  size_t count = 64;
};

/// Joins the small values that one turn of an actor sends to one peer for one step into one message (ConfigProto.tensor_fuse). The order of
/// what goes to one peer for one step is kept. Not thread-safe.
class SendJoiner {
 public:
  explicit SendJoiner(JoinLimits limits = {}) : limits_(limits) {}

  /// Messages to one peer that are to be sent as one; a single one as it is.
  struct Batch {
    TaskId peer;
    int64_t step = 0;
    std::vector<absl::Cord> messages;
  };

  /// Keeps a small message; returns what is to be sent now, in this order.
  std::vector<Batch> add(const TaskId& peer, int64_t step, absl::Cord message);
  /// The turn is over: all that is kept, by peer and step.
  std::vector<Batch> flush();
  /// The step is over, or the peer gone: forgets what is kept for it.
  void drop_step(int64_t step);
  void drop_peer(const TaskId& peer);

  bool empty() const { return kept_.empty(); }

 private:
  struct Kept {
    std::vector<absl::Cord> messages;
    size_t bytes = 0;
  };
  const JoinLimits limits_;
  std::map<std::pair<TaskId, int64_t>, Kept> kept_;
};

/// Messages as one: their number, their sizes, their bytes, which are shared.
absl::Cord join_messages(const std::vector<absl::Cord>& messages);
/// The messages in what join_messages made; they point into `joined`. InvalidArgument unless there are 1 to `max_count` and their
/// sizes add up to what is there; checked before anything is allocated.
absl::StatusOr<std::vector<absl::string_view>> split_messages(absl::string_view joined,
                                                              size_t max_count = JoinLimits().count);

}  // namespace troupe
