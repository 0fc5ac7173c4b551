#include "actors/make_slot.h"

#include <caf/all.hpp>

#include "absl/strings/str_cat.h"
#include "actors/executor_actor.h"
#include "actors/remote_executor_actor.h"
#include "actors/rendezvous_actor.h"
#include "actors/session_core.h"
#include "actors/step_actor.h"

namespace troupe {

std::shared_ptr<StepSlot> make_slot(std::shared_ptr<const SignatureCode> code,
                                    std::shared_ptr<SessionCore> session, NamedPool* pool) {
  caf::actor_system& system = *session->system;
  // Not in one block with its counts: those who refer to it weakly would keep its memory.
  std::shared_ptr<StepSlot> slot(new StepSlot(code, session, &session->slot_counts, &system, pool));
  slot->container = absl::StrCat("__per_step_", session->gate.new_step_id(RunGate::kActorStripe));
  slot->args.resize(code->feeds.size());
  slot->retvals.resize(code->fetches.size());
  if (code->crosses_tasks) slot->exchange = session->exchange;
  if (code->has_transfers) {
    slot->rendezvous = spawn_rendezvous(system, slot);
    slot->rendezvous_face = make_rendezvous_face(slot->rendezvous);
  }
  slot->functions = session->make_calls(slot.get());
  slot->step = spawn_step(system, slot);
  for (size_t i = 0; i < code->partitions.size(); ++i) {
    const auto& partition = code->partitions[i];
    auto state = std::make_unique<StepState>();
    state->device = partition->device();
    state->cancellation = &slot->life.token().token();
    state->rendezvous = slot->rendezvous_face.get();
    state->session_tensors = &session->tensors;
    state->session_metadata = session->metadata.get();
    state->functions = slot->functions.get();
    state->step_container = slot->container;
    slot->step_states.push_back(std::move(state));
    slot->devices.push_back(session->find_device_actor(*partition->device()));
    slot->origins.emplace_back();
    slot->drain_messages.emplace_back();
    slot->executors.push_back(spawn_executor(system, slot, static_cast<int>(i)));
    caf::anon_send(slot->devices.back(), JoinDevice{slot->executors.back().address(), slot});
  }
  for (size_t i = 0; i < code->remotes.size(); ++i)
    slot->executors.push_back(spawn_remote_executor(system, slot, i));
  slot->start_messages.resize(code->num_parts());
  slot->done_messages.resize(code->num_parts());
  // A first message, so that STEP begins to watch its children before the first run: a direct run sends it none.
  caf::anon_send(slot->step, CancelStep{0});
  return slot;
}

}  // namespace troupe
