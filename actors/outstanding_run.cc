#include "actors/outstanding_run.h"

#include <caf/all.hpp>

#include "actors/run_metadata.h"
#include "devices/services.h"

namespace troupe {

OutstandingRun::OutstandingRun(std::shared_ptr<SessionCore> core, LeaseRequest want,
                               std::vector<Tensor> feeds, const RunOptions& options, Answer answer)
    : core_(std::move(core)), want_(std::move(want)), feeds_(std::move(feeds)), options_(options),
      answer_(std::move(answer)) {}

OutstandingRun::~OutstandingRun() { fail(absl::CancelledError("the session's actor has ended")); }

absl::Status OutstandingRun::enter(int stripe) {
  cancels_ = core_->cancels();
  auto place = core_->enter_run(stripe);
  if (!place.ok()) {
    fail(place.status());
    return place.status();
  }
  place_ = *std::move(place);
  return absl::OkStatus();
}

void OutstandingRun::begin() {
  if (want_.alias != nullptr) {
    if (auto slot = want_.alias->signature->slots.take()) {
      start({std::move(slot), want_.alias});
      return;
    }
  }
  caf::anon_send(core_->actor, StartRun{shared_from_this()});
}

bool OutstandingRun::start(StepLease lease) {
  if (options_.debug.watches.empty()) [[likely]] {
    begin_on(std::move(lease));
    return true;
  }
  const auto held = std::make_shared<StepLease>(std::move(lease));
  const absl::Status asked =
      core_->services->blocking.run([run = shared_from_this(), held]() -> BlockingPool::Answer {
        run->begin_on(std::move(*held));
        return nullptr;
      });
  if (!asked.ok()) fail(asked);
  return !asked.ok();
}

void OutstandingRun::begin_on(StepLease lease) {
  StepSlot* const slot = lease.slot().get();
  slot->cluster_step_id = cluster_step_id;
  absl::Status ready;
  for (size_t i = 0; i < feeds_.size() && ready.ok(); ++i) ready = lease.load(i, feeds_[i]);
  if (ready.ok()) ready = lease.begin(options_, cancels_);
  {
    std::lock_guard lock(mu_);
    // Cancelled before it had a slot: this one goes back.
    if (answer_ == nullptr) {
      slot->life.refuse(absl::CancelledError("Run call was cancelled"));
      return;
    }
    running_on_ = lease.slot();
    if (ready.ok()) step_id_->store(slot->life.id(), std::memory_order_relaxed);
  }
  lease_ = std::move(lease);
  ++attempt_;
  if (when_begun) [[unlikely]]
    std::exchange(when_begun, nullptr)();
  slot->when_finished = [run = shared_from_this()] { run->ended(); };
  if (!ready.ok()) return slot->signal_finished();
  slot->life.start();
}

void OutstandingRun::ended() {
  {
    std::lock_guard lock(mu_);
    running_on_ = nullptr;
  }
  reply_.fetches.assign(lease_.num_fetches(), Tensor());
  bool false_start = false;
  const absl::Status status = lease_.take(reply_.fetches, &reply_.stats, &false_start);
  if (false_start && attempt_ < kMaxStarts) {
    caf::anon_send(core_->actor, StartRun{shared_from_this()});
  } else if (status.ok() && options_.output_partition_graphs) {
    caf::anon_send(core_->actor, DescribeRun{shared_from_this()});
  } else {
    answer(status, std::move(reply_));
  }
}

void OutstandingRun::add_graphs(const absl::StatusOr<PartitionGraphs>& graphs) {
  if (!graphs.ok()) return fail(graphs.status());
  add_partition_graphs(graphs->graphs, &reply_.stats.metadata);
  answer(absl::OkStatus(), std::move(reply_));
}

void OutstandingRun::answer(const absl::Status& status, RunReply reply) {
  Answer answer;
  {
    std::lock_guard lock(mu_);
    answer = std::exchange(answer_, nullptr);
  }
  if (answer == nullptr) return;
  if (!status.ok()) reply.fetches.clear();
  place_.leave();
  answer(status, std::move(reply));
}

bool OutstandingRun::over() const {
  std::lock_guard lock(mu_);
  return answer_ == nullptr;
}

bool OutstandingRun::cancel(const absl::Status& reason) {
  std::unique_lock lock(mu_);
  if (answer_ == nullptr) return false;
  const std::shared_ptr<StepSlot> slot = running_on_;
  const int64_t id = step_id_->load(std::memory_order_relaxed);
  lock.unlock();
  if (slot == nullptr) {
    fail(reason);
    return true;
  }
  if (slot->life.cancel(id, reason) == 0) return false;
  caf::anon_send<caf::message_priority::high>(slot->step, CancelStep{id});
  return true;
}

}  // namespace troupe
