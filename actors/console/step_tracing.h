#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace troupe {

class Runtime;

struct TraceOptions {
  /// Made when it is not there.
  std::string folder;
  /// The first run of each of 16 groups of threads and every so many after; 0: none for their number.
  int64_t every = 0;
  /// Runs that take longer, too; zero: none for their length. What the nodes of such a run did is in its trace if it is the first of its
  /// signature, one of the 64 after a slow one, or follows one that took 10 us for each node that ran: others do not time their nodes, and may be told of by a
  /// clock that is wrong by 4 ms.
  std::chrono::milliseconds slow_after{0};
  /// Of files "troupe-trace-*.json" in the folder the oldest go first. A file takes no more once it is as large.
  int max_files = 8;
  int64_t max_file_bytes = 16 << 20;
};

/// Traces some runs of a runtime, of all its sessions, into files that Perfetto and chrome://tracing open. While it lives; it must be destroyed
/// before its runtime. Writing is done by an actor with a thread of its own: runs wait for nothing, and what it cannot keep up with is
/// dropped and counted.
class StepTracing {
 public:
  /// InvalidArgument for options that make no sense; what the system says when the folder cannot be made or written; AlreadyExists when
  /// the runtime is traced already.
  static absl::StatusOr<std::unique_ptr<StepTracing>> start(Runtime& runtime, const TraceOptions& options);
  /// What was traced before is written when it returns.
  ~StepTracing();
  StepTracing(const StepTracing&) = delete;

  /// Steps so far.
  int64_t written() const;
  int64_t dropped() const;

 private:
  struct Impl;
  explicit StepTracing(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
