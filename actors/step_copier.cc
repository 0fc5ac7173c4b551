#include "actors/step_copier.h"

#include <caf/all.hpp>

#include "actors/errors.h"

namespace troupe {

struct StepCopier::Copying {
  std::shared_ptr<StepSlot> slot;
  int64_t step_id = 0;
  Done done;
  StepCopy copy;
  /// Of the RENDEZVOUS, when it was asked first.
  int64_t events = 0;
  size_t executors_left = 0;
  size_t receives = 0;

  void fail(const caf::error& why) {
    if (auto tell = std::exchange(done, nullptr)) tell(to_status(why));
  }
};

// Nobody here needs a timeout: those asked answer when their step ends, and CAF for those that are gone.

void StepCopier::begin(const std::shared_ptr<StepSlot>& slot, Done done) {
  auto copying = std::make_shared<Copying>();
  copying->slot = slot;
  copying->step_id = slot->life.id();
  copying->done = std::move(done);
  if (!slot->rendezvous) return ask_executors(copying);
  self_->request(slot->rendezvous, caf::infinite, CopyRendezvous{copying->step_id})
      .then(
          [this, copying](const RendezvousCopy& r) {
            copying->events = r.events;
            ask_executors(copying);
          },
          [copying](caf::error& error) { copying->fail(error); });
}

void StepCopier::ask_executors(const std::shared_ptr<Copying>& copying) {
  const auto& executors = copying->slot->executors;
  copying->copy.executors.resize(executors.size());
  copying->executors_left = executors.size();
  if (executors.empty()) return ask_rendezvous_again(copying);
  for (size_t i = 0; i < executors.size(); ++i) {
    self_->request(executors[i], caf::infinite, CopyExecutor{copying->step_id})
        .then(
            [this, copying, i](const ExecutorCopy& e) {
              copying->copy.executors[i] = e.state;
              copying->receives += e.receives;
              if (--copying->executors_left == 0) ask_rendezvous_again(copying);
            },
            [copying](caf::error& error) { copying->fail(error); });
  }
}

void StepCopier::ask_rendezvous_again(const std::shared_ptr<Copying>& copying) {
  auto finish = [copying] {
    if (auto tell = std::exchange(copying->done, nullptr)) tell(std::move(copying->copy));
  };
  if (!copying->slot->rendezvous) return finish();
  self_->request(copying->slot->rendezvous, caf::infinite, CopyRendezvous{copying->step_id})
      .then(
          [this, copying, finish](const RendezvousCopy& r) {
            if (r.events != copying->events || r.receivers != copying->receives)
              return begin(copying->slot, std::exchange(copying->done, nullptr));
            copying->copy.values = r.values;
            finish();
          },
          [copying](caf::error& error) { copying->fail(error); });
}

}  // namespace troupe
