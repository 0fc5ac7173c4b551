#pragma once

#include <caf/typed_response_promise.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/outstanding_run.h"

namespace troupe {

/// The runs that clients have asked a SESSION for by message: who hears of the end of each, and whose death ends it. SESSION's own,
/// called in its turns.
class MessageRuns {
 public:
  using Promise = caf::typed_response_promise<RunReply>;
  using BegunPromise = caf::typed_response_promise<RunBegun>;

  explicit MessageRuns(SessionActor::pointer self) : self_(self) {}

  /// A run whose end is the answer to a request. `client`: who asked; null when nobody is to be watched.
  std::shared_ptr<OutstandingRun> answer_at_end(std::shared_ptr<SessionCore> core, LeaseRequest want,
                                                std::vector<Tensor> feeds, const RunOptions& options,
                                                const caf::strong_actor_ptr& client, Promise promise);
  /// A run whose end `client` hears as RunFinished; `number` is the run's.
  std::shared_ptr<OutstandingRun> tell_at_end(std::shared_ptr<SessionCore> core, LeaseRequest want,
                                              std::vector<Tensor> feeds, const RunOptions& options,
                                              const RunClient& client, int64_t* number);
  /// It could not begin, which its client knows.
  void forget(int64_t number);
  /// Its client is told that it has begun when it has.
  void answer_when_begun(int64_t number, BegunPromise promise);
  void begun(const RunHasBegun& run);
  void ended(const RunAnswered& end);
  /// Cancels what this client has under way.
  void client_died(const caf::actor_addr& client);
  /// SESSION ends: tells everybody.
  void fail(const absl::Status& status);

 private:
  using Tell = std::function<void(const absl::Status& status, RunReply reply)>;
  struct Entry {
    std::weak_ptr<OutstandingRun> run;
    caf::actor_addr client;
    Tell tell;
    /// Of a client who is to hear of its begin, too.
    BegunPromise begun;
  };

  std::shared_ptr<OutstandingRun> add(std::shared_ptr<SessionCore> core, LeaseRequest want,
                                      std::vector<Tensor> feeds, const RunOptions& options,
                                      caf::actor_addr client, Tell tell);
  /// Takes the entry out, and lets go of a client who has no other.
  Entry take(int64_t number);

  const SessionActor::pointer self_;
  absl::flat_hash_map<int64_t, Entry> runs_;
  /// How many runs of each client who is watched.
  absl::flat_hash_map<caf::actor_addr, int, std::hash<caf::actor_addr>> clients_;
  int64_t next_ = 1;
};

}  // namespace troupe
