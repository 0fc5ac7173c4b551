#include "actors/remote_executor_actor.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/errors.h"
#include "actors/open_questions.h"
#include "actors/units/on_step_unit.h"

namespace troupe {
namespace {

using RemoteExecutorActor = ExecutorActor::extend<
    // The part has ended on its task.
    caf::reacts_to<RemotePartEnded>,
    // What it had not done when it was asked.
    caf::reacts_to<RemoteFrontier>>;

class RemoteExecutorImpl final : public OnStepUnit<RemoteExecutorActor::base> {
 public:
  RemoteExecutorImpl(caf::actor_config& config, const std::shared_ptr<StepSlot>& slot, size_t index)
      : OnStepUnit(config, slot->unit), slot_(slot), part_(slot->code->remotes[index]), remote_(index) {}

  const char* name() const override { return "remote executor"; }

  void on_exit() override {
    if (running_) part_->cancel(shared_id_, absl::CancelledError("the step's executor has ended"));
    questions_.fail(absl::CancelledError("the step's executor has ended"));
    slot_ = nullptr;
  }

  behavior_type make_behavior() override {
    return {
        [this](StartExecutor) { start(); },
        // Nothing is done here.
        [](DrainKernels) {},
        [](const DeviceDone&) {},
        [this](const AbortExecutor& m) {
          if (!running_ || m.step_id != step_id_) return;
          stopped_ = m.status;
          part_->cancel(shared_id_, m.status);
        },
        [this](CopyExecutor) -> caf::result<ExecutorCopy> {
          return to_error(absl::UnimplementedError(
              absl::StrCat("A partial run with a part on ", part_->task(), " cannot be forked.")));
        },
        [this](InspectExecutor) { return inspect(); },
        [this](const RemotePartEnded& m) { ended(m); },
        [this](const RemoteFrontier& m) {
          questions_.answer(m.question).lines = m.lines;
          questions_.one_answered(m.question);
        },
    };
  }

 private:
  /// What a task answers, on any thread. A task may answer late or never: the
  /// part must not keep this actor, which keeps the part by its slot; and an
  /// answer after this actor's end is nobody's loss.
  template <class Message>
  static void tell(const caf::actor_addr& to, Message message) {
    if (auto me = caf::actor_cast<RemoteExecutorActor>(to)) caf::anon_send(me, std::move(message));
  }

  size_t index() const { return slot_->code->partitions.size() + remote_; }

  void start() {
    running_ = true;
    stopped_ = absl::OkStatus();
    step_id_ = slot_->life.id();
    shared_id_ = slot_->shared_id();
    RemotePart::Step step;
    step.id = shared_id_;
    step.collect_stats = slot_->collect_stats;
    for (int arg : part_->args()) step.args.push_back(slot_->args[arg]);
    part_->run(std::move(step), [to = address(), id = step_id_](RemotePart::End end) {
      tell(to, RemotePartEnded{id, std::make_shared<RemotePart::End>(std::move(end))});
    });
  }

  void ended(const RemotePartEnded& m) {
    if (!running_ || m.step_id != step_id_) return;
    running_ = false;
    // Not every task says why.
    if (!stopped_.ok() && absl::IsCancelled(m.end->status)) m.end->status = stopped_;
    for (size_t i = 0; i < m.end->retvals.size() && i < part_->retvals().size(); ++i) {
      if (m.end->retvals[i].initialized()) slot_->retvals[part_->retvals()[i]] = std::move(m.end->retvals[i]);
    }
    slot_->remote_ends[remote_] = std::move(*m.end);
    slot_->done_messages[index()].send(caf::actor_cast<caf::abstract_actor*>(slot_->step), unit().get(),
                                       {step_id_, index()});
  }

  caf::result<FrontierReply> inspect() {
    if (!running_) return FrontierReply{};
    auto promise = make_response_promise<FrontierReply>();
    const int64_t question = questions_.open(promise, {}, 1);
    part_->inspect(shared_id_, [to = address(), question](std::vector<std::string> lines) {
      tell(to, RemoteFrontier{question, std::move(lines)});
    });
    return promise;
  }

  OpenQuestions<FrontierReply> questions_;
  std::shared_ptr<StepSlot> slot_;
  const std::shared_ptr<const RemotePart> part_;
  /// Among the slot's parts elsewhere.
  const size_t remote_;
  bool running_ = false;
  /// Why it is to stop, if it is.
  absl::Status stopped_;
  /// Of the step that runs, or ran last: here, and what the tasks call it.
  int64_t step_id_ = 0;
  int64_t shared_id_ = 0;
};

}  // namespace

ExecutorActor spawn_remote_executor(caf::actor_system& system, std::shared_ptr<StepSlot> slot, size_t index) {
  return system.spawn<RemoteExecutorImpl, caf::lazy_init + caf::hidden>(slot, index);
}

}  // namespace troupe
