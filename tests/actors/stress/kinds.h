#pragma once

#include <atomic>
#include <vector>

#include "absl/status/status.h"
#include "actors/options.h"

namespace troupe::test {

/// An error that is no fault, by code and phrase.
struct AllowedError {
  absl::StatusCode code;
  const char* phrase;
};

/// Options for a session, and what follows from them.
struct SessionKind {
  const char* name;
  SessionOptions options;
  /// Errors that are no fault in such a session, whatever it is asked.
  std::vector<AllowedError> also;
};

/// What is known of a session; those who must not keep the session itself, as its end waits, keep this.
struct SessionMark {
  explicit SessionMark(const SessionKind* k) : kind(k) {}
  const SessionKind* const kind;
  /// Closed, finalized or ended: it is time for another.
  std::atomic<bool> spent{false};
};

/// What sessions of the stage are like; all have two devices.
const std::vector<SessionKind>& session_kinds();

}  // namespace troupe::test
