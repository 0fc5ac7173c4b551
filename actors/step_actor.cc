#include "actors/step_actor.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/open_questions.h"
#include "actors/step_turn.h"
#include "actors/units/on_step_unit.h"

namespace troupe {
namespace {

class StepImpl final : public OnStepUnit<StepActor::base> {
 public:
  StepImpl(caf::actor_config& config, std::shared_ptr<StepSlot> slot)
      : OnStepUnit(config, slot->unit), keep_slot_(slot), slot_(slot.get()) {}

  const char* name() const override { return "step"; }

  void on_exit() override {
    slot_->life.lose_step();
    inspections_.fail(absl::CancelledError("the step's actor has ended"));
    // DEVICEs outlive it, and would keep its memory.
    for (size_t i = 0; i < slot_->devices.size(); ++i)
      caf::anon_send(slot_->devices[i], LeaveDevice{slot_->executors[i].id()});
    keep_slot_ = nullptr;
  }

  resume_result resume(caf::execution_unit* unit, size_t max_messages) override {
    if (is_own(unit)) return StepActor::base::resume(unit, max_messages);
    return resume_and_tell_end(this, slot_, [&] { return StepActor::base::resume(unit, max_messages); });
  }

  behavior_type make_behavior() override {
    set_down_handler([this](caf::down_msg& down) { child_died(down); });
    for (const ExecutorActor& e : slot_->executors) monitor(e);
    for (size_t i = 0; i < slot_->devices.size(); ++i) watch_device(i);
    if (slot_->rendezvous) monitor(slot_->rendezvous);
    return {
        [this](RunStep m) { slot_->life.begin_by_step(m.step_id); },
        [this](ExecutorDone m) {
          slot_->life.executor_done(m.step_id, m.index, slot_->part_status(m.index),
                                    slot_->part_nodes_run(m.index));
        },
        [this](CancelStep m) { slot_->life.stop(m.step_id); },
        [this](InspectStep) -> caf::result<InspectStepReply> { return inspect(); },
    };
  }

 private:
  /// The slot has joined the DEVICE, which tells of its end whoever it has heard of: one that died before that answers by an error.
  void watch_device(size_t i) {
    const DeviceActor& device = slot_->devices[i];
    request(device, caf::infinite, JoinDevice{slot_->executors[i].address(), keep_slot_})
        .then([] {},
              [this, device = device.address()](const caf::error& why) {
                caf::down_msg down{device, why};
                child_died(down);
              });
  }

  void child_died(const caf::down_msg& down) {
    slot_->life.lose_actor(absl::StrCat("the ", child(down.source), " of step ", slot_->life.id(),
                                        " died: ", to_status(down.reason).message()));
  }

  std::string child(const caf::actor_addr& address) const {
    for (size_t i = 0; i < slot_->executors.size(); ++i) {
      if (address == slot_->executors[i].address()) return absl::StrCat("executor of ", slot_->part_name(i));
    }
    for (size_t i = 0; i < slot_->devices.size(); ++i) {
      if (address == slot_->devices[i].address()) return absl::StrCat("device ", slot_->part_name(i));
    }
    return "rendezvous";
  }

  caf::result<InspectStepReply> inspect() {
    InspectStepReply reply;
    reply.report.step_id = slot_->life.active() ? slot_->life.id() : 0;
    reply.report.age = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - slot_->began());
    reply.report.fetches = slot_->code->fetches;
    reply.report.targets = slot_->code->targets;
    if (!slot_->life.active()) return reply;
    // An executor may be at work on another thread: what it has not done it says itself.
    auto promise = make_response_promise<InspectStepReply>();
    const int64_t id = inspections_.open(promise, std::move(reply), slot_->executors.size());
    for (size_t i = 0; i < slot_->executors.size(); ++i) {
      // Local and answered in one turn; a dead executor answers request_receiver_down.
      request(slot_->executors[i], caf::infinite, InspectExecutor{})
          .then([this, id](const FrontierReply& r) { note(id, r); },
                [this, id](caf::error&) { note(id, {}); });
    }
    return promise;
  }

  void note(int64_t id, const FrontierReply& reply) {
    std::vector<std::string>& lines = inspections_.answer(id).report.frontier;
    lines.insert(lines.end(), reply.lines.begin(), reply.lines.end());
    inspections_.one_answered(id);
  }

  /// Who asked what is not done, while the executors are asked.
  OpenQuestions<InspectStepReply> inspections_;

  std::shared_ptr<StepSlot> keep_slot_;
  StepSlot* const slot_;
};

}  // namespace

StepActor spawn_step(caf::actor_system& system, std::shared_ptr<StepSlot> slot) {
  return system.spawn<StepImpl, caf::lazy_init + caf::hidden>(slot);
}

}  // namespace troupe
