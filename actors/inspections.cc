#include "actors/inspections.h"

#include <caf/all.hpp>

namespace troupe {
namespace {

/// How long inspect waits for a STEP whose thread may be inside a kernel.
constexpr std::chrono::milliseconds kPatience{50};
/// How many calls of functions the report of one step looks into.
constexpr size_t kNestedReports = 32;

}  // namespace

void Inspections::begin(SessionCore& core, Promise promise) {
  std::vector<std::shared_ptr<StepSlot>> live;
  for (const auto& weak : core.slots()) {
    if (auto slot = weak.lock()) live.push_back(std::move(slot));
  }
  const int64_t id = questions_.open(std::move(promise), {}, live.size());
  for (const auto& slot : live) ask_step(id, slot, 0);
}

/// `root`: the step in which it is nested, or 0. What it says is added to that step's report.
void Inspections::ask_step(int64_t inspection, const std::shared_ptr<StepSlot>& slot, int64_t root) {
  self_->request(slot->step, kPatience, InspectStep{})
      .then([this, inspection, slot,
             root](const InspectStepReply& r) { note_step(inspection, slot, root, r.report); },
            [this, inspection, slot, root](caf::error&) {
              // Its thread is inside a kernel: say which from outside.
              note_step(inspection, slot, root, slot->report_from_outside());
            });
}

void Inspections::note_step(int64_t id, const std::shared_ptr<StepSlot>& slot, int64_t root,
                            const StepReport& report) {
  InspectReply& reply = questions_.answer(id);
  if (root != 0) {
    for (StepReport& r : reply.steps) {
      if (r.step_id == root)
        r.frontier.insert(r.frontier.end(), report.frontier.begin(), report.frontier.end());
    }
  } else if (report.step_id != 0) {
    reply.steps.push_back(report);
    reply.steps.back().session = slot->session->name();
    for (const auto& nested : slot->functions->running(kNestedReports)) {
      questions_.ask_another(id);
      ask_step(id, nested, report.step_id);
    }
  }
  questions_.one_answered(id);
}

}  // namespace troupe
