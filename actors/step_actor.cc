#include "actors/step_actor.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"

namespace troupe {
namespace {

class StepImpl final : public StepActor::base {
 public:
  StepImpl(caf::actor_config& config, std::shared_ptr<StepSlot> slot)
      : StepActor::base(config), unit_(slot->unit), keep_slot_(slot), slot_(slot.get()) {}

  const char* name() const override { return "step"; }

  using StepActor::base::enqueue;
  /// Whoever sends: this actor runs on its step's unit.
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    StepActor::base::enqueue(std::move(what), unit_.get());
  }

  void on_exit() override {
    const absl::Status died =
        absl::InternalError(absl::StrCat("the actor of step ", slot_->step_id(), " died"));
    if (active()) stop_children(slot_->step_id(), died);
    slot_->abandon(died);
    // DEVICEs outlive it, and would keep its memory.
    for (const DeviceActor& d : slot_->devices) demonitor(d.address());
    keep_slot_ = nullptr;
  }

  behavior_type make_behavior() override {
    // A direct run marks nobody: its one executor is told to stop whenever it may be running.
    done_.assign(slot_->executors.size(), false);
    set_down_handler([this](caf::down_msg& down) { child_died(down); });
    for (const ExecutorActor& e : slot_->executors) monitor(e);
    for (const DeviceActor& d : slot_->devices) monitor(d);
    if (slot_->rendezvous) monitor(slot_->rendezvous);
    return {
        [this](RunStep) { start(); },
        [this](ExecutorDone m) { executor_done(m.index); },
        [this](CancelStep m) { cancel(m.step_id); },
        [this](InspectStep) -> caf::result<InspectStepReply> { return inspect(); },
    };
  }

 private:
  void start() {
    running_ = true;
    outstanding_ = static_cast<int>(slot_->executors.size());
    done_.assign(slot_->executors.size(), false);
    if (slot_->rendezvous && !slot_->code->partial)
      send(slot_->rendezvous, RendezvousBegin{slot_->step_id()});
    if (slot_->life.broken()) {
      slot_->false_start = true;
      return fail_broken("an actor of this step died before it began");
    }
    for (size_t i = 0; i < slot_->executors.size(); ++i) {
      slot_->start_messages[i].send(caf::actor_cast<caf::abstract_actor*>(slot_->executors[i]), unit_.get());
    }
    if (outstanding_ == 0) finish();
  }

  void executor_done(int index) {
    if (!running_ || done_[index]) return;
    done_[index] = true;
    const ExecutorState& state = *slot_->states[index];
    slot_->nodes_run += state.nodes_run();
    if (!state.status().ok()) fail(state.status());
    if (--outstanding_ == 0) finish();
  }

  /// The first error stands; everyone else is told to stop.
  void fail(const absl::Status& status) {
    if (!slot_->status.ok()) return;
    slot_->status = status;
    slot_->cancel(slot_->step_id(), status);
    stop_children(slot_->step_id(), status);
  }

  /// A direct run may end at any time, and the slot begin another step: the id tells which one is meant.
  void stop_children(int64_t step_id, const absl::Status& status) {
    for (size_t i = 0; i < slot_->executors.size(); ++i) {
      if (!done_[i]) send(slot_->executors[i], AbortExecutor{step_id, status});
    }
    if (slot_->rendezvous) send(slot_->rendezvous, RendezvousAbort{step_id, status});
    for (const DeviceActor& d : slot_->devices) send(d, DropKernels{slot_->pool, slot_});
  }

  void cancel(int64_t step_id) {
    if (!active() || step_id != slot_->step_id()) return;
    stop_children(step_id, slot_->token.reason());
  }

  void child_died(const caf::down_msg& down) {
    if (!slot_->life.lose_actor() && !running_) return;
    std::string who = "actor";
    for (size_t i = 0; i < slot_->executors.size(); ++i) {
      if (down.source == slot_->executors[i].address()) {
        who = absl::StrCat("executor of ", slot_->code->partitions[i]->device()->name());
      }
    }
    for (size_t i = 0; i < slot_->devices.size(); ++i) {
      if (down.source == slot_->devices[i].address()) {
        who = absl::StrCat("device ", slot_->code->partitions[i]->device()->name());
      }
    }
    if (slot_->rendezvous && down.source == slot_->rendezvous.address()) who = "rendezvous";
    fail_broken(absl::StrCat("the ", who, " of step ", slot_->step_id(),
                             " died: ", to_status(down.reason).message()));
  }

  void fail_broken(const std::string& text) {
    // A direct run whose executor was faster has ended already.
    if (!slot_->life.claim_end()) return;
    absl::Status status = absl::InternalError(text);
    if (slot_->status.ok()) slot_->status = status;
    slot_->cancel(slot_->step_id(), status);
    stop_children(slot_->step_id(), status);
    conclude();
  }

  void finish() {
    if (slot_->life.claim_end()) conclude();
  }

  /// Tells who waits; the end is claimed.
  void conclude() {
    running_ = false;
    slot_->describe_cancel([this](size_t i) { return done_[i] != 0; }, outstanding_ == 0);
    slot_->signal_finished();
  }

  /// A step runs: one of this actor's, or a direct one that it supervises.
  bool active() const { return running_ || slot_->life.runs_directly(); }

  caf::result<InspectStepReply> inspect() {
    InspectStepReply reply;
    reply.report.step_id = active() ? slot_->step_id() : 0;
    reply.report.age = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - slot_->began());
    reply.report.fetches = slot_->code->fetches;
    reply.report.targets = slot_->code->targets;
    if (!active()) return reply;
    // An executor may be at work on another thread: what it has not done it says itself.
    auto promise = make_response_promise<InspectStepReply>();
    auto shared = std::make_shared<InspectStepReply>(std::move(reply));
    auto left = std::make_shared<int>(static_cast<int>(slot_->executors.size()));
    for (size_t i = 0; i < slot_->executors.size(); ++i) {
      const std::string device = slot_->code->partitions[i]->device()->name();
      auto collect = [promise, shared, left](std::vector<std::string> lines) mutable {
        for (std::string& l : lines) shared->report.frontier.push_back(std::move(l));
        if (--*left == 0) promise.deliver(*shared);
      };
      // Local and answered in one turn; a dead executor answers request_receiver_down.
      request(slot_->executors[i], caf::infinite, InspectExecutor{})
          .then(
              [collect, device](const FrontierReply& r) mutable {
                std::vector<std::string> lines;
                for (const FrontierEntry& e : r.entries) {
                  lines.push_back(absl::StrCat(e.node, " (", e.op, ") on ", device, ": ", e.waits_for));
                }
                collect(std::move(lines));
              },
              [collect](caf::error&) mutable { collect({}); });
    }
    return promise;
  }

  const std::shared_ptr<LentThread> unit_;
  std::shared_ptr<StepSlot> keep_slot_;
  StepSlot* const slot_;
  bool running_ = false;
  int outstanding_ = 0;
  std::vector<char> done_;
};

}  // namespace

StepActor spawn_step(caf::actor_system& system, std::shared_ptr<StepSlot> slot) {
  return system.spawn<StepImpl, caf::lazy_init + caf::hidden>(slot);
}

}  // namespace troupe
