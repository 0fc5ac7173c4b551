#pragma once

namespace troupe {

/// Where the answers come from that a step waits for, when the thread that waits may hear them itself, so that no other is waked in between.
/// A thread that has asked may hear until it leaves.
class AnswerSource {
 public:
  virtual ~AnswerSource() = default;

  /// Returns when an answer was told on this thread, or `interrupt` was called; or for no reason. False, at once, when somebody else hears the answers.
  virtual bool hear() = 0;
  /// From any thread, while one is about to hear or hears.
  virtual void interrupt() = 0;
  /// The thread that has asked, whether it has heard or not, waits no more.
  virtual void leave() = 0;
};

}  // namespace troupe
