#include "actors/message_run.h"

#include <caf/all.hpp>

#include "actors/errors.h"

namespace troupe {

void MessageRun::start(StepLease lease, const SessionActor& session) {
  lease_ = std::move(lease);
  ++attempt_;
  StepSlot* slot = lease_.slot().get();
  absl::Status ready;
  for (size_t i = 0; i < feeds_.size() && ready.ok(); ++i) ready = lease_.load(i, feeds_[i]);
  if (ready.ok()) ready = lease_.begin(options_, cancels_);
  slot->when_finished = [run = shared_from_this(), session]() mutable {
    caf::anon_send(session, RunEnded{std::move(run)});
  };
  if (ready.ok()) return slot->life.start();
  slot->signal_finished();
}

bool MessageRun::conclude() {
  reply_.fetches.assign(alias()->fetch_at.size(), Tensor());
  bool false_start = false;
  status_ = lease_.take(reply_.fetches, &reply_.stats, &false_start);
  return false_start && attempt_ < kMaxStarts;
}

void MessageRun::succeed() {
  place_.leave();
  promise_.deliver(std::move(reply_));
}

void MessageRun::fail(const absl::Status& status) {
  place_.leave();
  promise_.deliver(to_error(status));
}

void MessageRun::answer_early(const absl::Status& status) { promise_.deliver(to_error(status)); }

}  // namespace troupe
