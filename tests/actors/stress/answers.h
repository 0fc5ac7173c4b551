#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/actors/stress/kinds.h"

namespace troupe::test {

/// What is asked of sessions and of runtimes.
enum class Asked {
  kOpen,
  kCreate,
  kExtend,
  kFinalize,
  kClose,
  kReset,
  kClear,
  kRun,
  kHungryRun,
  kTimedRun,
  kPooledRun,
  kRead,
  kStream,
  kMakeCallable,
  kRunCallable,
  kReleaseCallable,
  kSetUp,
  kTurn,
  kFork,
  kInspectTurns,
  kEndTurns,
  kListTurns,
  kCancel,
  kCancelStep,
  kInspect,
  kDevices,
  kStatus,
  kSubscribe,
  kNumber,
};

/// Judges all answers, and counts them. Thread-safe.
class Answers {
 public:
  /// Whether it is OK. The test fails at an error that is not on the list: of what was asked, or of the session's kind (null: of no session).
  /// A session that says that it is of no use any more is marked so.
  bool good(Asked what, SessionMark* session, const absl::Status& answer);
  /// Of all who asked often enough somebody must have had a good answer.
  void expect_some_good() const;
  /// A line for each operation: how often it went well, and how often not.
  std::string summary() const;

 private:
  struct Count {
    std::atomic<int64_t> good{0};
    std::atomic<int64_t> bad{0};
  };
  std::array<Count, static_cast<size_t>(Asked::kNumber)> counts_;
};

}  // namespace troupe::test
