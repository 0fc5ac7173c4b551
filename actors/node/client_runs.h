#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "actors/async_run.h"
#include "actors/node/messages.h"
#include "actors/run_values.h"

namespace troupe {

struct SessionCore;

namespace wire {
class CallCallable;
class RunStep;
}  // namespace wire

/// The runs of a client's session that have not ended, and the turns of its partial runs, by the client's numbers. Thread-safe.
class ClientRuns {
 public:
  /// How one is ended before its time; called outside the lock.
  using Cancel = std::function<void(const std::string& reason)>;

  /// AlreadyExists when one of that number has not ended.
  absl::Status open(int64_t run);
  /// Nothing when it has ended meanwhile.
  void set_cancel(int64_t run, Cancel cancel);
  /// Forgets it. What its client is told of how it ended.
  absl::StatusOr<absl::Cord> close(int64_t run, const absl::StatusOr<std::vector<Tensor>>& fetches,
                                   const RunStats& stats);
  void cancel(int64_t run, const std::string& reason);
  void cancel_all(const std::string& reason);
  /// The same when the node leaves. Clients of runs that are cancelled from now on hear `why`, as those do who hear the connection end
  /// first: they have cancelled nothing.
  void leave(const absl::Status& why);

 private:
  std::mutex mu_;
  // Guarded by mu_.
  absl::flat_hash_map<int64_t, Cancel> open_;
  absl::Status left_;
};

/// What the client feeds. InvalidArgument when there are not as many values as names.
absl::StatusOr<std::vector<NamedTensor>> feeds_of(const wire::RunStep& step, std::vector<Tensor> values);

/// @name Begin a run, which is answered by the thread that ends it; after an error nothing has begun.
absl::Status begin_step(const std::shared_ptr<SessionCore>& core, const std::shared_ptr<ClientRuns>& runs,
                        const wire::RunStep& step, std::vector<Tensor> values, const NodeReply& reply);
absl::Status begin_callable(const std::shared_ptr<SessionCore>& core, const std::shared_ptr<ClientRuns>& runs,
                            const wire::CallCallable& call, std::vector<Tensor> feeds,
                            const NodeReply& reply);

/// Tells the client how his run, or turn, ended.
RunCallback answer_by(const std::shared_ptr<ClientRuns>& runs, int64_t run, const NodeReply& reply);

}  // namespace troupe
