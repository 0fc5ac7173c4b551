#include "actors/idle_slots.h"

#include <caf/all.hpp>

#include "actors/interfaces.h"
#include "actors/session_core.h"

namespace troupe {

void watch_idle_slots(SessionCore& core) {
  if (core.watches_idle_slots.load(std::memory_order_relaxed) || core.watches_idle_slots.exchange(true))
    return;
  caf::delayed_anon_send(core.actor, kIdleSlotPatience, EndUnneededSlots{});
}

void end_unneeded_slots(SessionCore& core) {
  std::vector<std::shared_ptr<StepSlot>> unneeded = core.signatures.take_unneeded_slots();
  if (!unneeded.empty()) {
    core.compilers->run([slots = std::make_shared<decltype(unneeded)>(std::move(unneeded))] {
      for (const std::shared_ptr<StepSlot>& slot : *slots) stop_slot(slot);
    });
  }
  // First, so that who puts one by after this looks finds that nobody watches.
  core.watches_idle_slots.store(false);
  if (core.signatures.has_more_slots()) watch_idle_slots(core);
}

}  // namespace troupe
