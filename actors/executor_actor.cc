#include "actors/executor_actor.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/rendezvous_actor.h"
#include "actors/session_core.h"
#include "actors/step/serves_turn.h"
#include "actors/step_turn.h"
#include "actors/units/on_step_unit.h"
#include "devices/enqueuing_device.h"
#include "devices/lent_runner.h"

namespace troupe {
namespace {

class ExecutorImpl final : public OnStepUnit<ExecutorActor::base>, public ExecutorHost {
 public:
  ExecutorImpl(caf::actor_config& config, const std::shared_ptr<StepSlot>& slot, int index)
      : OnStepUnit(config, slot->unit), keep_slot_(slot), slot_(slot.get()), index_(index) {
    slot_->states.push_back(std::make_unique<ExecutorState>(slot_->code->partitions[index], this));
    state_ = slot_->states.back().get();
    device_ = dynamic_cast<EnqueuingDevice*>(slot_->code->partitions[index]->device());
  }

  const char* name() const override { return "executor"; }

  void on_exit() override {
    for (Copy& c : copies_) c.promise.deliver(to_error(absl::CancelledError("the executor has ended")));
    state_->abandon(std::move(keep_slot_));
  }

  resume_result resume(caf::execution_unit* unit, size_t max_messages) override {
    if (is_own(unit)) return take_turn(unit, max_messages);
    return resume_and_tell_end(this, slot_, [&] { return take_turn(unit, max_messages); });
  }

  behavior_type make_behavior() override {
    return {
        [this](StartExecutor) { start(); },           [this](DrainKernels) { drain(); },
        [this](const AbortExecutor& m) { abort(m); }, [this](const DeviceDone& m) { device_done(m); },
        [this](CopyExecutor m) { return copy(m); },   [this](InspectExecutor) { return inspect(); },
    };
  }

  // ExecutorHost
  void launch_kernels(std::vector<KernelTask*> tasks) override {
    unit()->tally.add(typeid(LaunchKernels));
    send(slot_->devices[index_], LaunchKernels{std::move(tasks), slot_->pool, slot_->session.get(),
                                               slot_->shared_from_this(), slot_->priority, slot_->lent_pool});
  }
  void wake() override {
    slot_->drain_messages[index_].send(static_cast<caf::abstract_actor*>(this), nullptr);
  }

 private:
  /// The turns that most steps consist of: StartExecutor, or DrainKernels, alone in the mailbox. They are taken as any message is, without CAF's
  /// search for a handler, its timeouts and streams; all other turns are CAF's. What arrived meanwhile is taken at once, too: behind
  /// all that waits in a pool it would hold a function's caller, and its callers, while others begin. Only a step that yields waits.
  resume_result take_turn(caf::execution_unit* unit, size_t max_messages) {
    if (!take_usual(unit)) return ExecutorActor::base::resume(unit, max_messages);
    if (finalize()) return caf::resumable::done;
    if (mailbox().try_block()) return caf::resumable::awaiting_message;
    return yielded_ ? caf::resumable::resume_later : ExecutorActor::base::resume(unit, max_messages);
  }

  bool take_usual(caf::execution_unit* unit) {
    if (!activate(unit)) return false;
    mailbox().fetch_more();
    auto& messages = get_normal_queue();
    const caf::mailbox_element* const next = messages.peek();
    const bool starts = slot_->start_messages[index_].is(next);
    if (!starts && !slot_->drain_messages[index_].is(next)) return false;
    if (!get_urgent_queue().empty()) return false;
    // Says nothing more, and may be sent again.
    messages.take_front();
    try {
      starts ? start() : drain();
    } catch (const std::exception& e) {
      quit(caf::make_error(caf::sec::runtime_error, e.what()));
    }
    return true;
  }

  void drain() {
    if (running_ && !awaits_device_) turn();
  }

  void start() {
    running_ = true;
    released_ = false;
    awaits_device_ = false;
    step_id_ = slot_->life.id();
    StepState& step = *slot_->step_states[index_];
    step.step_id = slot_->outer_step_id != 0 ? slot_->outer_step_id : step_id_;
    step.args = slot_->args;
    step.retvals = slot_->retvals;
    // The outermost step tells how far a cancelled run came.
    state_->keep_last_frontier(slot_->outer_step_id == 0);
    if (const auto origin = std::exchange(slot_->origins[index_], nullptr)) [[unlikely]] {
      state_->start_from(&step, slot_->inline_only, *origin, slot_->loops);
    } else {
      state_->start(&step, slot_->inline_only, slot_->collect_stats, slot_->loops);
    }
    // Else its kernels would fail for want of memory.
    if (device_ != nullptr) [[unlikely]]
      state_->abort(of_this_process(device_->health()));
    turn();
  }

