#include "actors/step_history.h"

#include <utility>

namespace troupe {

void StepHistory::add(TimedStep step) {
  std::lock_guard lock(mu_);
  if (steps_.size() < size_) {
    steps_.push_back(std::move(step));
    return;
  }
  std::swap(steps_[next_], step);
  next_ = (next_ + 1) % size_;
}

std::vector<TimedStep> StepHistory::all() const {
  std::lock_guard lock(mu_);
  std::vector<TimedStep> out(steps_.begin() + static_cast<ptrdiff_t>(next_), steps_.end());
  out.insert(out.end(), steps_.begin(), steps_.begin() + static_cast<ptrdiff_t>(next_));
  return out;
}

}  // namespace troupe
