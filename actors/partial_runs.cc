#include "actors/partial_runs.h"

#include <caf/all.hpp>

#include "actors/signature_key.h"

namespace troupe {

void PartialRuns::start(PartialRunParts parts, Promise promise) {
  const std::string handle = parts.handle = partial_run_name(parts.setup, next_++);
  PartialRunActor actor = spawn_partial_run(self_->system(), std::move(parts));
  runs_[handle] = actor;
  self_->send(actor, StartPartialRun{});
  promise.deliver(handle, std::move(actor));
}

PartialRunActor PartialRuns::find(const std::string& handle) const {
  const auto it = runs_.find(handle);
  return it == runs_.end() ? PartialRunActor() : it->second;
}

void PartialRuns::forget(const std::string& handle) {
  const auto it = runs_.find(handle);
  if (it == runs_.end()) return;
  self_->send_exit(it->second, caf::exit_reason::user_shutdown);
  runs_.erase(it);
}

void PartialRuns::cancel(int64_t step_id, const absl::Status& reason) {
  for (const auto& [handle, actor] : runs_) {
    self_->send<caf::message_priority::high>(actor, CancelPartialRun{step_id, reason});
  }
}

void PartialRuns::end_all() {
  for (const auto& [handle, actor] : runs_) self_->send_exit(actor, caf::exit_reason::user_shutdown);
  runs_.clear();
}

}  // namespace troupe
