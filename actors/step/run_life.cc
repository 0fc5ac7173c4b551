#include "actors/step/run_life.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troupe {

uint8_t RunLife::transition(uint8_t to, uint8_t unless) {
  uint8_t found = bits_.load(std::memory_order_relaxed);
  while ((found & unless) == 0 &&
         !bits_.compare_exchange_weak(found, static_cast<uint8_t>((found & ~kState) | to),
                                      std::memory_order_acq_rel, std::memory_order_acquire)) {
  }
  return found;
}

// --- the leaseholder ---

void RunLife::prepare(int64_t id) {
  id_.store(id, std::memory_order_relaxed);
  token_.begin(id);
}

void RunLife::start() {
  const uint8_t hopeless = directly_ ? kBroken | kStepGone : kStepGone;
  if ((transition(directly_ ? kDirect : kByStep, hopeless) & hopeless) != 0) {
    end_.status = absl::InternalError(absl::StrCat("an actor of step ", id(), " died before it began"));
    end_.false_start = true;
    return host_->tell_ended(end_, true);
  }
  if (directly_) return host_->start_executor(0);
  host_->begin_rendezvous(id());
  host_->start_step(id());
}

// --- the executor of a direct run ---

void RunLife::ended_directly(const absl::Status& status, int64_t nodes_run) {
  if (!claim_end()) return;
  end_.nodes_run = nodes_run;
  if (!status.ok()) end_.status = status;
  host_->tell_ended(end_, true);
}

// --- the STEP ---

void RunLife::begin_by_step(int64_t id) {
  if (begun_ || id != this->id() || state() != kByStep) return;
  begun_ = true;
  outstanding_ = done_.size();
  std::fill(done_.begin(), done_.end(), false);
  if (broken()) {
    end_.false_start = true;
    return fail_broken(absl::InternalError(absl::StrCat("an actor of step ", id, " died before it began")));
  }
  for (size_t i = 0; i < done_.size(); ++i) host_->start_executor(i);
  if (outstanding_ == 0) conclude();
}

void RunLife::executor_done(int64_t id, size_t index, const absl::Status& status, int64_t nodes_run) {
  if (!begun_ || id != this->id() || done_[index]) return;
  done_[index] = true;
  end_.nodes_run += nodes_run;
  if (!status.ok()) fail(status);
  if (--outstanding_ == 0) conclude();
}

void RunLife::stop(int64_t id) {
  if (active() && id == this->id()) stop_all(token_.token().reason());
}

/// The first error stands; everyone else is told to stop.
void RunLife::fail(const absl::Status& status) {
  if (!end_.status.ok()) return;
  end_.status = status;
  token_.cancel(id(), status);
  stop_all(status);
}

/// A direct run may end at any time, and the slot begin another: the id tells which one is meant.
void RunLife::stop_all(const absl::Status& why) {
  for (size_t i = 0; i < done_.size(); ++i) {
    if (!done_[i]) host_->stop_executor(i, id(), why);
  }
  host_->stop_rendezvous(id(), why);
  host_->drop_kernels();
}

void RunLife::lose_actor(absl::string_view what) {
  const bool directly = (mark(kBroken) & kState) == kDirect;
  // A run that the STEP has not begun yet finds out when it does.
  if (begun_ || directly) fail_broken(absl::InternalError(what));
}

void RunLife::fail_broken(const absl::Status& why) {
  // A direct run whose executor was faster has ended already.
  if (!claim_end()) return;
  if (end_.status.ok()) end_.status = why;
  token_.cancel(id(), why);
  stop_all(why);
  begun_ = false;
  host_->tell_ended(end_, false);
}

void RunLife::conclude() {
  if (!claim_end()) return;
  begun_ = false;
  host_->tell_ended(end_, true);
}

void RunLife::lose_step() {
  const absl::Status died = absl::InternalError(absl::StrCat("the actor of step ", id(), " died"));
  if (active()) stop_all(died);
  // First, so that no run begins after: of one that does meanwhile, one of both sees the other.
  mark(kBroken | kStepGone);
  if (!claim_end()) return;
  if (end_.status.ok()) end_.status = died;
  token_.cancel(0, died);
  begun_ = false;
  host_->tell_ended(end_, false);
}

}  // namespace troupe
