#pragma once

#include "actors/open_questions.h"
#include "actors/session_core.h"

namespace troupe {

/// Answers what the running steps of a session do: asks the STEP of every slot, and those of the functions that it has called. SESSION's
/// own, called in its turns.
class Inspections {
 public:
  using Promise = OpenQuestions<InspectReply>::Promise;

  /// `self` asks; it owns this.
  explicit Inspections(SessionActor::pointer self) : self_(self) {}

  void begin(SessionCore& core, Promise promise);
  /// SESSION ends: answers all that are under way.
  void fail(const absl::Status& status) { questions_.fail(status); }

 private:
  void ask_step(int64_t inspection, const std::shared_ptr<StepSlot>& slot, int64_t root);
  void note_step(int64_t id, const std::shared_ptr<StepSlot>& slot, int64_t root, const StepReport& report);

  const SessionActor::pointer self_;
  OpenQuestions<InspectReply> questions_;
};

}  // namespace troupe