  void turn() {
    const LentRunner loops(slot_->loops);
    const ExecutorState::Turn end = advance();
    yielded_ = end == ExecutorState::Turn::kYield;
    if (!copies_.empty()) [[unlikely]]
      answer_copies();
    switch (end) {
      case ExecutorState::Turn::kYield: wake(); break;
      case ExecutorState::Turn::kWaiting:
        if (!state_->status().ok()) release_waiters();
        break;
      case ExecutorState::Turn::kFinished: device_ == nullptr ? finish() : await_device(); break;
    }
  }

  /// Where a thread has other work, too, nothing long is done in a turn: what is sent in one may wait until it is over.
  ExecutorState::Turn advance() {
    if (!slot_->rendezvous || !ServesTurn::active()) return state_->advance();
    const RendezvousTurn turn(slot_->rendezvous);
    return state_->advance();
  }

  /// What the kernels of the step enqueued is done before its end is told, and its error is the step's. Nobody waits for the work of a step that has
  /// failed: what it uses comes back when the device has passed it.
  void await_device() {
    if (!state_->status().ok() || !slot_->session->sync_on_finish) return finish();
    awaits_device_ = true;
    device_->when_done([me = caf::actor_cast<ExecutorActor>(address()), id = step_id_](absl::Status status) {
      caf::anon_send(me, DeviceDone{id, std::move(status)});
    });
  }

  void device_done(const DeviceDone& m) {
    // The step may have been cancelled meanwhile.
    if (!awaits_device_ || m.step_id != step_id_) return;
    awaits_device_ = false;
    state_->abort(of_this_process(m.status));
    finish();
  }

  /// As of a kernel that its device failed: Unavailable is for what other processes do.
  static absl::Status of_this_process(const absl::Status& of_device) {
    return absl::IsUnavailable(of_device) ? absl::InternalError(of_device.message()) : of_device;
  }

  void finish() {
    running_ = false;
    if (slot_->life.direct()) return slot_->life.ended_directly(state_->status(), state_->nodes_run());
    slot_->done_messages[index_].send(caf::actor_cast<caf::abstract_actor*>(slot_->step), unit().get(),
                                      {step_id_, static_cast<size_t>(index_)});
  }

  /// This executor has failed, but kernels of it wait for what may never come: they, and the other executors, are to stop.
  void release_waiters() {
    if (std::exchange(released_, true)) return;
    slot_->life.cancel(step_id_, state_->status());
    send(slot_->step, CancelStep{step_id_});
  }

  /// Whoever wants a copy of a step that is to come here waits for it.
  struct Copy {
    int64_t step_id = 0;
    caf::typed_response_promise<ExecutorCopy> promise;
  };

  caf::result<ExecutorCopy> copy(const CopyExecutor& m) {
    auto promise = make_response_promise<ExecutorCopy>();
    copies_.push_back({m.step_id, promise});
    if (step_id_ == m.step_id) answer_copies();
    return promise;
  }

  void answer_copies() {
    for (Copy& c : std::exchange(copies_, {})) {
      if (c.step_id != step_id_) {
        c.promise.deliver(to_error(absl::CancelledError("the step has ended")));
      } else if (!state_->status().ok()) {
        c.promise.deliver(to_error(state_->status()));
      } else if (state_->at_rest()) {
        c.promise.deliver(ExecutorCopy{state_->copy(), static_cast<size_t>(state_->in_flight())});
      } else {
        copies_.push_back(std::move(c));
      }
    }
  }

  void abort(const AbortExecutor& m) {
    // It may be about a step that has ended here meanwhile.
    if (!running_ || m.step_id != step_id_) return;
    state_->abort(m.status);
    std::exchange(awaits_device_, false) ? finish() : turn();
  }

  FrontierReply inspect() const {
    if (!running_) return {};
    FrontierReply reply;
    for (const FrontierEntry& e : state_->frontier(kMostEntries))
      reply.lines.push_back(
          absl::StrCat(e.node, " (", e.op, ") on ", slot_->part_name(index_), ": ", e.waits_for));
    reply.memory = {slot_->session->id, slot_->step_states[index_]->step_id, state_->waiting_bytes()};
    return reply;
  }

  /// Lines of a report.
  static constexpr size_t kMostEntries = 10;

  std::shared_ptr<StepSlot> keep_slot_;
  /// Valid while kernels are out, too: they keep it.
  StepSlot* const slot_;
  const int index_;
  ExecutorState* state_;
  bool running_ = false;
  /// Of the step that runs, or ran last.
  int64_t step_id_ = 0;
  bool yielded_ = false;
  bool released_ = false;
  /// Null where kernels have done their work when they return.
  EnqueuingDevice* device_ = nullptr;
  bool awaits_device_ = false;
  std::vector<Copy> copies_;
};

}  // namespace

ExecutorActor spawn_executor(caf::actor_system& system, std::shared_ptr<StepSlot> slot, int index) {
  return system.spawn<ExecutorImpl, caf::lazy_init + caf::hidden>(slot, index);
}

}  // namespace troupe
