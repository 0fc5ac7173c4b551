#include "actors/node/part_runs.h"

#include <vector>

namespace troupe {

void PartRuns::add(int64_t step, const std::shared_ptr<OutstandingRun>& run) {
  std::lock_guard lock(mu_);
  runs_.insert_or_assign(step, run);
}

void PartRuns::remove(int64_t step) {
  std::lock_guard lock(mu_);
  runs_.erase(step);
}

std::shared_ptr<OutstandingRun> PartRuns::find(int64_t step) const {
  std::lock_guard lock(mu_);
  const auto found = runs_.find(step);
  return found == runs_.end() ? nullptr : found->second.lock();
}

void PartRuns::cancel(int64_t step, const absl::Status& why) {
  if (const auto run = find(step)) run->cancel(why);
}

void PartRuns::cancel_all(const absl::Status& why) {
  std::vector<std::shared_ptr<OutstandingRun>> all;
  {
    std::lock_guard lock(mu_);
    for (const auto& [step, run] : runs_) {
      if (auto there = run.lock()) all.push_back(std::move(there));
    }
  }
  for (const auto& run : all) run->cancel(why);
}

}  // namespace troupe
