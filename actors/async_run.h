#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "actors/options.h"
#include "actors/run_values.h"
#include "graph/tensor/tensor.h"

namespace troupe {

class OutstandingRun;
struct CallableCode;
struct SessionCore;

/// How a run that was not waited for ended: its fetches, in the order in which they were asked for, and what it did. Called once, on the
/// thread that ended it; must not wait.
using RunCallback = std::function<void(absl::StatusOr<std::vector<Tensor>> fetches, const RunStats& stats)>;

/// A run that was begun and is not waited for (Session::run_async). Copies are the same run; thread-safe. It may outlive its
/// session, whose end ends the run.
class AsyncRun {
 public:
  AsyncRun() = default;

  /// Counts it in, and begins it: Session::run_async, for who has a session's core and no Session.
  static AsyncRun begin(std::shared_ptr<SessionCore> core, const std::vector<NamedTensor>& feeds,
                        const std::vector<std::string>& fetches, const std::vector<std::string>& targets,
                        const RunOptions& options, RunCallback done);
  static AsyncRun begin(std::shared_ptr<SessionCore> core, const CallableCode& callable,
                        std::vector<Tensor> feeds, RunCallback done);

  /// As `inspect` has it. 0 before it has begun: while its signature is compiled.
  int64_t step_id() const;
  /// Whether its callback has been called, or is being called.
  bool over() const;
  /// It ends with Cancelled: "Run call was cancelled: <reason>". False when it is over.
  bool cancel(absl::string_view reason = "");

 private:
  explicit AsyncRun(const std::shared_ptr<OutstandingRun>& run);

  /// What a run holds goes with its end, not with its handles.
  std::weak_ptr<OutstandingRun> run_;
  std::shared_ptr<const std::atomic<int64_t>> step_id_;
};

}  // namespace troupe
