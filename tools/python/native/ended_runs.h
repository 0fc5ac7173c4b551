#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "actors/async_run.h"
#include "tools/python/native/native.h"

namespace troupe::python {

/// Runs that have ended and that an event loop has not heard of yet. Threads of the runtime put them in, without the GIL; the loop's thread
/// takes them out, many at once, when the file descriptor can be read. Holds no Python object, so that it may end on any thread.
class EndedRuns {
 public:
  /// Raises OSError without a file descriptor.
  EndedRuns();
  ~EndedRuns();
  EndedRuns(const EndedRuns&) = delete;

  /// Can be read as long as there are runs to take.
  int fd() const { return fd_; }
  /// How the run that the loop calls `number` ended. On any thread; does not wait.
  void add(int64_t number, absl::StatusOr<std::vector<Tensor>> fetched, const RunStats& stats);
  /// Up to `most`, those first that ended first: (number, fetches or an exception, serialised RunMetadata) of each.
  py::list take(size_t most);

 private:
  struct Ended {
    int64_t number;
    absl::StatusOr<std::vector<Tensor>> fetched;
    std::string metadata;
  };

  const int fd_;
  std::mutex mu_;
  std::deque<Ended> ended_;  // guarded by mu_
};

}  // namespace troupe::python
