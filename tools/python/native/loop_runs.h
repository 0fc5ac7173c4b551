#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "actors/async_run.h"
#include "tools/python/native/native.h"

namespace troupe::python {

/// The runs of an event loop, which calls them by numbers. Threads of the runtime put in, without the GIL, which have ended; the loop's thread
/// takes these out, many at once, when the file descriptor can be read. Holds no Python object, so that it may end on any thread.
class LoopRuns {
 public:
  /// Raises OSError without a file descriptor.
  LoopRuns();
  ~LoopRuns();
  LoopRuns(const LoopRuns&) = delete;

  /// What is to be called when a run ends, on any thread; does not wait. Keeps `runs`.
  static RunCallback when_ended(std::shared_ptr<LoopRuns> runs, int64_t number);

  /// @name With the GIL
  void add(int64_t number, AsyncRun run) { under_way_.emplace(number, std::move(run)); }
  /// False when it is over.
  bool cancel(int64_t number, const std::string& reason);
  /// Of its step, as `inspect` has it; 0 before it has begun, and when it is over.
  int64_t step_id(int64_t number) const;
  /// Can be read as long as there are runs to take.
  int fd() const { return fd_; }
  /// Up to `most`, those first that ended first: (number, fetches or an exception, serialised RunMetadata) of each.
  py::list take(size_t most);

 private:
  struct Ended {
    int64_t number;
    absl::StatusOr<std::vector<Tensor>> fetched;
    std::string metadata;
  };
  std::vector<Ended> take_ended(size_t most);

  const int fd_;
  /// Begun and not taken; guarded by the GIL.
  absl::flat_hash_map<int64_t, AsyncRun> under_way_;
  std::mutex mu_;
  std::deque<Ended> ended_;  // guarded by mu_
};

}  // namespace troupe::python
