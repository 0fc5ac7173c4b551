#include "tests/actors/stress/answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troupe::test {
namespace {

using absl::StatusCode;

// What operations have in common.
constexpr unsigned kOfSession = 1;
constexpr unsigned kOfRun = 2;
constexpr unsigned kWantsGraph = 4;
constexpr unsigned kOfTurns = 8;

/// SESSION is told to end by some players, and closed by others.
const AllowedError kSessionErrors[] = {
    {StatusCode::kCancelled, "Session has been closed."},
    {StatusCode::kCancelled, "the session's actor has ended"},
    {StatusCode::kUnavailable, "the actor that was asked is gone"},
    {StatusCode::kUnavailable, "the actor has ended"},
};
const AllowedError kRunErrors[] = {{StatusCode::kCancelled, "Run call was cancelled"}};
const AllowedError kGraphErrors[] = {{StatusCode::kFailedPrecondition, "Session has been finalized."}};
const AllowedError kTurnErrors[] = {{StatusCode::kInvalidArgument, "Must run 'setup'"},
                                    {StatusCode::kCancelled, "the partial run's actor has ended"}};

struct Row {
  Asked what;
  const char* name;
  unsigned groups;
  std::vector<AllowedError> also = {};
};
const Row kRows[] = {
    {Asked::kOpen, "open", 0},
    {Asked::kCreate, "create", kOfSession},
    {Asked::kExtend, "extend", kOfSession | kWantsGraph},
    {Asked::kFinalize, "finalize", kOfSession, {{StatusCode::kFailedPrecondition, "already finalized"}}},
    {Asked::kClose, "close", 0},
    {Asked::kReset, "reset", 0},
    {Asked::kClear, "clear containers", kOfSession},
    {Asked::kRun, "run", kOfSession | kOfRun | kWantsGraph},
    {Asked::kHungryRun,
     "run that lacks a feed",
     kOfSession | kOfRun | kWantsGraph,
     {{StatusCode::kInvalidArgument, "You must feed a value for placeholder tensor 'x'"}}},
    {Asked::kTimedRun,
     "run that hangs",
     kOfSession | kOfRun | kWantsGraph,
     {{StatusCode::kDeadlineExceeded, "Timed out"}}},
    {Asked::kPooledRun,
     "run in a pool",
     kOfSession | kOfRun | kWantsGraph,
     {{StatusCode::kInvalidArgument, "Invalid inter_op_thread_pool: 9"},
      {StatusCode::kInvalidArgument, "Invalid inter_op_thread_pool: 1"}}},
    {Asked::kRead,
     "read a variable",
     kOfSession | kOfRun | kWantsGraph,
     {{StatusCode::kFailedPrecondition, "Resource variable is uninitialized."},
      {StatusCode::kFailedPrecondition, "Could not find variable v"}}},
    {Asked::kStream, "streamed run", kOfSession | kOfRun | kWantsGraph | kOfTurns},
    {Asked::kMakeCallable, "make callable", kOfSession | kOfRun | kWantsGraph},
    {Asked::kRunCallable,
     "run callable",
     kOfSession | kOfRun,
     {{StatusCode::kInvalidArgument, "callable handle"}}},
    {Asked::kReleaseCallable,
     "release callable",
     kOfSession,
     {{StatusCode::kInvalidArgument, "callable handle"}}},
    {Asked::kSetUp, "set up", kOfSession | kWantsGraph},
    {Asked::kTurn, "turn", kOfSession | kOfRun | kOfTurns},
    {Asked::kFork,
     "fork",
     kOfSession | kOfRun | kOfTurns,
     {{StatusCode::kFailedPrecondition, "has ended, and cannot be forked"},
      {StatusCode::kDeadlineExceeded, "was abandoned"}}},
    {Asked::kInspectTurns, "inspect turns", kOfSession | kOfTurns},
    {Asked::kEndTurns, "end turns", kOfSession | kOfTurns},
    {Asked::kListTurns, "list turns", kOfSession},
    {Asked::kCancel, "cancel", kOfSession},
    {Asked::kCancelStep, "cancel a step", kOfSession, {{StatusCode::kNotFound, "is not running"}}},
    {Asked::kInspect, "inspect", kOfSession},
    {Asked::kDevices, "list devices", kOfSession},
    {Asked::kStatus, "ask a runtime", 0},
    {Asked::kSubscribe, "subscribe", kOfSession},
};
static_assert(std::size(kRows) == static_cast<size_t>(Asked::kNumber));

/// Asked for as often as this, nothing may have failed each time.
constexpr int64_t kOften = 50;

bool names(std::span<const AllowedError> allowed, const absl::Status& s) {
  return std::any_of(allowed.begin(), allowed.end(), [&](const AllowedError& e) {
    return s.code() == e.code && absl::StrContains(s.message(), e.phrase);
  });
}

bool is_allowed(const Row& row, const SessionMark* session, const absl::Status& s) {
  auto in = [&](unsigned group, std::span<const AllowedError> errors) {
    return (row.groups & group) != 0 && names(errors, s);
  };
  return names(row.also, s) || in(kOfSession, kSessionErrors) || in(kOfRun, kRunErrors) ||
         in(kWantsGraph, kGraphErrors) || in(kOfTurns, kTurnErrors) ||
         (session != nullptr && in(kOfSession, session->kind->also));
}

}  // namespace

bool Answers::good(Asked what, SessionMark* session, const absl::Status& answer) {
  const Row& row = kRows[static_cast<size_t>(what)];
  EXPECT_EQ(row.what, what);
  Count& count = counts_[static_cast<size_t>(what)];
  if (answer.ok()) {
    count.good.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  count.bad.fetch_add(1, std::memory_order_relaxed);
  EXPECT_TRUE(is_allowed(row, session, answer))
      << row.name << ", session " << (session == nullptr ? "none" : session->kind->name) << ": " << answer;
  const bool ended = names(kSessionErrors, answer) || names(kGraphErrors, answer);
  if (session != nullptr && ended) session->spent.store(true, std::memory_order_relaxed);
  return false;
}

void Answers::expect_some_good() const {
  for (const Row& row : kRows) {
    const Count& count = counts_[static_cast<size_t>(row.what)];
    if (row.what == Asked::kHungryRun || row.what == Asked::kTimedRun || count.bad < kOften) continue;
    EXPECT_GT(count.good, 0) << row.name << " failed each time";
  }
}

std::string Answers::summary() const {
  std::string text;
  for (const Row& row : kRows) {
    const Count& count = counts_[static_cast<size_t>(row.what)];
    absl::StrAppend(&text, row.name, ": ", count.good.load(), " good, ", count.bad.load(), " not\n");
  }
  return text;
}

}  // namespace troupe::test
